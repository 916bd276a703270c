# SPDX-License-Identifier: Apache-2.0
"""Lifetimes of small graphs, worked out by hand from TFLM's allocation scopes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tinykit.errors import PlanError
from tinykit.model.graph import Graph, Operator, OptionValue, Subgraph, Tensor
from tinykit.planning.lifetimes import lifetimes

Line = tuple[str, tuple[int, ...], tuple[int, ...], Mapping[str, OptionValue]]


def op(name: str, inputs: tuple[int, ...], outputs: tuple[int, ...], **options: int) -> Line:
    return name, inputs, outputs, options


def subgraph(
    index: int, tensors: int, lines: list[Line], inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> Subgraph:
    return Subgraph(
        index,
        "",
        tuple(Tensor(t, "", "INT8", (1, 16)) for t in range(tensors)),
        tuple(Operator(k, n, i, o, options=p) for k, (n, i, o, p) in enumerate(lines)),
        inputs,
        outputs,
    )


def graph(*subgraphs: Subgraph) -> Graph:
    return Graph(subgraphs, 3, "", 0)


def test_a_chain() -> None:
    lines = [op("RELU", (0,), (1,)), op("RELU", (1,), (2,)), op("RELU", (2,), (3,))]
    found = lifetimes(graph(subgraph(0, 4, lines, (0,), (3,))))
    assert found.tensors == {(0, 0): [0, 1], (0, 1): [1, 2], (0, 2): [2, 3], (0, 3): [3, 3]}
    assert found.operators == {(0, 0): [1, 1], (0, 1): [2, 2], (0, 2): [3, 3]}
    assert found.steps == [None, (0, 0), (0, 1), (0, 2)]


def test_an_input_lives_from_the_start_and_an_output_to_the_end() -> None:
    lines = [op("RELU", (2,), (1,)), op("ADD", (1, 0), (3,)), op("RELU", (3,), (4,))]
    found = lifetimes(graph(subgraph(0, 5, lines, (0, 2), (1, 4))))
    assert found.tensors[0, 0] == [0, 2]
    assert found.tensors[0, 1] == [1, 3]


def test_an_unused_output_lives_while_its_operator_runs() -> None:
    found = lifetimes(graph(subgraph(0, 3, [op("SPLIT", (0,), (1, 2))], (0,), (1,))))
    assert found.tensors[0, 2] == [1, 1]


def test_a_tensor_that_no_operator_touches_has_no_life() -> None:
    found = lifetimes(graph(subgraph(0, 3, [op("RELU", (0,), (1,))], (0,), (1,))))
    assert (0, 2) not in found.tensors


def test_a_tensor_read_before_it_is_written_begins_where_it_is_written() -> None:
    lines = [op("ADD", (0, 2), (1,)), op("RELU", (1,), (2,)), op("RELU", (2,), (3,))]
    found = lifetimes(graph(subgraph(0, 4, lines, (0,), (3,))))
    assert found.tensors[0, 2] == [2, 3]


def test_an_absent_input_is_no_tensor() -> None:
    lines = [op("FULLY_CONNECTED", (0, -1, -1), (1,))]
    found = lifetimes(graph(subgraph(0, 2, lines, (0,), (1,))))
    assert set(found.tensors) == {(0, 0), (0, 1)}


def test_if_opens_a_step_for_each_branch_before_its_operators() -> None:
    main = subgraph(
        0,
        4,
        [op("IF", (0, 1), (2,), then_subgraph_index=1, else_subgraph_index=2),
         op("RELU", (2,), (3,))],
        (0, 1),
        (3,),
    )  # fmt: skip
    then = subgraph(1, 2, [op("RELU", (0,), (1,))], (0,), (1,))
    otherwise = subgraph(2, 3, [op("RELU", (0,), (1,)), op("RELU", (1,), (2,))], (0,), (2,))
    found = lifetimes(graph(main, then, otherwise))
    # 1 IF, 2 inputs of then, 3 its RELU, 4 inputs of else, 5 and 6 its RELUs, 7 the last RELU
    assert found.steps == [None, (0, 0), None, (1, 0), None, (2, 0), (2, 1), (0, 1)]
    assert found.tensors[0, 0] == [0, 6]
    assert found.tensors[0, 1] == [0, 6]
    assert found.tensors[0, 2] == [1, 7]
    assert found.tensors[1, 0] == [2, 3]
    assert found.tensors[1, 1] == [3, 3]
    assert found.tensors[2, 0] == [4, 5]
    assert found.tensors[2, 2] == [6, 6]
    assert found.operators[0, 0] == [1, 6]


def test_while_visits_condition_and_body_once() -> None:
    main = subgraph(
        0, 2, [op("WHILE", (0,), (1,), cond_subgraph_index=1, body_subgraph_index=2)], (0,), (1,)
    )
    condition = subgraph(1, 2, [op("LESS", (0,), (1,))], (0,), (1,))
    body = subgraph(2, 2, [op("ADD", (0,), (1,))], (0,), (1,))
    found = lifetimes(graph(main, condition, body))
    assert found.steps == [None, (0, 0), None, (1, 0), None, (2, 0)]
    assert found.tensors[0, 0] == [0, 5]
    assert found.tensors[0, 1] == [1, 5]
    assert found.tensors[2, 0] == [4, 5]


def test_call_once_runs_a_subgraph_without_tensors_between() -> None:
    main = subgraph(
        0,
        2,
        [op("CALL_ONCE", (), (), init_subgraph_index=1), op("RELU", (0,), (1,))],
        (0,),
        (1,),
    )
    init = subgraph(1, 1, [op("VAR_HANDLE", (), (0,))], (), ())
    found = lifetimes(graph(main, init))
    assert found.tensors == {(0, 0): [0, 4], (1, 0): [3, 3], (0, 1): [4, 4]}


def test_a_subgraph_called_twice_lives_through_both_calls() -> None:
    call = op("CALL_ONCE", (), (), init_subgraph_index=1)
    main = subgraph(0, 1, [call, call], (0,), (0,))
    init = subgraph(1, 1, [op("VAR_HANDLE", (), (0,))], (), ())
    found = lifetimes(graph(main, init))
    assert found.tensors[1, 0] == [3, 6]


@pytest.mark.parametrize("target", [0, 1])
def test_a_subgraph_that_runs_itself_has_no_bound(target: int) -> None:
    main = subgraph(0, 1, [op("CALL_ONCE", (), (), init_subgraph_index=1)], (0,), (0,))
    init = subgraph(1, 1, [op("CALL_ONCE", (), (), init_subgraph_index=target)], (), ())
    with pytest.raises(PlanError, match=f"subgraph {target} runs itself"):
        lifetimes(graph(main, init))


def test_a_call_of_a_subgraph_that_does_not_exist_is_named() -> None:
    main = subgraph(0, 1, [op("CALL_ONCE", (), (), init_subgraph_index=7)], (0,), (0,))
    with pytest.raises(PlanError, match="subgraph 7 does not exist"):
        lifetimes(graph(main))


def test_calls_that_double_at_each_level_are_refused() -> None:
    call = [op("RELU", (0,), (0,))]
    levels = [
        subgraph(k, 1, [op("CALL_ONCE", (), (), init_subgraph_index=k + 1)] * 2, (0,), (0,))
        for k in range(30)
    ]
    with pytest.raises(PlanError, match="more than 200,000 steps"):
        lifetimes(graph(*levels, subgraph(30, 1, call, (0,), (0,))))
