# SPDX-License-Identifier: Apache-2.0
"""Reference kernels that multiply and accumulate, and the pools, which share their geometry.

A convolution's filter is `[C_out, H, W, C_in]`, a depthwise one `[1, H, W, C_out]`.

Source: as for `tinykit.tflm.kernels.elementwise`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.model.graph import BITS, Tensor
from tinykit.tflm.kernels.kernel import (
    QUANTIZED,
    Allocations,
    Kernel,
    MalformedOperatorError,
    Node,
    borrow,
    quantized_channels,
)

# Structures shared with other kernel libraries, as C field lists (see tinykit.tflm.layout).
PADDING_VALUES = "(4i)"
CONV_PARAMS = "b (4h) 4h 5i 2i 2f"
OP_DATA_CONV = f"{PADDING_VALUES} 3i 2i 2p 2i i"
OP_DATA_FULLY_CONNECTED = "4i i 3i i 2p b"
OP_DATA_POOLING = f"{PADDING_VALUES} 2i 2f"
OP_DATA_BATCH_MATMUL = "3p 3b"
_BATCH_MATMUL_QUANTIZATION = "7i"
_POOL_PARAMS = f"e 4i e {PADDING_VALUES}"


def per_channel_multipliers(arena: Allocations, channels: int) -> None:
    """Ask for a multiplier and a shift for each output channel."""
    arena.persistent(4 * channels)
    arena.persistent(4 * channels)


def _unpacked_filter(node: Node, arena: Allocations) -> None:
    """Ask for the scratch that holds 4-bit weights unpacked to one byte each."""
    weights = node.need_input(1)
    if weights.type == "INT4":
        arena.scratch(weights.elements)


def _convolution(node: Node, arena: Allocations, channels: int) -> None:
    arena.temp(node.output(), node.input(0), node.input(1))
    per_channel_multipliers(arena, channels)  # even for float and per-tensor
    _unpacked_filter(node, arena)
    arena.temp(*map(node.input, range(3)), node.output())


def conv(node: Node, arena: Allocations) -> None:
    """Ask for what the reference CONV_2D does."""
    _convolution(node, arena, node.dims(node.need_input(1), 4)[0])


def depthwise_conv(node: Node, arena: Allocations) -> None:
    """Ask for what the reference DEPTHWISE_CONV_2D does."""
    _convolution(node, arena, node.dims(node.need_input(1), 4)[3])


def _fully_connected(node: Node, arena: Allocations) -> None:
    arena.temp(*map(node.input, range(3)), node.output())
    _unpacked_filter(node, arena)
    fully_connected_multipliers(node, arena)


def fully_connected_multipliers(node: Node, arena: Allocations) -> None:
    """Ask for multipliers and shifts, which FULLY_CONNECTED keeps only when per-channel."""
    channels = quantized_channels(node.need_input(1))
    if channels > 1 and node.need_input(0).type != "FLOAT32":
        per_channel_multipliers(arena, channels)


def transpose_conv(node: Node, arena: Allocations) -> None:
    """Ask for what every TRANSPOSE_CONV does, but for the scratch of its accumulators."""
    weights, image = node.need_input(1), node.need_input(2)
    bias, output = node.input(3), node.output()
    arena.temp(output, image, weights)
    per_channel_multipliers(arena, node.dims(weights, 4)[0])
    if image.type != "FLOAT32":
        arena.temp(image, weights, bias, output)
    if image.type == "INT16" and bias is not None and bias.type == "INT16":
        arena.scratch(8 * bias.elements)


def _transpose_conv(node: Node, arena: Allocations) -> None:
    transpose_conv(node, arena)
    if (kind := node.need_input(2).type) in QUANTIZED:
        arena.scratch((4 if kind == "INT8" else 8) * node.need_output().elements)


def _transposed(node: Node, tensor: Tensor, arena: Allocations) -> None:
    if len(tensor.shape) < 2:
        raise MalformedOperatorError(f"transposes tensor {tensor.index} of rank < 2")
    arena.persistent(arena.struct("p p e"))  # TfLiteEvalTensor
    arena.persistent(arena.int_array(len(tensor.shape)))
    arena.persistent(tensor.elements * BITS.get(tensor.type, 0) // 8)


def batch_matmul(node: Node, arena: Allocations) -> None:
    """Ask for what every BATCH_MATMUL does: copies of what it must transpose."""
    left, right, output = node.need_input(0), node.need_input(1), node.need_output()
    arena.temp(left, right, output)
    if left.type in QUANTIZED:
        arena.persistent(arena.struct(_BATCH_MATMUL_QUANTIZATION))
    if node.option("adj_x", 0):
        _transposed(node, left, arena)
    if not node.option("adj_y", 0):
        _transposed(node, right, arena)
    arena.persistent(arena.int_array(len(output.shape)))


def _l2_pool(node: Node, arena: Allocations) -> None:
    arena.temp(node.need_output(), node.input(0))
    arena.persistent(arena.int_array(len(node.need_output().shape)))


KERNELS: Mapping[str, Kernel] = {
    "AVERAGE_POOL_2D": Kernel(_POOL_PARAMS, OP_DATA_POOLING, borrow(1)),
    "BATCH_MATMUL": Kernel("3b", OP_DATA_BATCH_MATMUL, batch_matmul),
    "CONV_2D": Kernel("e 2i e 2i e", OP_DATA_CONV, conv),
    "DEPTHWISE_CONV_2D": Kernel("e 3i e 2i", OP_DATA_CONV, depthwise_conv),
    "FULLY_CONNECTED": Kernel("2e 2b e", OP_DATA_FULLY_CONNECTED, _fully_connected),
    "L2_POOL_2D": Kernel(_POOL_PARAMS, "", _l2_pool),
    "MAX_POOL_2D": Kernel(_POOL_PARAMS, OP_DATA_POOLING, borrow(1)),
    "TRANSPOSE_CONV": Kernel("e 2i e e", f"({CONV_PARAMS}) 2i 2p", _transpose_conv),
}
