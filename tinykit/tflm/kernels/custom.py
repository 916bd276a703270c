# SPDX-License-Identifier: Apache-2.0
"""Custom operators of TFLM outside the signal library, by their custom code.

Source: tensorflow/lite/micro/kernels/{circular_buffer,decode*,detection_postprocess}.cc and
ethos_u/ethosu.cc at the commit of `tinykit.tflm.COMMIT`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.model.graph import Tensor
from tinykit.tflm.kernels.kernel import (
    CUSTOM,
    Allocations,
    Kernel,
    MalformedOperatorError,
    Node,
    borrow,
    quantized_channels,
)

_DECODE_STATE = "3p"  # vtable, context, profiler
_DECODE_STATES = {
    0: f"{_DECODE_STATE} 5p 3b",  # look-up table
    1: f"{_DECODE_STATE} 3p 2b",  # Huffman
    2: f"{_DECODE_STATE} 6p 2b",  # pruning
}
_PRUNING = 2
_BOX_COORDINATES = 4


def _decode(node: Node, arena: Allocations) -> None:
    arena.persistent(arena.pointers(len(node.operator.outputs)))
    for k in range(len(node.operator.outputs)):
        ancillary, output = node.need_input(2 * k + 1), node.need_output(k)
        arena.temp(node.input(2 * k), ancillary, output)
        kind = ancillary.data[0] if ancillary.data else -1
        if kind not in _DECODE_STATES:
            raise MalformedOperatorError(f"names decoder {kind}, which TFLM does not have")
        arena.persistent(arena.struct(_DECODE_STATES[kind]))
        if kind == _PRUNING and (size := _zero_points(output)):
            arena.persistent(size)


def _zero_points(tensor: Tensor) -> int:
    channels = quantized_channels(tensor)
    quantization = tensor.quantization
    if channels > 1 and quantization is not None and any(quantization.zero_points):
        return channels
    return 0


def _detection_postprocess(node: Node, arena: Allocations) -> None:
    boxes, classes, anchors = map(node.need_input, range(3))
    arena.temp(boxes, classes, anchors)
    box_count = node.dims(boxes, 3)[1]
    scores = node.dims(classes, 3)
    most = node.custom_option("max_detections")
    class_count = node.custom_option("num_classes")
    arena.scratch(box_count)
    arena.scratch(4 * _BOX_COORDINATES * box_count)
    arena.scratch(4 * scores[1] * scores[2])
    for per_box in (1, 1, most, most, 1, most, max(class_count, most), min(box_count, most)):
        arena.scratch(4 * per_box * box_count)


def _ethos_u(node: Node, arena: Allocations) -> None:
    arena.unsure("read from the source, never held against the runtime")
    tensors = len(node.operator.inputs) + len(node.operator.outputs)
    arena.scratch(8 * tensors)
    arena.scratch(arena.pointers(tensors))
    arena.temp(node.input(0))


KERNELS: Mapping[str, Kernel] = {
    f"{CUSTOM}CIRCULAR_BUFFER": Kernel("", "2i", borrow(1)),
    f"{CUSTOM}TFLM_DECODE": Kernel("", "", _decode),
    f"{CUSTOM}TFLite_Detection_PostProcess": Kernel(
        "", "3i 2f i b 4f 11i 3(f i)", _detection_postprocess
    ),
    f"{CUSTOM}ethos-u": Kernel("", "3i", _ethos_u),
}
