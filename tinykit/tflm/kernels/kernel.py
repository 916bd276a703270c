# SPDX-License-Identifier: Apache-2.0
"""What one TFLM kernel asks of the arena: the shape of every entry in the kernel tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol

from tinykit.model.graph import Operator, OptionValue, Tensor

QUANTIZED = frozenset({"INT8", "INT16"})


class Allocations(Protocol):
    """The arena as a kernel's Prepare sees it; sizes in bytes."""

    def temp(self, *tensors: Tensor | None) -> None:
        """Borrow a TfLiteTensor for each tensor until the end of this Prepare; None is skipped."""

    def persistent(self, size: int) -> None:
        """Take memory from the tail for the life of the model."""

    def scratch(self, size: int) -> None:
        """Request memory that the planner places, live during this operator only."""

    def resource(self, variable: Hashable, size: int) -> None:
        """Take memory from the tail for a resource variable, once for each variable."""

    def unsure(self, reason: str) -> None:
        """Note that the figures of this operator are not held against the runtime."""

    def pointers(self, count: int) -> int:
        """Return the bytes of `count` pointers."""

    def int_array(self, length: int) -> int:
        """Return the bytes of a TfLiteIntArray of `length` items."""

    def struct(self, fields: str) -> int:
        """Return the bytes of a C structure, see `tinykit.tflm.layout.Abi.struct`."""


@dataclass(frozen=True, slots=True)
class Node:
    """An operator with the tensors of its subgraph, as a kernel's Prepare looks at it."""

    operator: Operator
    tensors: tuple[Tensor, ...]
    subgraph: int

    def input(self, position: int) -> Tensor | None:
        """Return the input at `position`, None when it is absent."""
        inputs = self.operator.inputs
        if position >= len(inputs) or inputs[position] < 0:
            return None
        return self.tensors[inputs[position]]

    def output(self, position: int = 0) -> Tensor | None:
        """Return the output at `position`, None when it is absent."""
        outputs = self.operator.outputs
        return self.tensors[outputs[position]] if position < len(outputs) else None

    def need_input(self, position: int) -> Tensor:
        """Return an input that the kernel cannot do without.

        Raises:
            MalformedOperatorError: the operator does not have it.
        """
        tensor = self.input(position)
        if tensor is None:
            raise MalformedOperatorError(self.operator, f"input {position}")
        return tensor

    def need_output(self, position: int = 0) -> Tensor:
        """Return an output that the kernel cannot do without.

        Raises:
            MalformedOperatorError: the operator does not have it.
        """
        tensor = self.output(position)
        if tensor is None:
            raise MalformedOperatorError(self.operator, f"output {position}")
        return tensor

    def inputs(self) -> list[Tensor | None]:
        """Return all inputs in order, None for an absent one."""
        return [self.input(k) for k in range(len(self.operator.inputs))]

    def dims(self, tensor: Tensor, rank: int) -> tuple[int, ...]:
        """Return the shape of a tensor that the kernel reads with a fixed rank.

        Raises:
            MalformedOperatorError: the rank differs.
        """
        if len(tensor.shape) != rank:
            what = f"tensor {tensor.index} of rank {rank} (it has shape {list(tensor.shape)})"
            raise MalformedOperatorError(self.operator, what)
        return tensor.shape

    def option(self, name: str, default: int) -> int:
        """Return an integer option, or `default` where the file does not give it."""
        value: OptionValue = self.operator.options.get(name, default)
        return value if isinstance(value, int) else default


class MalformedOperatorError(Exception):
    """An operator lacks what its kernel reads; the caller turns it into a statement of doubt."""

    def __init__(self, operator: Operator, missing: str) -> None:
        super().__init__(f"operator {operator.index} ({operator.label}) lacks {missing}")


Prepare = Callable[[Node, Allocations], None]


@dataclass(frozen=True, slots=True)
class Kernel:
    """One operator's demands on the arena.

    Attributes:
        params: C fields of the builtin parameters that the parser allocates, "" for none.
        op_data: C fields of what Init allocates at 16 bytes, "" for none.
        prepare: what Prepare asks for, in order.
    """

    params: str = ""
    op_data: str = ""
    prepare: Prepare | None = None
