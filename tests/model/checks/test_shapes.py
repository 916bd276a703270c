# SPDX-License-Identifier: Apache-2.0
"""Shapes that TFLM refuses, by the rules of its CheckDynamicTensors and the kernels' Prepare."""

from __future__ import annotations

import pytest

from tests.model.graphs import int32, model, operator, subgraph, tensor
from tinykit.model.findings import Finding, find_problems
from tinykit.model.graph import Operator, Tensor


def problems(tensors: list[Tensor], one: Operator) -> tuple[Finding, ...]:
    return find_problems(model(subgraph(tensors, [one], outputs=list(one.outputs))))


@pytest.mark.parametrize(
    ("name", "shape", "expected"),
    [
        ("RELU", (-1, 4), ["dynamic-shape"]),
        ("RELU", (0, 4), ["dynamic-shape"]),
        ("RELU", (0,), []),  # an old way to write a scalar
        ("RESHAPE", (-1, 4), []),  # TFLM solves a single -1 of RESHAPE
        ("RESHAPE", (-1, -1), ["dynamic-shape"]),
        ("RESHAPE", (32,), ["reshape-mismatch"]),
    ],
)
def test_outputs(name: str, shape: tuple[int, ...], expected: list[str]) -> None:
    found = problems([tensor(shape=(4, 4)), tensor(shape=shape)], operator(name, [0], [1]))
    assert [f.code for f in found] == expected


@pytest.mark.parametrize(
    ("signature", "expected"),
    [((-1, 4), []), ((-1, -1), ["dynamic-dimension"])],
)
def test_open_inputs(signature: tuple[int, ...], expected: list[str]) -> None:
    opened = tensor(shape=(1, 1), signature=signature)
    found = problems([opened, tensor(shape=(1, 1))], operator("RELU", [0], [1]))
    assert [f.code for f in found] == expected


def test_ranks_and_counts() -> None:
    flat = problems([tensor(), tensor()], operator("MAX_POOL_2D", [0], [1]))
    assert [f.code for f in flat] == ["unsupported-rank"]
    many = operator("CONCATENATION", [0] * 11, [1])  # kMaxInputNum is 10
    found = problems([tensor(), tensor(shape=(11, 4))], many)
    assert [f.code for f in found] == ["unsupported-arity"]


@pytest.mark.parametrize(("axis", "fine"), [(1, True), (-2, True), (2, False), (-3, False)])
def test_axes(axis: int, fine: bool) -> None:
    tensors = [tensor(), int32(axis), tensor("INT32", (1,))]
    found = problems(tensors, operator("ARG_MAX", [0, 1], [2]))
    assert [f.code for f in found] == ([] if fine else ["axis-out-of-range"])


def test_paddings_must_be_constant() -> None:
    tensors = [tensor(), tensor("INT32", (2, 2)), tensor("INT32", (2, 2)), tensor()]
    one = operator("PAD", [0, 2], [3])
    graph = subgraph(tensors, [one], inputs=[0, 1, 2], outputs=[3])
    (finding,) = find_problems(model(graph))
    assert (finding.code, finding.tensor) == ("non-constant-input", 2)
