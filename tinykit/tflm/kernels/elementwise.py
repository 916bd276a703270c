# SPDX-License-Identifier: Apache-2.0
"""Reference kernels that work element by element, and the reductions.

Source: tensorflow/lite/micro/kernels/ (each `*_common.cc` with its `*.cc`) for Init and Prepare,
tensorflow/compiler/mlir/lite/core/c/builtin_op_data.h for the parameter structures,
tensorflow/lite/kernels/internal/types.h for structures inside the operator data, all at the commit
of `tinykit.tflm.COMMIT`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels.kernel import QUANTIZED, Allocations, Kernel, Node, borrow

SOFTMAX_PARAMS = "d 4i 2i f 3p 2p"
ARITHMETIC_PARAMS = "b 5i i 4i 2i 2f 2q 2h 5i"
_COMPARISON_PARAMS = "7i b"
_OP_DATA_REDUCE = "i i 3i i f i f 2i"
_LOOKUP_TABLE_INT16 = 2 * 513


def _add_n(node: Node, arena: Allocations) -> None:
    inputs, output = node.inputs(), node.need_output()
    arena.temp(node.need_input(0), output, *inputs[1:])
    if output.type == "INT8":
        arena.persistent(arena.struct("10i"))
    if output.type in {"INT8", "FLOAT32"}:
        arena.scratch(arena.pointers(len(inputs)))


def _tanh(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0), node.input(0), node.output())


def softmax(node: Node, arena: Allocations) -> None:
    """Ask for what every SOFTMAX does."""
    arena.temp(node.need_input(0), node.output())
    if node.need_input(0).type == "INT16":
        arena.persistent(_LOOKUP_TABLE_INT16)
        arena.persistent(_LOOKUP_TABLE_INT16)


def _log_softmax(node: Node, arena: Allocations) -> None:
    arena.temp(node.need_input(0), node.output())
    if node.need_input(0).type == "INT8":
        arena.persistent(arena.struct("5i 2p"))


def _cumsum(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0), node.input(1), node.need_output())
    if node.need_output().type == "INT8":
        arena.persistent(arena.struct("9i"))


def _reduce(node: Node, arena: Allocations) -> None:
    tensor, axis, output = node.need_input(0), node.need_input(1), node.need_output()
    arena.temp(tensor, output, axis)
    arena.temp(tensor, axis, output if tensor.type == "INT8" else None)
    arena.scratch(4 * len(tensor.shape))
    arena.scratch(4 * axis.elements)


def _mean_or_sum(node: Node, arena: Allocations) -> None:
    if node.need_input(0).type in QUANTIZED:
        arena.scratch(4 * node.need_output().elements)
    _reduce(node, arena)


KERNELS: Mapping[str, Kernel] = {
    "ABS": Kernel("", "i 3i b i e", borrow(1)),
    "ADD": Kernel("e b", "b 2i 2i 3i 2i 3i 2f", borrow(2)),
    "ADD_N": Kernel("", "", _add_n),
    "ARG_MAX": Kernel("e"),
    "ARG_MIN": Kernel("e"),
    "CAST": Kernel("2e", "", borrow(1)),
    "CEIL": Kernel("", "", borrow(1)),
    "COS": Kernel("", "", borrow(1)),
    "CUMSUM": Kernel("2b", "", _cumsum),
    "DEQUANTIZE": Kernel("", "(d i) 2i i", borrow(1)),
    "DIV": Kernel("e", "7i", borrow(2)),
    "ELU": Kernel("", "256b", borrow(1)),
    "EQUAL": Kernel("", _COMPARISON_PARAMS, borrow(2, 0)),
    "EXP": Kernel("", "", borrow(1)),
    "FLOOR": Kernel(),
    "FLOOR_DIV": Kernel("", "", borrow(2)),
    "FLOOR_MOD": Kernel("", "", borrow(2)),
    "GREATER": Kernel("", _COMPARISON_PARAMS, borrow(2, 0)),
    "GREATER_EQUAL": Kernel("", _COMPARISON_PARAMS, borrow(2, 0)),
    "HARD_SWISH": Kernel("", "3h i h i", borrow(1)),
    "L2_NORMALIZATION": Kernel("e", "i", borrow(1)),
    "LEAKY_RELU": Kernel("f", "6i", borrow(1)),
    "LESS": Kernel("", _COMPARISON_PARAMS, borrow(2, 0)),
    "LESS_EQUAL": Kernel("", _COMPARISON_PARAMS, borrow(2, 0)),
    "LOG": Kernel("", "", borrow(1)),
    "LOGICAL_AND": Kernel(),
    "LOGICAL_NOT": Kernel("", "", borrow(1)),
    "LOGICAL_OR": Kernel(),
    "LOGISTIC": Kernel("", "4i", borrow(1)),
    "LOG_SOFTMAX": Kernel("", "", _log_softmax),
    "MAXIMUM": Kernel(),
    "MEAN": Kernel("b", _OP_DATA_REDUCE, _mean_or_sum),
    "MINIMUM": Kernel(),
    "MUL": Kernel("e", "7i 2f", borrow(2)),
    "NEG": Kernel(),
    "NOT_EQUAL": Kernel("", _COMPARISON_PARAMS, borrow(2, 0)),
    "PRELU": Kernel("", "7i", borrow(2)),
    "QUANTIZE": Kernel("", "(i d) 2i i", borrow(1)),
    "REDUCE_ALL": Kernel("b", _OP_DATA_REDUCE, _reduce),
    "REDUCE_MAX": Kernel("b", _OP_DATA_REDUCE, _reduce),
    "REDUCE_MIN": Kernel("b", _OP_DATA_REDUCE, _reduce),
    "RELU": Kernel("", "((b 2i) 4i)", borrow(1)),
    "RELU6": Kernel("", "2i", borrow(1, 0)),
    "ROUND": Kernel("", "", borrow(1)),
    "RSQRT": Kernel("", "i 3i b i e", borrow(1)),
    "SELECT_V2": Kernel("", "b", borrow(3)),
    "SIN": Kernel("", "", borrow(1)),
    "SOFTMAX": Kernel("f", SOFTMAX_PARAMS, softmax),
    "SQRT": Kernel("", "", borrow(1)),
    "SQUARE": Kernel("", "", borrow(1)),
    "SQUARED_DIFFERENCE": Kernel("", f"b ({ARITHMETIC_PARAMS})", borrow(2)),
    "SUB": Kernel("e b", "b 2i 2i 3i 2i 3i", borrow(2)),
    "SUM": Kernel("b", _OP_DATA_REDUCE, _mean_or_sum),
    "TANH": Kernel("", "4i", _tanh),
    "ZEROS_LIKE": Kernel("", "", borrow(1)),
}
