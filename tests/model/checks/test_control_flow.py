# SPDX-License-Identifier: Apache-2.0
"""Calls between subgraphs that end nowhere, in a circle, or with the wrong number of tensors."""

from __future__ import annotations

from tests.model.graphs import model, operator, subgraph, tensor
from tinykit.model.findings import find_problems
from tinykit.model.graph import Graph, Subgraph


def codes(graph: Graph) -> set[str]:
    return {f.code for f in find_problems(graph) if f.severity == "error"}


def loop(index: int, condition: int, body: int) -> Subgraph:
    options = {"cond_subgraph_index": condition, "body_subgraph_index": body}
    one = operator("WHILE", [0], [1], options)
    return subgraph([tensor(), tensor()], [one], outputs=[1], index=index)


def test_a_body_that_is_the_loop_itself() -> None:
    assert "recursive-subgraph" in codes(model(loop(0, 0, 0)))


def test_a_circle_through_two_subgraphs() -> None:
    assert "recursive-subgraph" in codes(model(loop(0, 1, 1), loop(1, 0, 0)))


def test_two_thousand_nested_subgraphs_are_no_circle() -> None:
    plain = subgraph([tensor()], [], outputs=[0], index=2000)
    nested = [loop(i, i + 1, i + 1) for i in range(2000)]
    assert codes(model(*nested, plain)) == set()


def test_a_subgraph_that_does_not_exist() -> None:
    once = operator("CALL_ONCE", [], [], {"init_subgraph_index": 7})
    (finding,) = find_problems(model(subgraph([tensor()], [once], outputs=[0])))
    assert (finding.code, finding.operator) == ("subgraph-out-of-range", 0)
    assert "7" in finding.message


def test_a_branch_that_wants_more_inputs() -> None:
    branch = subgraph([tensor(), tensor()], [], inputs=[0, 1], outputs=[0], index=1)
    options = {"then_subgraph_index": 1, "else_subgraph_index": 1}
    one = operator("IF", [0, 1], [2], options)
    main = subgraph([tensor("BOOL", (1,)), tensor(), tensor()], [one], inputs=[0, 1], outputs=[2])
    assert codes(model(main, branch)) == {"subgraph-arity"}
