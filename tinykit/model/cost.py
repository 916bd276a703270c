# SPDX-License-Identifier: Apache-2.0
"""What one inference computes and moves: MACs, bytes and operational intensity per operator.

MACs follow the convention of published tables: padded positions count, additions of a bias do
not, and soft-max, pooling and element-wise operators count none. One MAC is two operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from tinykit.model.operators import support

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tinykit.model.graph import Graph, Operator, Subgraph, Tensor

_PER_OUTPUT = frozenset({
    "ABS", "ADD", "ADD_N", "CAST", "CEIL", "COS", "CUMSUM", "DEQUANTIZE", "DIV", "ELU", "EQUAL",
    "EXP", "FLOOR", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL", "HARD_SWISH",
    "L2_NORMALIZATION", "LEAKY_RELU", "LESS", "LESS_EQUAL", "LOG", "LOG_SOFTMAX", "LOGICAL_AND",
    "LOGICAL_NOT", "LOGICAL_OR", "LOGISTIC", "MAXIMUM", "MINIMUM", "MUL", "NEG", "NOT_EQUAL",
    "PRELU", "QUANTIZE", "RELU", "RELU6", "RESIZE_BILINEAR", "ROUND", "RSQRT", "SELECT_V2", "SIN",
    "SOFTMAX", "SQRT", "SQUARE", "SQUARED_DIFFERENCE", "SUB", "TANH",
})  # fmt: skip
_PER_INPUT = frozenset(
    {"ARG_MAX", "ARG_MIN", "MEAN", "SUM", "REDUCE_ALL", "REDUCE_MAX", "REDUCE_MIN"}
)
_PER_WINDOW = frozenset({"AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"})
_UNCOUNTED = frozenset({"WHILE", "IF"})
"""Run other subgraphs an unknown number of times; those subgraphs' operators count once each."""


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """What one run of an operator computes and, at the least, moves.

    Attributes:
        macs: multiply-accumulates; None where the rule is unknown, never a guess.
        element_ops: element-wise results (one per window position for pooling); None likewise.
        weight_bytes: constants read, the bias left out, as stored (two INT4 share a byte).
        bias_bytes: constant bias read.
        input_bytes: activations and state read, each tensor once.
        output_bytes: activations and state written.
    """

    subgraph: int
    operator: int
    name: str
    macs: int | None
    element_ops: int | None
    weight_bytes: int
    bias_bytes: int
    input_bytes: int
    output_bytes: int

    @property
    def moved_bytes(self) -> int:
        """Compulsory traffic: each tensor read or written once, no cache, no re-reading."""
        return self.weight_bytes + self.bias_bytes + self.input_bytes + self.output_bytes

    @property
    def intensity(self) -> float | None:
        """Operational intensity, MACs per byte moved; None where MACs or bytes are unknown."""
        if self.macs is None or not self.moved_bytes:
            return None
        return self.macs / self.moved_bytes


@dataclass(frozen=True, slots=True)
class ModelCost:
    """The cost of every operator, subgraph by subgraph in execution order."""

    operators: tuple[OperatorCost, ...]

    @property
    def known_macs(self) -> int:
        """MACs of the operators whose rule is known, each operator of each subgraph once."""
        return sum(o.macs or 0 for o in self.operators)

    @property
    def unknown(self) -> tuple[OperatorCost, ...]:
        """The operators whose MACs are unknown."""
        return tuple(o for o in self.operators if o.macs is None)

    @property
    def macs(self) -> int | None:
        """MACs of one inference; None while any operator's are unknown."""
        return None if self.unknown else self.known_macs


def count_cost(graph: Graph) -> ModelCost:
    """Return the cost of every operator; a malformed one has `macs` None."""
    return ModelCost(tuple(_cost(s, o) for s in graph.subgraphs for o in s.operators))


def _cost(subgraph: Subgraph, operator: Operator) -> OperatorCost:
    row = support(operator)
    inputs, outputs = _pick(subgraph, operator.inputs), _pick(subgraph, operator.outputs)
    bias = inputs[row.bias] if row and row.bias is not None and row.bias < len(inputs) else None
    read = {t.index: t for t in inputs if t is not None}
    if bias is not None and bias.is_constant:
        del read[bias.index]
    else:
        bias = None
    written = {t.index: t for t in outputs if t is not None}
    written |= {i: t for i, t in read.items() if t.is_variable}
    macs, element_ops = _count(operator, inputs, outputs) if row else (None, None)
    return OperatorCost(
        subgraph=subgraph.index,
        operator=operator.index,
        name=operator.label,
        macs=macs,
        element_ops=element_ops,
        weight_bytes=sum(t.stored_bytes for t in read.values() if t.is_constant),
        bias_bytes=bias.stored_bytes if bias is not None else 0,
        input_bytes=sum(t.stored_bytes for t in read.values() if not t.is_constant),
        output_bytes=sum(t.stored_bytes for t in written.values()),
    )


def _pick(subgraph: Subgraph, indices: tuple[int, ...]) -> list[Tensor | None]:
    count = len(subgraph.tensors)
    return [subgraph.tensors[i] if 0 <= i < count else None for i in indices]


_Tensors = list["Tensor | None"]


def _count(
    operator: Operator, inputs: _Tensors, outputs: _Tensors
) -> tuple[int | None, int | None]:
    """Return (MACs, element operations), None for what has no rule or lacks its tensors."""
    name = operator.name
    if operator.name == "CUSTOM" or name in _UNCOUNTED:
        return None, None
    try:
        if name in _MACS:
            return _MACS[name](operator, inputs, outputs), 0
        if name in _PER_OUTPUT:
            return 0, _of(outputs, 0).elements
        if name in _PER_INPUT:
            return 0, _of(inputs, 0).elements
        if name in _PER_WINDOW:
            window = _option(operator, "filter_height") * _option(operator, "filter_width")
            return 0, _of(outputs, 0).elements * window
    except LookupError:
        return None, None
    return 0, 0


def _of(tensors: _Tensors, position: int) -> Tensor:
    """Return a tensor whose shape is known; anything else has no count."""
    tensor = tensors[position]
    if tensor is None or tensor.is_dynamic:
        raise LookupError(position)
    return tensor


def _option(operator: Operator, name: str) -> int:
    value = operator.options[name]
    if isinstance(value, int):
        return value
    raise LookupError(name)


def _convolution(_: Operator, inputs: _Tensors, outputs: _Tensors) -> int:
    """Filter `[C_out, H, W, C_in / groups]`: each output takes one filter's worth."""
    return _of(outputs, 0).elements * prod(_four(_of(inputs, 1))[1:])


def _depthwise(_: Operator, inputs: _Tensors, outputs: _Tensors) -> int:
    """Filter `[1, H, W, C_out]`: each output takes one channel's window."""
    return _of(outputs, 0).elements * prod(_four(_of(inputs, 1))[1:3])


def _transpose_convolution(_: Operator, inputs: _Tensors, __: _Tensors) -> int:
    """Filter `[C_out, H, W, C_in]`: each input is spread over one window of all outputs."""
    return _of(inputs, 2).elements * prod(_four(_of(inputs, 1))[:3])


def _fully_connected(_: Operator, inputs: _Tensors, outputs: _Tensors) -> int:
    """Filter `[units, depth]`: each output takes `depth`."""
    return _of(outputs, 0).elements * _of(inputs, 1).shape[-1]


def _batch_matmul(operator: Operator, inputs: _Tensors, outputs: _Tensors) -> int:
    """`[..., M, K] x [..., K, N]`: each output takes K; `adj_x` stores the left side `[K, M]`."""
    left = _of(inputs, 0).shape
    return _of(outputs, 0).elements * left[-2 if operator.options.get("adj_x") else -1]


def _svdf(_: Operator, inputs: _Tensors, __: _Tensors) -> int:
    """Filters `[filters, depth]` over the input and `[filters, memory]` over the state."""
    batch = _of(inputs, 0).shape[0]
    return batch * (_of(inputs, 1).elements + _of(inputs, 2).elements)


def _lstm(_: Operator, inputs: _Tensors, __: _Tensors) -> int:
    """Each of `[batch, time]` steps takes the input, recurrent and projection matrices once."""
    steps = prod(_of(inputs, 0).shape[:2])
    matrices = [*inputs[1:9], *inputs[16:17]]
    if len(inputs) < 9:
        raise LookupError("weights")
    return steps * sum(m.elements for m in matrices if m is not None)


def _four(tensor: Tensor) -> tuple[int, ...]:
    if len(tensor.shape) != 4:
        raise LookupError(tensor.index)
    return tensor.shape


_MACS: Mapping[str, Callable[[Operator, _Tensors, _Tensors], int]] = {
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _depthwise,
    "TRANSPOSE_CONV": _transpose_convolution,
    "FULLY_CONNECTED": _fully_connected,
    "BATCH_MATMUL": _batch_matmul,
    "SVDF": _svdf,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}
