# SPDX-License-Identifier: Apache-2.0
"""Who writes a tensor and when."""

from __future__ import annotations

from tests.model.graphs import model, operator, subgraph, tensor
from tinykit.model.findings import find_problems
from tinykit.model.graph import Operator, Tensor


def codes(
    tensors: list[Tensor], operators: list[Operator], inputs: tuple[int, ...] = (0,)
) -> list[str]:
    last = len(tensors) - 1
    return [f.code for f in find_problems(model(subgraph(tensors, operators, inputs, [last])))]


def relu(source: int, target: int) -> Operator:
    return operator("RELU", [source], [target])


def test_a_chain_in_order_is_fine_and_backwards_is_not() -> None:
    three = [tensor(), tensor(), tensor()]
    assert codes(three, [relu(0, 1), relu(1, 2)]) == []
    assert codes(three, [relu(1, 2), relu(0, 1)]) == ["read-before-write"]


def test_an_output_that_nothing_writes() -> None:
    assert codes([tensor(), tensor()], []) == ["read-before-write"]


def test_a_state_has_a_value_before_the_first_write() -> None:
    assert codes([tensor(), tensor(variable=True), tensor()], [relu(1, 2)]) == []


def test_writing_a_constant() -> None:
    assert codes([tensor(), tensor(data=bytes(4))], [relu(0, 1)]) == ["constant-output"]
    found = codes([tensor(data=bytes(4)), tensor()], [relu(0, 1)])
    assert found == ["constant-input"]


def test_writing_twice() -> None:
    assert codes([tensor(), tensor()], [relu(0, 1), relu(0, 1)]) == ["duplicated-output"]


def test_an_index_outside_is_one_finding() -> None:
    assert codes([tensor(), tensor()], [relu(0, 9)]) == ["malformed-operator"]
    assert codes([tensor(), tensor()], [operator("CONV_2D", [0], [1])]) == ["malformed-operator"]
    assert codes([tensor(), tensor()], [relu(-1, 1)]) == ["malformed-operator"]
