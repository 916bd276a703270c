# SPDX-License-Identifier: Apache-2.0
"""MACs and bytes against published totals and against sums done by hand."""

from __future__ import annotations

import pytest

from tests.model.graphs import int32, model, operator, subgraph, tensor
from tests.support import shared_path
from tinykit.model.cost import OperatorCost, count_cost
from tinykit.model.graph import Operator, Tensor
from tinykit.model.reader import read_model


def cost(tensors: list[Tensor], one: Operator) -> OperatorCost:
    return count_cost(model(subgraph(tensors, [one]))).operators[0]


@pytest.mark.parametrize(
    ("name", "macs"),
    [
        # MLPerf Tiny's four reference models, as published in many papers
        ("ad01_int8", 264_192),
        ("kws_ref_model", 2_656_768),
        ("vww_96_int8", 7_489_664),
        ("pretrainedResnet_quant", 12_501_632),
        # 1x16 + 16x16 + 16x1
        ("hello_world_int8", 288),
    ],
)
def test_published_totals(name: str, macs: int) -> None:
    graph = read_model(shared_path("models", f"{name}.tflite").read_bytes())
    assert count_cost(graph).macs == macs


def weights(*shape: int) -> Tensor:
    size = 1
    for d in shape:
        size *= d
    return tensor("INT8", shape, data=bytes(size))


def test_convolution_by_hand() -> None:
    # 5 x 5 outputs of 8 channels, each over 3 x 3 x 4
    found = cost(
        [tensor(shape=(1, 7, 7, 4)), weights(8, 3, 3, 4),
         tensor("INT32", (8,), data=bytes(32)), tensor(shape=(1, 5, 5, 8))],
        operator("CONV_2D", [0, 1, 2], [3]),
    )  # fmt: skip
    assert found.macs == 25 * 8 * 36
    assert (found.input_bytes, found.weight_bytes, found.bias_bytes, found.output_bytes) == (
        196, 288, 32, 200,
    )  # fmt: skip
    assert found.intensity == pytest.approx(7200 / 716)


def test_depthwise_by_hand() -> None:
    found = cost(
        [tensor(shape=(1, 8, 8, 16)), weights(1, 3, 3, 16), tensor(shape=(1, 4, 4, 16))],
        operator("DEPTHWISE_CONV_2D", [0, 1], [2]),
    )
    assert found.macs == 4 * 4 * 16 * 9


def test_transpose_convolution_by_hand() -> None:
    # 3 x 3 x 4 inputs, each spread over 2 x 2 x 8
    found = cost(
        [int32(1, 6, 6, 8), weights(8, 2, 2, 4), tensor(shape=(1, 3, 3, 4)),
         tensor(shape=(1, 6, 6, 8))],
        operator("TRANSPOSE_CONV", [0, 1, 2], [3]),
    )  # fmt: skip
    assert found.macs == 36 * 32


@pytest.mark.parametrize(("left", "adj_x"), [((2, 3, 5), False), ((2, 5, 3), True)])
def test_batch_matmul_by_hand(left: tuple[int, ...], adj_x: bool) -> None:
    found = cost(
        [tensor(shape=left), tensor(shape=(2, 5, 7)), tensor(shape=(2, 3, 7))],
        operator("BATCH_MATMUL", [0, 1], [2], {"adj_x": adj_x}),
    )
    assert found.macs == 2 * 3 * 7 * 5


def test_svdf_by_hand() -> None:
    # 6 filters over 10 features and over 4 steps of state
    state = tensor(shape=(1, 24), variable=True)
    found = cost(
        [tensor(shape=(1, 10)), weights(6, 10), weights(6, 4), state, tensor(shape=(1, 3))],
        operator("SVDF", [0, 1, 2, -1, 3], [4]),
    )
    assert found.macs == 60 + 24
    assert (found.input_bytes, found.output_bytes) == (10 + 24, 3 + 24)


def test_lstm_by_hand() -> None:
    # 7 steps, 4 gates, 3 units, 5 features
    tensors = [tensor(shape=(1, 7, 5)), *[weights(3, 5) for _ in range(4)],
               *[weights(3, 3) for _ in range(4)], tensor(shape=(1, 7, 3))]  # fmt: skip
    inputs = [*range(9), *[-1] * 15]
    found = cost(tensors, operator("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [9]))
    assert found.macs == 7 * 4 * (3 * 5 + 3 * 3)


def test_fully_connected_counts_every_row_and_half_a_byte_per_int4() -> None:
    packed = tensor("INT4", (10, 20), data=bytes(100))
    found = cost(
        [tensor(shape=(3, 20)), packed, tensor(shape=(3, 10))],
        operator("FULLY_CONNECTED", [0, 1, -1], [2]),
    )
    assert (found.macs, found.weight_bytes) == (3 * 20 * 10, 100)


def test_a_tensor_read_twice_is_moved_once() -> None:
    found = cost([tensor(shape=(1, 8)), tensor(shape=(1, 8))], operator("ADD", [0, 0], [1]))
    assert (found.macs, found.element_ops, found.moved_bytes) == (0, 8, 16)


def test_pooling_counts_no_macs() -> None:
    found = cost(
        [tensor(shape=(1, 4, 4, 2)), tensor(shape=(1, 2, 2, 2))],
        operator("MAX_POOL_2D", [0], [1], {"filter_height": 2, "filter_width": 2}),
    )
    assert (found.macs, found.element_ops) == (0, 8 * 4)


@pytest.mark.parametrize(
    "one",
    [
        operator("CONV_3D", [0, 0], [0]),  # not in TFLM
        operator("CUSTOM", [0], [0], custom="SignalRfft"),
        operator("WHILE", [0], [0]),  # runs its body an unknown number of times
        operator("CONV_2D", [0], [0]),  # no filter
        operator("CONV_2D", [0, 77], [-3]),
        operator("MAX_POOL_2D", [0], [0]),  # no window
        operator("FULLY_CONNECTED", [0, 1], [0]),  # filter without a dimension
    ],
)
def test_what_has_no_count_has_none_not_zero(one: Operator) -> None:
    graph = model(subgraph([tensor(), tensor(shape=())], [one]))
    total = count_cost(graph)
    assert total.operators[0].macs is None
    assert total.operators[0].intensity is None
    assert total.macs is None
    assert total.known_macs == 0
