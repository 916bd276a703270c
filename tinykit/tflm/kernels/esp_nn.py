# SPDX-License-Identifier: Apache-2.0
"""The kernels that Espressif's TFLM replaces by ESP-NN ones: an upper bound over its chips.

ESP-NN asks for different scratch on each chip (ESP32-S3 and ESP32-P4 in assembly, the others in
plain C) and in each release. The scratch here is the most that any chip asks for in the release
below; memory that does not depend on the chip is exact.

Source: espressif/esp-tflite-micro at 99f49e14, tensorflow/lite/micro/kernels/esp_nn/;
espressif/esp-nn at d45b843c, the `esp_nn_get_*_scratch_size` functions in src/.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels import contraction, reference
from tinykit.tflm.kernels.elementwise import SOFTMAX_PARAMS, softmax
from tinykit.tflm.kernels.kernel import Allocations, Kernel, MalformedOperatorError, Node
from tinykit.tflm.kernels.window import Window, window
from tinykit.tflm.layout import align_up

_DOUBT = "the scratch of ESP-NN differs by chip and release; this is an upper bound"
_VECTOR = 16  # int8 elements of a vector register
_PADDED_INPUT_BYTES = 40 * 1024  # from here on the ESP32-S3 works on strips of the input
_WIDENED_INPUT_BYTES = 48 * 1024  # likewise where it widens the input to 16 bits
_P4_CACHE_BYTES = 32 * 1024  # what the ESP32-P4 fits a tile of the input into


def conv(w: Window) -> int:
    """Return the most scratch bytes that `esp_nn_conv_s8` asks for on any chip."""
    return max(_conv_esp32s3(w), _conv_esp32p4(w))


def _is_pointwise(w: Window) -> bool:
    return (*w.filter[1:3], *w.padding, *w.stride) == (1, 1, 0, 0, 1, 1)


def _conv_esp32s3(w: Window) -> int:
    (_, height, width, channels), (_, out_h, out_w, out_channels) = w.input, w.output
    (_, taps_h, taps_w, _), (stride_h, stride_w) = w.filter, w.stride
    margin = 64
    if _is_pointwise(w):
        wide = align_up(channels, 8)
        copy = width * height * wide if channels % 8 else 0
        transposed = 2 * 8 * wide if width * height >= 8 else 0
        return copy + wide * out_channels + transposed + margin
    row, taps = taps_w * channels, taps_w * taps_h * channels
    if row < _VECTOR <= taps:
        aligned = align_up(taps, _VECTOR)
        return 4 * out_channels + 16 + out_channels * aligned + 16 + aligned + margin
    filters = taps_w * taps_h * align_up(channels, _VECTOR) * out_channels
    aligned_filters = align_up(row, _VECTOR) * taps_h * out_channels
    right = max(0, out_w * stride_w + taps_w - 1 - width)
    bottom = max(0, out_h * stride_h + taps_h - 1 - height)
    border = (width + right) * (height + bottom) * channels if right or bottom else 0
    padded = _padded(w, 2 * w.padding[0], 2 * w.padding[1]) if any(w.padding) else 0
    return padded + filters + aligned_filters + border + margin + 4 * out_channels


def _conv_esp32p4(w: Window) -> int:
    """Return the scratch in the two cases in which it can exceed that of the ESP32-S3, else 0."""
    (_, taps_h, taps_w, _), channels, out_channels = w.filter, w.input[3], w.output[3]
    sums = 4 * out_channels
    if _is_pointwise(w) and channels < _VECTOR:
        return sums + _VECTOR * out_channels + 32 + 32
    if taps_w * taps_h * channels >= _VECTOR:
        return 0
    filters = taps_w * taps_h * _VECTOR * out_channels
    if not any(w.padding):
        copy = w.input[1] * w.input[2] * _VECTOR
    else:
        copy = _padded(w, 2 * w.padding[0], 2 * w.padding[1])
        if copy + sums > _P4_CACHE_BYTES:
            copy = _tile_esp32p4(w, _P4_CACHE_BYTES - sums - filters)
    return sums + filters + copy + 32


def _tile_esp32p4(w: Window, room: int) -> int:
    """Return the bytes of the rows of input that are worked on at a time."""
    (taps_h, stride), pad_h = (w.filter[1], w.stride[0]), w.padding[0]
    row = (w.input[2] + 2 * w.padding[1]) * _VECTOR
    out_rows = 1
    if 0 < taps_h * row <= room:
        out_rows = min(w.output[1], (room - taps_h * row) // (stride * row) + 1)
    return ((out_rows - 1) * stride + taps_h + 2 * pad_h) * row


def _padded(w: Window, rows: int, columns: int) -> int:
    return (w.input[1] + rows) * (w.input[2] + columns) * w.input[3]


def depthwise_conv(w: Window, multiplier: int) -> int:
    """Return the scratch bytes of `esp_nn_depthwise_conv_s8` on an ESP32-S3; others use none."""
    (_, height, width, channels), (_, taps_h, taps_w, _) = w.input, w.filter
    filters = taps_w * taps_h * channels * multiplier
    widened = 2 * (filters + width * height * channels)
    if multiplier == 1 and channels % 8 == 0:
        if taps_w == taps_h == 3:
            return _depthwise_3x3(w, filters, widened)
        if widened <= _WIDENED_INPUT_BYTES:
            return widened + 32
        return 2 * filters + 2 * width * taps_h * channels + 32
    if multiplier == 1 and channels > 3:
        return _depthwise_padded_channels(w)
    return widened + 32 if multiplier % 4 == 0 else 32


def _depthwise_3x3(w: Window, filters: int, widened: int) -> int:
    (_, height, width, channels), (pad_h, pad_w) = w.input, w.padding
    right = w.output[2] * w.stride[1] + 2 - width
    bottom = w.output[1] * w.stride[0] + 2 - height
    if channels % 16 == 0:
        rows, columns = (2 * pad_h, 2 * pad_w) if pad_h or pad_w else (bottom, right)
        if not rows and not columns:
            return filters + 16
        padded = _padded(w, rows, columns)
        strip = (width + columns) * 3 * channels
        return filters + (padded if padded <= _PADDED_INPUT_BYTES else strip) + 16
    if channels < 12:
        return widened + 32
    wide = align_up(channels, 16)
    rows, columns = 2 * pad_h + max(0, bottom), 2 * pad_w + max(0, right)
    copy = (height + rows) * (width + columns) * wide
    return 9 * wide + copy + w.output[1] * w.output[2] * wide + 64


def _depthwise_padded_channels(w: Window) -> int:
    wide = align_up(w.input[3], 8)
    at = align_up(2 * w.filter[1] * w.filter[2] * wide, 16)
    at = align_up(at + 2 * w.input[1] * w.input[2] * wide, 16)
    at = align_up(at + w.output[1] * w.output[2] * wide, 16)
    return at + 3 * 4 * wide + 16


def _scratch(arena: Allocations, size: int) -> None:
    arena.unsure(_DOUBT)
    if size > 0:
        arena.scratch(size)


def _conv(node: Node, arena: Allocations) -> None:
    contraction.conv(node, arena)
    if node.need_input(0).type == "INT8":
        _scratch(arena, conv(window(node)))


def _depthwise_conv(node: Node, arena: Allocations) -> None:
    contraction.depthwise_conv(node, arena)
    if node.need_input(0).type == "INT8":
        _scratch(arena, depthwise_conv(window(node), node.option("depth_multiplier", 1)))


def _softmax(node: Node, arena: Allocations) -> None:
    softmax(node, arena)
    tensor = node.need_input(0)
    if tensor.type == node.need_output().type == "INT8":
        if len(tensor.shape) < 2 or tensor.is_dynamic:
            raise MalformedOperatorError("needs an input with two known dimensions")
        _scratch(arena, 4 * tensor.shape[1])


KERNELS: Mapping[str, Kernel] = {
    "CONV_2D": Kernel(
        reference.KERNELS["CONV_2D"].params, f"({contraction.OP_DATA_CONV}) i", _conv
    ),
    "DEPTHWISE_CONV_2D": Kernel(
        reference.KERNELS["DEPTHWISE_CONV_2D"].params,
        f"({contraction.OP_DATA_CONV}) i",
        _depthwise_conv,
    ),
    "SOFTMAX": Kernel(reference.KERNELS["SOFTMAX"].params, f"({SOFTMAX_PARAMS}) i", _softmax),
}
