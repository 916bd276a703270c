# SPDX-License-Identifier: Apache-2.0
"""The operators of an image and how each enters the resolver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tinykit.errors import UsageError
from tinykit.model.graph import Graph
from tinykit.model.operators import SUPPORTED
from tinykit.sanitise import printable
from tinykit.tflm.registrations import int8_only


@dataclass(frozen=True, slots=True)
class Registration:
    """One operator: the resolver's method, and the function that describes the kernel.

    Attributes:
        argument: C++ expression to pass to the method, "" where its default will do.
        function: `Register_…` whose object the link needs.
    """

    name: str
    method: str
    argument: str
    function: str


def registrations(
    graphs: Sequence[Graph], wanted: Literal["generic", "int8"]
) -> tuple[Registration, ...]:
    """Return the operators of all graphs, each once, by name.

    An INT8-only registration is used only where every graph that has the operator allows it.

    Raises:
        UsageError: TFLM has no such operator, or it is one that tinykit cannot compile yet.
    """
    names: dict[str, bool] = {}
    for graph in graphs:
        able = int8_only(graph)
        for label in sorted({op.label for s in graph.subgraphs for op in s.operators}):
            names[label] = names.get(label, True) and label in able
    return tuple(_registration(n, names[n] and wanted == "int8") for n in sorted(names))


def _registration(name: str, int8: bool) -> Registration:
    row = SUPPORTED.get(name)
    if row is None or row.custom:
        raise UsageError(
            f"tinykit cannot generate code for the operator {printable(name)!r}",
            hint="tinykit inspect says which operators TFLM runs",
        )
    if int8 and row.int8_registration:
        return Registration(
            name, row.method, f"tflite::{row.int8_registration}()", row.int8_registration
        )
    return Registration(name, row.method, "", f"Register_{name}")
