# SPDX-License-Identifier: Apache-2.0
"""One finding about a model: what is wrong, where, and what to paste to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]
AppliesTo = Literal["any", "cmsis-nn", "esp-nn", "boards-without-ethos-u"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What will go wrong on a device, or what its firmware must know.

    Attributes:
        code: stable name in kebab case, e.g. `hybrid-operator`.
        severity: `error` means that the model does not run, or not rightly, where it applies;
            `warning` that it runs but costs or risks something; `info` that firmware must know.
        subgraph: index of the subgraph; 0 for the model as a whole.
        operator: index of the first operator concerned, None where it is no operator.
        tensor: index of the first tensor concerned, None where it is no tensor.
        message: one sentence naming the operator or tensor, with figures.
        fix: code to paste, maybe several lines; "" where there is none.
        source: where the problem is documented: an issue `owner/repository#number`, or a file of
            TFLM.
        applies_to: the kernel library or boards on which it holds.
    """

    code: str
    severity: Severity
    subgraph: int
    operator: int | None
    tensor: int | None
    message: str
    fix: str = ""
    source: str = ""
    applies_to: AppliesTo = "any"

    def holds_with(self, kernels: str) -> bool:
        """Return whether it holds in a firmware with that kernel library, on a board without NPU.

        Args:
            kernels: a kernel library; "" asks what holds with every one of them.
        """
        return self.applies_to in ("any", "boards-without-ethos-u", kernels)
