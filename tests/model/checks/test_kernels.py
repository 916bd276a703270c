# SPDX-License-Identifier: Apache-2.0
"""Geometries of espressif/esp-nn#30, #31, #34 and ARM-software/CMSIS-NN#243."""

from __future__ import annotations

import pytest

from tests.model.graphs import int32, model, operator, subgraph, tensor
from tinykit.model.findings import find_problems
from tinykit.model.graph import Operator, OptionValue, Quantization, Tensor


def codes(tensors: list[Tensor], one: Operator) -> list[str]:
    found = find_problems(model(subgraph(tensors, [one], outputs=list(one.outputs))))
    assert all(f.severity == "warning" for f in found)
    return [f.code for f in found if f.applies_to in ("esp-nn", "cmsis-nn")]


@pytest.mark.parametrize(
    ("size", "padding", "expected"),
    [
        (96, "SAME", ["esp-nn-conv-same-padding"]),
        (97, "SAME", []),  # one row on either side
        (97, "VALID", []),
    ],
)
def test_convolution_of_even_size(size: int, padding: str, expected: list[str]) -> None:
    out = 48 if padding == "VALID" else -(-size // 2)
    tensors = [
        tensor(shape=(1, size, size, 3)),
        tensor(shape=(8, 3, 3, 3), data=bytes(216)),
        tensor(shape=(1, out, out, 8)),
    ]
    options: dict[str, OptionValue] = {"padding": padding, "stride_h": 2, "stride_w": 2}
    assert codes(tensors, operator("CONV_2D", [0, 1], [2], options)) == expected


@pytest.mark.parametrize(("channels", "expected"), [(32, ["esp-nn-depthwise-scratch"]), (24, [])])
def test_the_layer_of_the_report(channels: int, expected: list[str]) -> None:
    # layer1 there: 49 x 20 x 32, stride 2, padding 1 above and 0 to the left
    tensors = [
        tensor(shape=(1, 49, 20, channels)),
        tensor(shape=(1, 3, 3, channels), data=bytes(9 * channels)),
        tensor(shape=(1, 25, 10, channels)),
    ]
    options: dict[str, OptionValue] = {
        "padding": "SAME",
        "stride_h": 2,
        "stride_w": 2,
        "depth_multiplier": 1,
    }
    assert codes(tensors, operator("DEPTHWISE_CONV_2D", [0, 1], [2], options)) == expected


def test_fully_connected_of_two_channels() -> None:
    per_channel = Quantization((0.1, 0.2), (0, 0))
    weights = tensor(shape=(2, 1280), data=bytes(2560), quantization=per_channel)
    tensors = [tensor(shape=(1, 1280)), weights, tensor(shape=(1, 2))]
    assert codes(tensors, operator("FULLY_CONNECTED", [0, 1], [2])) == ["esp-nn-fully-connected"]


def test_transpose_convolution_of_the_report() -> None:
    # input [2, 1, 9, 4], filter [4, 1, 1, 4], output [2, 1, 17, 4], stride [1, 2]
    tensors = [
        int32(2, 1, 17, 4),
        tensor(shape=(4, 1, 1, 4), data=bytes(16)),
        tensor(shape=(2, 1, 9, 4)),
        tensor(shape=(2, 1, 17, 4)),
    ]
    one = operator("TRANSPOSE_CONV", [0, 1, 2], [3], {"stride_h": 1, "stride_w": 2})
    graph = subgraph(tensors, [one], inputs=[2], outputs=[3])
    assert [f.code for f in find_problems(model(graph))] == ["cmsis-nn-transpose-conv-scratch"]
