# SPDX-License-Identifier: Apache-2.0
"""Scratch bytes that CMSIS-NN's functions ask for, per instruction set extension.

Shapes are `[N, H, W, C]`; a filter is `[C_out, H, W, C_in]`. The figures are those of GCC and
Clang builds; Arm's own compiler differs for 1x1 convolutions.

Source: CMSIS-NN V.19.1.0 (4ab83cc3), the `*_get_buffer_size` functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fmod
from typing import Literal

Isa = Literal["none", "dsp", "mve"]

_MVE_COLUMNS = 4
_MVE_DEPTHWISE_CHANNELS = 124  # CH_IN_BLOCK_MVE in arm_nnsupportfunctions.h


@dataclass(frozen=True, slots=True)
class Window:
    """A convolution's geometry.

    Attributes:
        input: `[N, H, W, C]`.
        filter: `[C_out, H, W, C_in]`; for depthwise `[1, H, W, C_out]`.
        output: `[N, H, W, C]`.
        stride: (height, width), both >= 1.
        dilation: (height, width), both >= 1.
        padding: (top, left) as TFLM computes it.
    """

    input: tuple[int, ...]
    filter: tuple[int, ...]
    output: tuple[int, ...]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]


def convolve_s8(isa: Isa, w: Window) -> int:
    """Return the scratch bytes of `arm_convolve_wrapper_s8`."""
    if _is_1x1(w):
        return 0
    columns = w.filter[1] * w.filter[2] * w.input[3]
    if isa != "mve":
        return 2 * 2 * ((columns + 3) // 4 * 4)  # two im2col columns of int16
    if _is_1xn(w):
        return _convolve_1xn_mve(w)
    return _MVE_COLUMNS * ((columns + 15) // 16 * 16)


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
        columns = w.filter[1] * w.filter[2] * channels
        return _MVE_COLUMNS * ((columns + 15) // 16 * 16)
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


def average_pool(isa: Isa, channels: int) -> int:
    """Return the scratch bytes of `arm_avgpool_s8` and `arm_avgpool_s16`."""
    return 4 * channels if isa == "dsp" else 0
