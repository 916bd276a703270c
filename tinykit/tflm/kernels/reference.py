# SPDX-License-Identifier: Apache-2.0
"""The reference kernels: parameter structures, operator data and what Prepare asks for.

Source: tensorflow/lite/micro/kernels/ (each `*_common.cc` with its `*.cc`) for Init and Prepare,
tensorflow/compiler/mlir/lite/core/c/builtin_op_data.h for the parameter structures, both at the
commit of `tinykit.tflm.COMMIT`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels.kernel import QUANTIZED, Allocations, Kernel, Node

# Structures shared with other kernel libraries, as C field lists (see tinykit.tflm.layout).
PADDING_VALUES = "(4i)"
OP_DATA_CONV = f"{PADDING_VALUES} 3i 2i 2p 2i i"
OP_DATA_FULLY_CONNECTED = "4i i 3i i 2p b"
OP_DATA_POOLING = f"{PADDING_VALUES} 2i 2f"
SOFTMAX_PARAMS = "d 4i 2i f 3p 2p"
FULLY_CONNECTED_PARAMS = "5i 2i 2f 2b b"
ARITHMETIC_PARAMS = "b 5i i 4i 2i 2f 2q 2h 5i"
CONV_PARAMS = "b (4h) 4h 5i 2i 2f"
OP_DATA_LSTM = (
    "(b 4i) (f h i) e "
    f"4({FULLY_CONNECTED_PARAMS} {FULLY_CONNECTED_PARAMS}) 3({ARITHMETIC_PARAMS}) 4i"
)


def _all_tensors(node: Node, arena: Allocations) -> None:
    arena.temp(*node.inputs(), node.output())


def _input_output(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0), node.output())


def _input(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0))


def _two_inputs_output(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0), node.input(1), node.output())


def _unpacked_filter(node: Node, arena: Allocations) -> None:
    """Ask for the scratch that holds 4-bit weights unpacked to one byte each."""
    weights = node.need_input(1)
    if weights.type == "INT4":
        arena.scratch(weights.elements)


def _convolution(node: Node, arena: Allocations, channels: int) -> None:
    arena.temp(node.output(), node.input(0), node.input(1))
    # Multipliers and shifts, one each per output channel, even for float and per-tensor.
    arena.persistent(4 * channels)
    arena.persistent(4 * channels)
    calculate = (node.input(0), node.input(1), node.input(2), node.output())
    if node.operator.name == "CONV_2D":
        arena.temp(*calculate)
        _unpacked_filter(node, arena)
    else:
        _unpacked_filter(node, arena)
        arena.temp(*calculate)


def _conv(node: Node, arena: Allocations) -> None:
    _convolution(node, arena, node.dims(node.need_input(1), 4)[0])


def _depthwise_conv(node: Node, arena: Allocations) -> None:
    _convolution(node, arena, node.dims(node.need_input(1), 4)[3])


def _fully_connected(node: Node, arena: Allocations) -> None:
    weights = node.need_input(1)
    arena.temp(node.input(0), weights, node.input(2), node.output())
    fully_connected_multipliers(node, arena)
    _unpacked_filter(node, arena)


def fully_connected_multipliers(node: Node, arena: Allocations) -> None:
    """Ask for multipliers and shifts, which FULLY_CONNECTED keeps only when per-channel."""
    weights = node.need_input(1)
    if weights.quantization is not None and weights.quantization.per_channel:
        arena.persistent(4 * weights.shape[0])
        arena.persistent(4 * weights.shape[0])


def _mean_or_sum(node: Node, arena: Allocations) -> None:
    tensor, axis, output = node.need_input(0), node.need_input(1), node.need_output()
    arena.temp(tensor, output, axis)
    if tensor.type in QUANTIZED:
        arena.scratch(4 * output.elements)
    arena.scratch(4 * len(tensor.shape))
    arena.scratch(4 * axis.elements)
    arena.temp(tensor, axis, output if tensor.type == "INT8" else None)


def _min_or_max(node: Node, arena: Allocations) -> None:
    tensor, axis, output = node.need_input(0), node.need_input(1), node.need_output()
    arena.temp(tensor, axis, output if tensor.type == "INT8" else None)
    arena.temp(tensor, output, axis)
    arena.scratch(4 * len(tensor.shape))
    arena.scratch(4 * axis.elements)


def svdf_filters(node: Node) -> tuple[int, int, int]:
    """Return batch, filters and units of an SVDF operator."""
    filters = node.need_input(1).shape[0] if node.need_input(1).shape else 0
    batch = node.need_input(0).shape[0] if node.need_input(0).shape else 0
    return batch, filters, filters // max(1, node.option("rank", 1))


def _svdf(node: Node, arena: Allocations) -> None:
    batch, filters, units = svdf_filters(node)
    arena.temp(*(node.input(k) for k in range(5)), node.output())
    arena.scratch(4 * batch * filters)
    if node.need_input(0).type == "INT8":
        arena.scratch(4 * batch * units)


def lstm_cell(node: Node) -> tuple[int, int]:
    """Return batch and hidden size of a UNIDIRECTIONAL_SEQUENCE_LSTM operator."""
    shape = node.dims(node.need_input(0), 3)
    hidden = node.need_output().shape[-1]
    return shape[1 if node.option("time_major", 0) else 0], hidden


def _lstm(node: Node, arena: Allocations) -> None:
    batch, hidden = lstm_cell(node)
    arena.temp(*node.inputs(), node.output())
    for _ in range(4):
        arena.scratch(batch * hidden * (2 if node.need_input(0).type in QUANTIZED else 4))


def _pad(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0), node.input(1), node.input(2), node.output())


def _strided_slice(node: Node, arena: Allocations) -> None:
    arena.temp(*(node.input(k) for k in range(4)), node.output())


def _concatenation(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0), node.output(), *node.inputs())


def _assign_variable(node: Node, arena: Allocations) -> None:
    value = node.need_input(1)
    arena.temp(value)
    arena.resource(node.operator.inputs[0], value.stored_bytes)


KERNELS: Mapping[str, Kernel] = {
    "ADD": Kernel("e b", "b 2i 2i 3i 2i 3i 2f", _two_inputs_output),
    "ARG_MAX": Kernel("e"),
    "ARG_MIN": Kernel("e"),
    "ASSIGN_VARIABLE": Kernel("", "", _assign_variable),
    "AVERAGE_POOL_2D": Kernel(f"e 4i e {PADDING_VALUES}", OP_DATA_POOLING, _input_output),
    "CALL_ONCE": Kernel("i", "i b"),
    "CONCATENATION": Kernel("i e", "i 2p 2i f", _concatenation),
    "CONV_2D": Kernel("e 2i e 2i e", OP_DATA_CONV, _conv),
    "DEPTHWISE_CONV_2D": Kernel("e 3i e 2i", OP_DATA_CONV, _depthwise_conv),
    "DEQUANTIZE": Kernel("", "(d i) 2i i", _input_output),
    "FULLY_CONNECTED": Kernel("2e 2b e", OP_DATA_FULLY_CONNECTED, _fully_connected),
    "LEAKY_RELU": Kernel("f", "6i", _input_output),
    "LOGISTIC": Kernel("", "4i", _input_output),
    "MAX_POOL_2D": Kernel(f"e 4i e {PADDING_VALUES}", OP_DATA_POOLING, _input_output),
    "MEAN": Kernel("b", "i i 3i i f i f 2i", _mean_or_sum),
    "MUL": Kernel("e", "7i 2f", _two_inputs_output),
    "PAD": Kernel("", "(b 5i b 5i b) i", _pad),
    "PADV2": Kernel("", "(b 5i b 5i b) i", _pad),
    "QUANTIZE": Kernel("", "(i d) 2i i", _input_output),
    "READ_VARIABLE": Kernel("", "", _input),
    "REDUCE_MAX": Kernel("b", "i i 3i i f i f 2i", _min_or_max),
    "REDUCE_MIN": Kernel("b", "i i 3i i f i f 2i", _min_or_max),
    "RELU": Kernel("", "((b 2i) 4i)", _input_output),
    "RELU6": Kernel("", "2i", _input),
    "RESHAPE": Kernel("8i i", "", _input_output),
    "RESIZE_BILINEAR": Kernel("2b", "", _two_inputs_output),
    "RESIZE_NEAREST_NEIGHBOR": Kernel("2b", "", _two_inputs_output),
    "SOFTMAX": Kernel("f", SOFTMAX_PARAMS, _input_output),
    "STRIDED_SLICE": Kernel("5i b", "b 5i b 5i b 5i 5h b", _strided_slice),
    "SUB": Kernel("e b", "b 2i 2i 3i 2i 3i", _two_inputs_output),
    "SUM": Kernel("b", "i i 3i i f i f 2i", _mean_or_sum),
    "SVDF": Kernel("i e b", "9i", _svdf),
    "TANH": Kernel("", "4i", _input_output),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Kernel("e 2f 3b", OP_DATA_LSTM, _lstm),
    "VAR_HANDLE": Kernel("2p", "i"),
}
