# SPDX-License-Identifier: Apache-2.0
"""Geometries that one kernel library is known to get wrong.

Source: espressif/esp-nn issues 30, 31 and 34, ARM-software/CMSIS-NN pull request 243.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import first_and_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tinykit.model.checks.finding import AppliesTo
    from tinykit.model.checks.view import Node, View


def check(view: View) -> Iterator[Finding]:
    """Yield one warning per known fault, naming the first operator that meets it."""
    yield from _finding(
        "esp-nn-fully-connected",
        [n for n in view.named.get("FULLY_CONNECTED", []) if _per_channel(n)],
        "has per-channel weights, which esp-nn before 1.2.6 computes wrong on an ESP32-S3 where "
        "the input does not begin at a multiple of 16 B (first seen with 2 output channels)",
        "espressif/esp-nn#34",
        'dependencies: {espressif/esp-nn: ">=1.2.6"}  # and alignas(16) on the arena',
    )
    yield from _finding(
        "esp-nn-conv-same-padding",
        [n for n in view.named.get("CONV_2D", []) if _lopsided(n)],
        "has SAME padding with more at the end than at the start, whose last row and column esp-nn "
        "before 2026-08 can compute wrong on an ESP32-S3",
        "espressif/esp-nn#31",
        "x = keras.layers.ZeroPadding2D(((0, 1), (0, 1)))(x)  # then padding='valid'",
    )
    yield from _finding(
        "esp-nn-depthwise-scratch",
        [n for n in view.named.get("DEPTHWISE_CONV_2D", []) if _short_scratch(n)],
        "is a 3x3 depthwise convolution over a multiple of 16 channels with padding on one side "
        "only, for which esp-nn before 2026-09 asks too little scratch memory on an ESP32-S3",
        "espressif/esp-nn#30",
        "",
    )
    yield from _finding(
        "cmsis-nn-transpose-conv-scratch",
        [n for n in view.named.get("TRANSPOSE_CONV", []) if _wide_stride(n)],
        "has a wider stride than it is high and than its filter is wide, for which CMSIS-NN before "
        "2026-09 asks too little scratch memory",
        "ARM-software/CMSIS-NN#243",
        "",
        "cmsis-nn",
    )


def _finding(
    code: str,
    nodes: Sequence[Node],
    what: str,
    source: str,
    fix: str,
    applies_to: AppliesTo = "esp-nn",
) -> Iterator[Finding]:
    if not nodes:
        return
    yield Finding(
        code,
        "warning",
        nodes[0].subgraph.index,
        nodes[0].operator.index,
        None,
        f"{first_and_count(nodes)} {what}.",
        fix,
        source,
        applies_to,
    )


def _int8(node: Node) -> bool:
    data, weights = node.data, node.input(1)
    return data is not None and data.type == "INT8" and weights is not None


def _per_channel(node: Node) -> bool:
    weights = node.input(1)
    if not _int8(node) or weights is None or weights.quantization is None:
        return False
    return weights.quantization.per_channel


def _padding(node: Node) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return (start, end) padding of height and width for SAME, None where it is unknown."""
    data, weights = node.data, node.input(1)
    if node.operator.options.get("padding") != "SAME" or data is None or weights is None:
        return None
    if len(data.shape) != 4 or len(weights.shape) != 4 or not node.outputs:
        return None
    sides: list[tuple[int, int]] = []
    for dimension, axis in ((1, "h"), (2, "w")):
        stride = node.option(f"stride_{axis}")
        dilation = node.option(f"dilation_{axis}_factor") or 1
        extent = data.shape[dimension]
        if not stride or stride < 1 or extent < 1:
            return None
        reach = (weights.shape[dimension] - 1) * dilation + 1
        total = max((-(-extent // stride) - 1) * stride + reach - extent, 0)
        sides.append((total // 2, total - total // 2))
    return sides[0], sides[1]


def _lopsided(node: Node) -> bool:
    padding = _padding(node) if _int8(node) else None
    return padding is not None and any(start != end for start, end in padding)


def _short_scratch(node: Node) -> bool:
    weights = node.input(1)
    padding = _padding(node) if _int8(node) else None
    if padding is None or weights is None or weights.shape[1:3] != (3, 3):
        return False
    channels, multiplier = weights.shape[3], node.option("depth_multiplier")
    (top, _), (left, _) = padding
    return channels % 16 == 0 and multiplier == 1 and top != left


def _wide_stride(node: Node) -> bool:
    weights = node.input(1)
    height, width = node.option("stride_h"), node.option("stride_w")
    if not _int8(node) or weights is None or len(weights.shape) != 4 or not height or not width:
        return False
    return width > height and width > weights.shape[2]
