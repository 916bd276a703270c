# SPDX-License-Identifier: Apache-2.0
"""The geometry of a convolution, from which the kernel libraries derive their scratch."""

from __future__ import annotations

from dataclasses import dataclass

from tinykit.tflm.kernels.kernel import MalformedOperatorError, Node


@dataclass(frozen=True, slots=True)
class Window:
    """A convolution's geometry.

    Attributes:
        input: `[N, H, W, C]`.
        filter: `[C_out, H, W, C_in]`, where C_in is smaller than the input's for a grouped
            convolution; `[1, H, W, C_out]` for a depthwise one.
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


def _padding_before(stride: int, dilation: int, size: int, taps: int, out: int) -> int:
    """Return the padding before the first element, as TFLM's ComputePaddingHeightWidth does."""
    extent = (taps - 1) * dilation + 1
    return max(0, (out - 1) * stride + extent - size) // 2


def window(node: Node) -> Window:
    """Return the geometry of a CONV_2D or DEPTHWISE_CONV_2D.

    Raises:
        MalformedOperatorError: shapes or options are not those of a convolution.
    """
    image = node.dims(node.need_input(0), 4)
    taps = node.dims(node.need_input(1), 4)
    output = node.dims(node.need_output(), 4)
    if taps[3] == 0:
        raise MalformedOperatorError("has an empty filter")
    stride = node.positive("stride_h"), node.positive("stride_w")
    dilation = node.positive("dilation_h_factor"), node.positive("dilation_w_factor")
    top, left = (
        _padding_before(stride[k], dilation[k], image[k + 1], taps[k + 1], output[k + 1])
        for k in (0, 1)
    )
    return Window(image, taps, output, stride, dilation, (top, left))
