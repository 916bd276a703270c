# SPDX-License-Identifier: Apache-2.0
"""Scratch bytes that CMSIS-NN's functions ask for, per instruction set extension.

Shapes are `[N, H, W, C]`; a filter is `[C_out, H, W, C_in]`. The figures are those of GCC and
Clang builds; Arm's own compiler differs for 1x1 convolutions.

Source: CMSIS-NN V.19.1.0 (4ab83cc3), the `*_get_buffer_size` functions.
"""

from __future__ import annotations

from math import fmod
from typing import Literal

from tinykit.tflm.kernels.window import Window
from tinykit.tflm.layout import align_up

Isa = Literal["none", "dsp", "mve"]

_MVE_COLUMNS = 4
_MVE_DEPTHWISE_CHANNELS = 124  # CH_IN_BLOCK_MVE in arm_nnsupportfunctions.h
_REVERSED_CONV_CHANNELS = 16  # REVERSE_TCOL_EFFICIENT_THRESHOLD in arm_nnsupportfunctions.h


def convolve_s8(isa: Isa, w: Window) -> int:
    """Return the scratch bytes of `arm_convolve_wrapper_s8`."""
    if _is_1x1(w):
        return 0
    if isa == "mve" and _is_1xn(w):
        return _convolve_1xn_mve(w)
    return _im2col_s8(isa, w)


def _im2col_s8(isa: Isa, w: Window) -> int:
    columns = w.filter[1] * w.filter[2] * w.input[3]
    if isa == "mve":
        return _MVE_COLUMNS * align_up(columns, 16)
    return 2 * 2 * align_up(columns, 4)  # two columns of int16


def convolve_s16(isa: Isa, w: Window) -> int:
    """Return the scratch bytes of `arm_convolve_wrapper_s16`."""
    columns = w.filter[1] * w.filter[2] * w.input[3]
    return 2 * (_MVE_COLUMNS * align_up(columns, 8) if isa == "mve" else 2 * columns)


def _is_1x1(w: Window) -> bool:
    pointwise = w.filter[1] == w.filter[2] == 1 and w.padding == (0, 0)
    return pointwise and w.dilation == (1, 1) and w.filter[3] == w.input[3]


def _is_1xn(w: Window) -> bool:
    one_row = w.input[1] == 1 and w.filter[1] == 1 and w.dilation[1] == 1
    return one_row and w.stride[1] * w.input[3] % 4 == 0 and w.filter[3] == w.input[3]


def _convolve_1xn_mve(w: Window) -> int:
    """Return the scratch of the 1xN case, which splits the row into borders and a middle."""
    channels, padding, stride = w.input[3], w.padding[1], w.stride[1]
    total = (w.output[2] - 1) * stride + w.filter[2] - w.input[2]
    asymmetric = int(fmod(total, 2))
    right_padding = padding + asymmetric
    right = max(1, (right_padding + stride - 1) // stride) if right_padding else 0
    left = max(1, (padding + stride - 1) // stride) if padding else 0
    middle = max(w.output[2] - (right + left), 0)
    if right + middle + left != w.output[2]:
        return _im2col_s8("mve", w)
    left_bytes = padding * channels
    right_bytes = right * channels if asymmetric else left_bytes
    row = w.filter[2] * channels
    return max(row + left_bytes, row - channels + right_bytes)


def depthwise_s8(isa: Isa, w: Window) -> int:
    """Return the scratch bytes of `arm_depthwise_conv_wrapper_s8`."""
    channels_in, channels_out = w.input[3], w.output[3]
    taps = w.filter[1] * w.filter[2]
    if isa == "mve" and channels_in == 1 and channels_out > 1:
        # Runs as an ordinary convolution on a transposed copy of the filter.
        as_conv = Window(
            w.input, (w.filter[3], *w.filter[1:3], 1), w.output, w.stride, w.dilation, w.padding
        )
        return convolve_s8(isa, as_conv) + w.filter[3] * taps
    if channels_in != channels_out or w.input[0] != 1 or w.dilation != (1, 1):
        return 0
    if isa == "mve":
        return 4 * _MVE_DEPTHWISE_CHANNELS * taps
    if w.filter[1] == w.filter[2] == 3 and max(w.padding) <= 1:
        return 0
    return 2 * channels_in * taps if isa == "dsp" else 0


def depthwise_s4(isa: Isa, w: Window) -> int:
    """Return the scratch bytes of `arm_depthwise_conv_wrapper_s4`."""
    if w.input[3] != w.output[3] or w.input[0] != 1 or w.dilation != (1, 1):
        return 0
    taps = w.filter[1] * w.filter[2]
    return 4 * _MVE_DEPTHWISE_CHANNELS * taps if isa == "mve" else 2 * w.input[3] * taps


def transpose_conv_s8(isa: Isa, w: Window) -> tuple[int, int]:
    """Return the bytes of the two scratch buffers of `arm_transpose_conv_wrapper_s8`."""
    if max(w.stride) <= 2 and w.input[3] > _REVERSED_CONV_CHANNELS:
        # Runs as an ordinary convolution with the filter reversed in the second buffer.
        return _im2col_s8(isa, w), w.filter[0] * w.filter[1] * w.filter[2] * w.input[3]
    width = (w.input[2] - 1) * w.stride[1] + max(w.filter[2], w.stride[0])
    return 4 * width * w.output[3] * max(w.filter[1], w.stride[0]), 0


def average_pool(isa: Isa, channels: int) -> int:
    """Return the scratch bytes of `arm_avgpool_s8` and `arm_avgpool_s16`."""
    return 4 * channels if isa == "dsp" else 0
