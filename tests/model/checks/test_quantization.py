# SPDX-License-Identifier: Apache-2.0
"""Scales and zero points that kernels/conv_common.cc and its like refuse or ignore."""

from __future__ import annotations

import pytest

from tests.model.graphs import ONE, model, operator, subgraph, tensor
from tinykit.model.findings import Finding, find_problems
from tinykit.model.graph import Quantization, Tensor


def convolution(filters: Quantization | None, output: Quantization | None = ONE) -> set[str]:
    tensors = [
        tensor(shape=(1, 2, 2, 3)),
        tensor(shape=(4, 1, 1, 3), data=bytes(12), quantization=filters),
        tensor(shape=(1, 2, 2, 4), quantization=output),
    ]
    graph = model(subgraph(tensors, [operator("CONV_2D", [0, 1], [2])], outputs=[2]))
    return {f.code for f in find_problems(graph)}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Quantization((0.1,), (0,)), set()),
        (Quantization((0.1,) * 4, (0,) * 4), set()),
        (None, {"missing-quantization"}),
        (Quantization((), ()), {"missing-quantization"}),
        (Quantization((0.0,), (0,)), {"missing-quantization"}),
        (Quantization((0.1, float("nan"), 0.1, 0.1), (0,) * 4), {"missing-quantization"}),
        (Quantization((0.1,), (7,)), {"zero-point-of-filter"}),
        (Quantization((0.1,) * 3, (0,) * 3), {"per-channel-scale-count"}),
    ],
)
def test_filters(filters: Quantization | None, expected: set[str]) -> None:
    assert convolution(filters) == expected


def test_an_output_without_a_scale() -> None:
    assert convolution(ONE, None) == {"missing-quantization"}


def one_operator(name: str, *tensors: Tensor) -> tuple[Finding, ...]:
    last = len(tensors) - 1
    inputs = list(range(last))
    return find_problems(
        model(subgraph(list(tensors), [operator(name, inputs, [last])], inputs, [last]))
    )


@pytest.mark.parametrize(
    ("output", "fine"),
    [(Quantization((1 / 256,), (-128,)), True), (Quantization((1 / 255,), (-128,)), False)],
)
def test_softmax_wants_its_own_output_scale(output: Quantization, fine: bool) -> None:
    found = one_operator("SOFTMAX", tensor(), tensor(quantization=output))
    assert (found == ()) is fine


def test_concatenation_does_not_rescale() -> None:
    other = Quantization((0.25,), (0,))
    found = one_operator("CONCATENATION", tensor(), tensor(quantization=other), tensor())
    assert [(f.code, f.tensor) for f in found] == [("quantization-mismatch", 1)]


@pytest.mark.parametrize(
    ("scale", "zero", "severity"),
    [
        (1 / 255, -128, "info"),  # 0 to 1
        (1.0, -128, "info"),  # 0 to 255
        (1e-9, 0, "warning"),  # a representative dataset of zeros
        (0.05, 3, None),
    ],
)
def test_input_ranges(scale: float, zero: int, severity: str | None) -> None:
    found = one_operator("RESHAPE", tensor(quantization=Quantization((scale,), (zero,))), tensor())
    expected = [] if severity is None else [("suspicious-input-scale", severity)]
    assert [(f.code, f.severity) for f in found] == expected
