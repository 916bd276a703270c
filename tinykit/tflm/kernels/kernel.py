# SPDX-License-Identifier: Apache-2.0
"""What one TFLM kernel asks of the arena: the shape of every entry in the kernel tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol

from tinykit.model.graph import Operator, OptionValue, Tensor
from tinykit.tflm.kernels import flexbuffer

QUANTIZED = frozenset({"INT8", "INT16"})

CUSTOM = "CUSTOM "
"""Prefix of a custom operator's key in the kernel tables, before its custom code."""


class Allocations(Protocol):
    """The arena as a kernel's Init and Prepare see it; sizes in bytes."""

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


def quantized_channels(tensor: Tensor) -> int:
    """Return how many scales TFLM gives the tensor; 0 when it ignores the quantization."""
    quantization = tensor.quantization
    if quantization is None or not quantization.zero_points:
        return 0
    return len(quantization.scales)


@dataclass(frozen=True, slots=True)
class Node:
    """An operator with the tensors of its subgraph, as a kernel's Prepare looks at it."""

    operator: Operator
    tensors: tuple[Tensor, ...]
    subgraph: int

    def input(self, position: int) -> Tensor | None:
        """Return the input at `position`, None when it is absent."""
        return self._tensor(self.operator.inputs, position)

    def output(self, position: int = 0) -> Tensor | None:
        """Return the output at `position`, None when it is absent."""
        return self._tensor(self.operator.outputs, position)

    def _tensor(self, indices: tuple[int, ...], position: int) -> Tensor | None:
        if position >= len(indices) or not 0 <= indices[position] < len(self.tensors):
            return None
        return self.tensors[indices[position]]

    def need_input(self, position: int) -> Tensor:
        """Return an input that the kernel cannot do without.

        Raises:
            MalformedOperatorError: the operator does not have it.
        """
        tensor = self.input(position)
        if tensor is None:
            raise MalformedOperatorError(f"lacks input {position}")
        return tensor

    def need_output(self, position: int = 0) -> Tensor:
        """Return an output that the kernel cannot do without.

        Raises:
            MalformedOperatorError: the operator does not have it.
        """
        tensor = self.output(position)
        if tensor is None:
            raise MalformedOperatorError(f"lacks output {position}")
        return tensor

    def inputs(self) -> list[Tensor | None]:
        """Return all inputs in order, None for an absent one."""
        return [self.input(k) for k in range(len(self.operator.inputs))]

    def dims(self, tensor: Tensor, rank: int) -> tuple[int, ...]:
        """Return the shape of a tensor that the kernel reads with a fixed rank.

        Raises:
            MalformedOperatorError: the rank differs, or a dimension is not known.
        """
        if len(tensor.shape) != rank or tensor.is_dynamic:
            raise MalformedOperatorError(
                f"needs tensor {tensor.index} with {rank} known dimensions; "
                f"its shape is {list(tensor.shape)}"
            )
        return tensor.shape

    def last_dim(self, tensor: Tensor) -> int:
        """Return the innermost dimension.

        Raises:
            MalformedOperatorError: the tensor is a scalar, or a dimension is not known.
        """
        return self.dims(tensor, max(1, len(tensor.shape)))[-1]

    def option(self, name: str, default: int) -> int:
        """Return an integer option, or `default` where the file does not give it."""
        value: OptionValue = self.operator.options.get(name, default)
        return value if isinstance(value, int) else default

    def positive(self, name: str, default: int = 1) -> int:
        """Return an integer option that the kernel divides by.

        Raises:
            MalformedOperatorError: it is less than 1.
        """
        value = self.option(name, default)
        if value < 1:
            raise MalformedOperatorError(f"has {name} {value}, less than 1")
        return value

    def custom_option(self, name: str) -> int:
        """Return an integer option of a custom operator.

        Raises:
            MalformedOperatorError: the custom options do not hold it.
        """
        try:
            options = flexbuffer.scalars(self.operator.custom_options or b"")
        except flexbuffer.FlexBufferError as error:
            raise MalformedOperatorError(f"has damaged custom options ({error})") from error
        value = options.get(name)
        if not isinstance(value, int) or value < 0:
            raise MalformedOperatorError(f"lacks a custom option {name} that is at least 0")
        return value


class MalformedOperatorError(Exception):
    """An operator lacks what its kernel reads; the caller turns it into a statement of doubt."""


Prepare = Callable[[Node, Allocations], None]


@dataclass(frozen=True, slots=True)
class Kernel:
    """One operator's demands on the arena.

    Attributes:
        params: C fields of the builtin parameters that the parser allocates, "" for none.
        op_data: C fields of what Init allocates at 16 bytes, "" for none.
        prepare: what Prepare asks for, in order.
        init: what Init asks for besides `op_data`.
    """

    params: str = ""
    op_data: str = ""
    prepare: Prepare | None = None
    init: Prepare | None = None


def kernel_key(operator: Operator) -> str:
    """Return the operator's key in the kernel tables."""
    return CUSTOM + operator.custom_code if operator.name == "CUSTOM" else operator.name


def borrow(inputs: int, outputs: int = 1) -> Prepare:
    """Return a Prepare that looks at the first `inputs` and `outputs` tensors, nothing more."""

    def prepare(node: Node, arena: Allocations) -> None:
        arena.temp(*map(node.input, range(inputs)), *map(node.output, range(outputs)))

    return prepare


def borrow_and_reshape(inputs: int) -> Prepare:
    """Return a Prepare that also copies the output's dimensions, to be able to change them."""

    def prepare(node: Node, arena: Allocations) -> None:
        arena.temp(*map(node.input, range(inputs)), node.output())
        arena.persistent(arena.int_array(len(node.need_output().shape)))

    return prepare
