# SPDX-License-Identifier: Apache-2.0
"""Reads the geometry of a convolution from a row of the sample tables."""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels.window import Window


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("x")))


def _pair(text: str) -> tuple[int, int]:
    first, second = _numbers(text)
    return first, second


def window(row: Mapping[str, str]) -> Window:
    """Return the window that the columns input, filter, output, stride, ... describe."""
    return Window(
        _numbers(row["input"]),
        _numbers(row["filter"]),
        _numbers(row["output"]),
        _pair(row["stride"]),
        _pair(row["dilation"]),
        _pair(row["padding"]),
    )
