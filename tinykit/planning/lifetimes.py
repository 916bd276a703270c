# SPDX-License-Identifier: Apache-2.0
"""When each tensor is live: a Graph in execution order becomes buffers with lifetimes.

Steps are TFLM's allocation scopes: step 0 is the moment before the first operator, each operator
opens one step, and an operator that runs other subgraphs opens one more for each of them. A
tensor that no operator touches lives in step -1.

Source: tensorflow/lite/micro/micro_allocation_info.cc at `tinykit.tflm.COMMIT`, whose intervals
are closed; they become half-open here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tinykit.errors import PlanError
from tinykit.model.graph import Graph, Operator, Subgraph

CALLED_SUBGRAPHS = {
    "IF": ("then_subgraph_index", "else_subgraph_index"),
    "WHILE": ("cond_subgraph_index", "body_subgraph_index"),
    "CALL_ONCE": ("init_subgraph_index",),
}
"""The options that name the subgraphs an operator runs, in the order TFLM visits them."""

_MOST_STEPS = 200_000
_DEEPEST_CALL = 64

Key = tuple[int, int]
"""Subgraph index and tensor (or operator) index in it."""


@dataclass(slots=True)
class Lifetimes:
    """Closed intervals while they are collected.

    Attributes:
        tensors: (subgraph, tensor) -> [first, last] step, both included.
        operators: (subgraph, operator) -> [first, last] step.
        steps: the operator that opened each step; None for a step opened for a subgraph's inputs.
    """

    tensors: dict[Key, list[int]] = field(default_factory=dict)
    operators: dict[Key, list[int]] = field(default_factory=dict)
    steps: list[Key | None] = field(default_factory=lambda: [None])


def called_subgraphs(operator: Operator) -> list[int]:
    """Return the indices of the subgraphs that a control flow operator runs."""
    names = CALLED_SUBGRAPHS.get(operator.name, ())
    return [int(v) for n in names if isinstance(v := operator.options.get(n, 0), int)]


def lifetimes(graph: Graph) -> Lifetimes:
    """Return the steps at which each tensor and each operator's scratch is live.

    Raises:
        PlanError: subgraphs call each other without end, or a subgraph does not exist.
    """
    found = Lifetimes()
    _mark_subgraph(graph, 0, found, ())
    return found


def _create(intervals: dict[Key, list[int]], key: Key, step: int) -> list[int]:
    """Return the interval of `key`, opened at `step` unless it was open already."""
    interval = intervals.setdefault(key, [step, step])
    if interval[0] < 0:
        interval[0] = step
    return interval


def _called(graph: Graph, index: int, callers: tuple[int, ...]) -> Subgraph:
    if not 0 <= index < len(graph.subgraphs):
        raise PlanError(f"subgraph {index} does not exist (the model has {len(graph.subgraphs)})")
    if index in callers:
        raise PlanError(f"subgraph {index} runs itself: its memory has no bound")
    if len(callers) > _DEEPEST_CALL:
        raise PlanError(f"subgraphs call each other deeper than {_DEEPEST_CALL} levels")
    return graph.subgraphs[index]


def _mark_subgraph(graph: Graph, index: int, found: Lifetimes, callers: tuple[int, ...]) -> None:
    subgraph = _called(graph, index, callers)
    steps, tensors = found.steps, found.tensors
    for t in subgraph.inputs:
        _create(tensors, (index, t), len(steps) - 1)[1] = len(steps) - 1
    for operator in subgraph.operators:
        step = len(steps)
        if step > _MOST_STEPS:
            raise PlanError(f"control flow expands to more than {_MOST_STEPS:,} steps")
        steps.append((index, operator.index))
        outputs = [_create(tensors, (index, t), step) for t in operator.outputs]
        for called in called_subgraphs(operator):
            steps.append(None)
            _mark_subgraph(graph, called, found, (*callers, index))
        last = len(steps) - 1
        for t in operator.inputs:
            if t >= 0:
                # TFLM opens no interval for a tensor that is read before anything wrote it.
                tensors.setdefault((index, t), [-1, -1])[1] = last
        for interval in outputs:
            interval[1] = last
        found.operators.setdefault((index, operator.index), [step, last])[1] = last
    for t in subgraph.outputs:
        _create(tensors, (index, t), len(steps) - 1)[1] = len(steps) - 1
