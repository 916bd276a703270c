# SPDX-License-Identifier: Apache-2.0
"""The kernels that TFLM replaces by CMSIS-NN ones; every other operator runs its reference kernel.

ADD, MUL, PAD, PADV2, TRANSPOSE, MAXIMUM and MINIMUM are replaced too, but ask for the same memory.

Source: tensorflow/lite/micro/kernels/cmsis_nn/ at the commit of `tinykit.tflm.COMMIT`, with
KERNELS_OPTIMIZED_FOR_SPEED; arm_nn_types.h of CMSIS-NN V.19.1.0 (4ab83cc3) for its structures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tinykit.tflm.kernels import cmsis_nn_buffers as buffers
from tinykit.tflm.kernels import contraction, recurrent, reference
from tinykit.tflm.kernels.cmsis_nn_buffers import Isa
from tinykit.tflm.kernels.elementwise import SOFTMAX_PARAMS
from tinykit.tflm.kernels.kernel import (
    QUANTIZED,
    Allocations,
    Kernel,
    Node,
    Prepare,
    quantized_channels,
)
from tinykit.tflm.kernels.window import Window, window

# cmsis_nn_lstm_params: time_major, sizes, offsets, shifts and clip; four gates of multiplier,
# shift, weights and effective bias for input and hidden state, bias, activation.
_LSTM_PARAMS = "15i 4(2i 2p 2i 2p p e)"


def _convolution(
    node: Node, arena: Allocations, channels: int, scratch: Mapping[str, Callable[[Window], int]]
) -> None:
    image, weights = node.need_input(0), node.need_input(1)
    arena.temp(image, weights, node.output())
    if image.type in QUANTIZED:
        contraction.per_channel_multipliers(arena, channels)
    arena.temp(image, weights, node.input(2), node.output())
    if image.type in scratch and (size := scratch[image.type](window(node))) > 0:
        arena.scratch(size)


def _conv(isa: Isa) -> Prepare:
    scratch = {
        "INT8": lambda w: buffers.convolve_s8(isa, w),
        "INT16": lambda w: buffers.convolve_s16(isa, w),
    }

    def prepare(node: Node, arena: Allocations) -> None:
        _convolution(node, arena, node.dims(node.need_input(1), 4)[0], scratch)

    return prepare


def _depthwise_conv(isa: Isa) -> Prepare:
    def prepare(node: Node, arena: Allocations) -> None:
        image, weights = node.need_input(0), node.need_input(1)
        size = buffers.depthwise_s4 if weights.type == "INT4" else buffers.depthwise_s8
        _convolution(node, arena, node.dims(weights, 4)[3], {"INT8": lambda w: size(isa, w)})
        if isa == "mve" and image.type == "INT8" and _is_row(image.shape, weights.shape):
            # TFLM leaves the stride unset when it asks for the size; it matters in this case.
            arena.unsure("the scratch that CMSIS-NN asks for depends on an unset variable")

    return prepare


def _is_row(image: tuple[int, ...], weights: tuple[int, ...]) -> bool:
    """Return whether a depthwise convolution runs as a 1xN convolution of one channel."""
    return image[1] == image[3] == weights[1] == 1 and weights[3] > 1


def _fully_connected(isa: Isa) -> Prepare:
    def prepare(node: Node, arena: Allocations) -> None:
        image, weights, bias = node.need_input(0), node.need_input(1), node.input(2)
        output = node.need_output()
        arena.temp(image, weights, bias, output)
        contraction.fully_connected_multipliers(node, arena)
        depth, channels = node.last_dim(weights), node.last_dim(output)
        if image.type != "INT8" or weights.type == "INT4":
            return
        if len(output.shape) > 2 and depth % 4 == 0:
            if quantized_channels(weights) <= 1:
                arena.scratch(8 * channels)  # a per-channel copy of the one multiplier and shift
        elif isa == "mve":
            constant = weights.is_constant and (bias is None or bias.is_constant)
            (arena.persistent if constant else arena.scratch)(4 * channels)  # sums of the weights

    return prepare


def _batch_matmul(isa: Isa) -> Prepare:
    def prepare(node: Node, arena: Allocations) -> None:
        contraction.batch_matmul(node, arena)
        if isa == "mve" and node.need_input(0).type == "INT8":
            output = node.need_output()
            arena.scratch(4 * (node.last_dim(output) if 2 <= len(output.shape) <= 4 else 1))

    return prepare


def _transpose_conv(isa: Isa) -> Prepare:
    def prepare(node: Node, arena: Allocations) -> None:
        contraction.transpose_conv(node, arena)
        image, output = node.need_input(2), node.need_output()
        if image.type == "INT16":
            arena.scratch(8 * output.elements)
        if image.type != "INT8":
            return
        shapes = (node.dims(image, 4), node.dims(node.need_input(1), 4), node.dims(output, 4))
        stride = node.positive("stride_h"), node.positive("stride_w")
        for size in buffers.transpose_conv_s8(isa, Window(*shapes, stride, (1, 1), (0, 0))):
            arena.scratch(size)

    return prepare


def _average_pool(isa: Isa) -> Prepare:
    def prepare(node: Node, arena: Allocations) -> None:
        image, output = node.need_input(0), node.output()
        arena.temp(image, output, image, output)
        if image.type in QUANTIZED:
            size = buffers.average_pool(isa, node.dims(image, 4)[3])
            if size > 0:
                arena.scratch(size)

    return prepare


def _svdf(isa: Isa) -> Prepare:
    def prepare(node: Node, arena: Allocations) -> None:
        filters = recurrent.svdf(node, arena)
        if isa == "mve" and node.need_input(0).type == "INT8":
            arena.persistent(4 * filters)  # sums of the feature weights

    return prepare


def _lstm(node: Node, arena: Allocations) -> None:
    kind = node.need_input(0).type
    hidden = recurrent.lstm(node, arena, buffers=3 if kind in QUANTIZED else 4)
    if kind in QUANTIZED:
        for _ in range(8):  # effective biases: input and recurrent, four gates
            arena.persistent((4 if kind == "INT8" else 8) * hidden)


def _kernel(name: str, op_data: str, prepare: Prepare | None = None) -> tuple[str, Kernel]:
    original = reference.KERNELS[name]
    return name, replace(original, op_data=op_data, prepare=prepare or original.prepare)


def kernels(isa: Isa) -> Mapping[str, Kernel]:
    """Return the kernel of each operator that CMSIS-NN replaces on a core with `isa`."""
    conv, pool = contraction.OP_DATA_CONV, contraction.OP_DATA_POOLING
    lstm = recurrent.OP_DATA_LSTM
    full, matmul = contraction.OP_DATA_FULLY_CONNECTED, contraction.OP_DATA_BATCH_MATMUL
    return dict(
        (
            _kernel("AVERAGE_POOL_2D", f"({pool}) i", _average_pool(isa)),
            _kernel("BATCH_MATMUL", f"({matmul}) (4i) i", _batch_matmul(isa)),
            _kernel("CONV_2D", f"({conv}) i", _conv(isa)),
            _kernel("DEPTHWISE_CONV_2D", f"({conv}) i", _depthwise_conv(isa)),
            _kernel("FULLY_CONNECTED", f"({full}) 2i p 3i", _fully_connected(isa)),
            _kernel("MAX_POOL_2D", f"({pool}) i"),
            _kernel("SOFTMAX", f"({SOFTMAX_PARAMS}) 2i"),
            _kernel("SVDF", f"{recurrent.OP_DATA_SVDF} p", _svdf(isa)),
            _kernel("TRANSPOSE_CONV", f"({contraction.CONV_PARAMS}) 3i 2p", _transpose_conv(isa)),
            _kernel("UNIDIRECTIONAL_SEQUENCE_LSTM", f"({lstm}) ({_LSTM_PARAMS})", _lstm),
        )
    )
