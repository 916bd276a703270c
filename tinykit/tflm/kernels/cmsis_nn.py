# SPDX-License-Identifier: Apache-2.0
"""The kernels that TFLM replaces by CMSIS-NN ones; every other operator runs its reference kernel.

Source: tensorflow/lite/micro/kernels/cmsis_nn/ at the commit of `tinykit.tflm.COMMIT`, with
KERNELS_OPTIMIZED_FOR_SPEED.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tinykit.tflm.kernels import cmsis_nn_buffers as buffers
from tinykit.tflm.kernels import reference
from tinykit.tflm.kernels.cmsis_nn_buffers import Isa, Window
from tinykit.tflm.kernels.kernel import QUANTIZED, Allocations, Kernel, Node


def _padding_before(stride: int, dilation: int, size: int, taps: int, out: int) -> int:
    """Return the padding before the first element, as TFLM's ComputePaddingHeightWidth does."""
    extent = (taps - 1) * dilation + 1
    return max(0, (out - 1) * stride + extent - size) // 2


def _window(node: Node) -> Window:
    image = node.dims(node.need_input(0), 4)
    taps = node.dims(node.need_input(1), 4)
    output = node.dims(node.need_output(), 4)
    stride = node.option("stride_h", 1), node.option("stride_w", 1)
    dilation = node.option("dilation_h_factor", 1), node.option("dilation_w_factor", 1)
    top, left = (
        _padding_before(stride[k], dilation[k], image[k + 1], taps[k + 1], output[k + 1])
        for k in (0, 1)
    )
    return Window(image, taps, output, stride, dilation, (top, left))


def _convolution(
    node: Node, arena: Allocations, channels: int, scratch: Callable[[Window], int]
) -> None:
    image, weights = node.need_input(0), node.need_input(1)
    arena.temp(image, weights, node.output())
    if image.type in QUANTIZED:
        arena.persistent(4 * channels)
        arena.persistent(4 * channels)
    arena.temp(image, weights, node.input(2), node.output())
    if weights.type == "INT4" or image.type == "INT16":
        arena.unsure(f"{weights.type} weights on {image.type} activations")
    if image.type == "INT8" and (size := scratch(_window(node))) > 0:
        arena.scratch(size)


def _conv(isa: Isa) -> Kernel:
    def prepare(node: Node, arena: Allocations) -> None:
        channels = node.dims(node.need_input(1), 4)[0]
        _convolution(node, arena, channels, lambda w: buffers.convolve_s8(isa, w))

    return Kernel(reference.KERNELS["CONV_2D"].params, f"({reference.OP_DATA_CONV}) i", prepare)


def _depthwise_conv(isa: Isa) -> Kernel:
    def prepare(node: Node, arena: Allocations) -> None:
        channels = node.dims(node.need_input(1), 4)[3]
        _convolution(node, arena, channels, lambda w: buffers.depthwise_s8(isa, w))

    return Kernel(
        reference.KERNELS["DEPTHWISE_CONV_2D"].params, f"({reference.OP_DATA_CONV}) i", prepare
    )


def _fully_connected(isa: Isa) -> Kernel:
    def prepare(node: Node, arena: Allocations) -> None:
        weights, bias, output = node.need_input(1), node.input(2), node.need_output()
        arena.temp(node.input(0), weights, bias, output)
        reference.fully_connected_multipliers(node, arena)
        if node.need_input(0).type == "INT16" or weights.type == "INT4":
            arena.unsure(f"{weights.type} weights on {node.need_input(0).type} activations")
        if node.need_input(0).type != "INT8" or weights.type == "INT4" or not output.shape:
            return
        depth, channels = weights.shape[-1], output.shape[-1]
        if len(output.shape) > 2 and depth % 4 == 0:
            if weights.quantization is None or not weights.quantization.per_channel:
                arena.scratch(8 * channels)  # a per-channel copy of the one multiplier and shift
        elif isa == "mve":
            constant = weights.is_constant and (bias is None or bias.is_constant)
            (arena.persistent if constant else arena.scratch)(4 * channels)  # sums of the weights

    return Kernel(
        reference.KERNELS["FULLY_CONNECTED"].params,
        f"({reference.OP_DATA_FULLY_CONNECTED}) 2i p 3i",
        prepare,
    )


def _average_pool(isa: Isa) -> Kernel:
    def prepare(node: Node, arena: Allocations) -> None:
        image = node.need_input(0)
        arena.temp(image, node.output(), image, node.output())
        if image.type in QUANTIZED:
            size = buffers.average_pool(isa, node.dims(image, 4)[3])
            if size > 0:
                arena.scratch(size)

    return Kernel(
        reference.KERNELS["AVERAGE_POOL_2D"].params, f"({reference.OP_DATA_POOLING}) i", prepare
    )


def _svdf(isa: Isa) -> Kernel:
    def prepare(node: Node, arena: Allocations) -> None:
        batch, filters, units = reference.svdf_filters(node)
        arena.temp(*(node.input(k) for k in range(5)), node.output())
        arena.scratch(4 * batch * filters)
        if node.need_input(0).type == "INT8":
            arena.scratch(4 * batch * units)
            if isa == "mve":
                arena.persistent(4 * filters)  # sums of the feature weights

    return replace(reference.KERNELS["SVDF"], prepare=prepare)


def _lstm() -> Kernel:
    def prepare(node: Node, arena: Allocations) -> None:
        batch, hidden = reference.lstm_cell(node)
        kind = node.need_input(0).type
        arena.temp(*node.inputs(), node.output())
        if kind in QUANTIZED:
            for _ in range(8):  # effective biases: input and recurrent, four gates
                arena.persistent((4 if kind == "INT8" else 8) * hidden)
        for _ in range(3 if kind in QUANTIZED else 4):
            arena.scratch(batch * hidden * (2 if kind in QUANTIZED else 4))

    return replace(
        reference.KERNELS["UNIDIRECTIONAL_SEQUENCE_LSTM"],
        op_data=f"({reference.OP_DATA_LSTM}) {_CMSIS_NN_LSTM_PARAMS}",
        prepare=prepare,
    )


# cmsis_nn_lstm_params: time_major, sizes, offset; four gates; shifts, clip, and pointers.
_CMSIS_NN_LSTM_PARAMS = "56i"


def kernels(isa: Isa) -> Mapping[str, Kernel]:
    """Return the kernel of each operator that CMSIS-NN replaces on a core with `isa`."""
    return {
        "AVERAGE_POOL_2D": _average_pool(isa),
        "CONV_2D": _conv(isa),
        "DEPTHWISE_CONV_2D": _depthwise_conv(isa),
        "FULLY_CONNECTED": _fully_connected(isa),
        "MAX_POOL_2D": replace(
            reference.KERNELS["MAX_POOL_2D"], op_data=f"({reference.OP_DATA_POOLING}) i"
        ),
        "SOFTMAX": replace(
            reference.KERNELS["SOFTMAX"], op_data=f"({reference.SOFTMAX_PARAMS}) 2i"
        ),
        "SVDF": _svdf(isa),
        "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm(),
    }
