# SPDX-License-Identifier: Apache-2.0
"""The peak and what to shrink, worked out by hand on a chain of four operators."""

from __future__ import annotations

from tinykit.estimate.advice import peak, shrink
from tinykit.estimate.arena_findings import arena_findings
from tinykit.model.graph import Graph, Operator, Subgraph, Tensor
from tinykit.tflm.arena import Arena, arena


def _chain(*sizes: int) -> Graph:
    """Return operators in a row over tensors of the given bytes."""
    tensors = tuple(Tensor(k, f"t{k}", "INT8", (1, n)) for k, n in enumerate(sizes))
    operators = tuple(Operator(k, "LOGISTIC", (k,), (k + 1,)) for k in range(len(sizes) - 1))
    main = Subgraph(0, "main", tensors, operators, (0,), (len(sizes) - 1,))
    return Graph((main,), 3, "", 0)


def _arena(graph: Graph) -> Arena:
    return arena(graph, "reference", "none")


def test_peak_is_the_operator_with_the_most_live_bytes() -> None:
    top = peak(_arena(_chain(160, 1600, 320, 16)))
    assert top is not None
    # Operator 1 holds t1 and t2: 1,600 + 320; operator 0 holds 160 + 1,600.
    assert (top.operator, top.live_bytes, top.elsewhere_bytes) == (1, 1920, 1760)
    assert [b.tensor for b in top.buffers] == [1, 2]
    assert not top.lonely


def test_peak_is_lonely_when_a_quarter_is_free_everywhere_else() -> None:
    graph = _chain(16, 1600, 1600, 16)
    top = peak(_arena(graph))
    assert top is not None
    assert (top.operator, top.live_bytes, top.elsewhere_bytes) == (1, 3200, 1616)
    assert top.lonely
    assert "lonely-peak" in [f.code for f in arena_findings(graph, _arena(graph))]


def test_model_without_operators_has_no_peak() -> None:
    main = Subgraph(0, "main", (Tensor(0, "x", "INT8", (1, 16)),), (), (0,), (0,))
    assert peak(_arena(Graph((main,), 3, "", 0))) is None


def test_shrink_names_the_largest_tensor_of_each_step_that_is_too_large() -> None:
    graph = _chain(160, 1600, 320, 16)
    needs = _arena(graph)
    assert needs.head == 1920
    # 1,920 - 200 = 1,720 B may be planned; steps of 1,920 and 1,760 B exceed it by 200 and 40.
    (item,) = shrink(graph, needs, 200)
    assert (item.tensor.index, item.size_bytes, item.target_bytes) == (1, 1600, 1400)


def test_nothing_to_shrink_when_one_tensor_cannot_make_up_for_it() -> None:
    graph = _chain(160, 1600, 1600, 16)
    assert shrink(graph, _arena(graph), 1700) == ()


def test_used_is_not_enough_for_a_small_model() -> None:
    graph = _chain(16, 16, 16)
    needs = _arena(graph)
    assert needs.needed > needs.used + 15
    assert "used-is-not-enough" in [f.code for f in arena_findings(graph, needs)]
