# SPDX-License-Identifier: Apache-2.0
"""Operators that run other subgraphs, and state that outlives an inference."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tinykit.model.checks import fixes
from tinykit.model.checks.finding import Finding
from tinykit.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tinykit.model.checks.view import Node, View
    from tinykit.model.graph import Subgraph

CALLS: Mapping[str, tuple[str, ...]] = {
    "CALL_ONCE": ("init_subgraph_index",),
    "IF": ("then_subgraph_index", "else_subgraph_index"),
    "WHILE": ("cond_subgraph_index", "body_subgraph_index"),
}
"""Options that name a subgraph, by operator."""

_GATES = {3: "GRU", 4: "LSTM"}
"""How many ways a step of an RNN splits its gates."""

_ARTICLES = {"GRU": "a GRU", "LSTM": "an LSTM"}

_UNROLLED_STEPS = 8
"""Gate splits in one subgraph from which it is called unrolled rather than an RNN cell or two."""


def check(view: View) -> Iterator[Finding]:
    """Yield findings about calls between subgraphs, RNNs as loops, and resource variables."""
    edges: dict[int, list[tuple[Node, int]]] = {}
    for node in view.all_named(*CALLS):
        for option in CALLS[node.name]:
            target = node.option(option)
            if target is None or not 0 <= target < len(view.graph.subgraphs):
                yield _out_of_range(node, option, target, len(view.graph.subgraphs))
                continue
            edges.setdefault(node.subgraph.index, []).append((node, target))
            yield from _arity(node, option, view.graph.subgraphs[target])
    yield from _recursion(edges)
    yield from _recurrent(view)
    yield from _variables(view)


def _out_of_range(node: Node, option: str, target: int | None, total: int) -> Finding:
    found = f"no {option}"
    if target is not None:
        found = f"the {option} {target}, and the model has {count(total)} subgraphs"
    return Finding(
        "subgraph-out-of-range",
        "error",
        node.subgraph.index,
        node.operator.index,
        None,
        f"{node.place} has {found}.",
        source=f"tensorflow/tflite-micro: kernels/{node.name.lower()}.cc",
    )


def _arity(node: Node, option: str, target: Subgraph) -> Iterator[Finding]:
    """Yield where the operator's tensors and the subgraph's do not match in number."""
    given, taken = len(node.inputs), len(node.outputs)
    if node.name == "IF":
        given -= 1
    if option == "cond_subgraph_index":
        taken = 1
    if node.name == "CALL_ONCE" or (given, taken) == (len(target.inputs), len(target.outputs)):
        return
    yield Finding(
        "subgraph-arity",
        "error",
        node.subgraph.index,
        node.operator.index,
        None,
        f"{node.place} gives {given} inputs and takes {taken} outputs, and its {option} "
        f"{target.index} has {len(target.inputs)} and {len(target.outputs)}.",
        source=f"tensorflow/tflite-micro: kernels/{node.name.lower()}.cc",
    )


def _recursion(edges: Mapping[int, Sequence[tuple[Node, int]]]) -> Iterator[Finding]:
    """Yield each call that closes a circle, found by a depth-first walk without recursion."""
    done: set[int] = set()
    for start in sorted(edges):
        if start in done:
            continue
        path = {start}
        stack = [(start, iter(edges[start]))]
        while stack:
            current, calls = stack[-1]
            node, target = next(calls, (None, -1))
            if node is None:
                stack.pop()
                path.discard(current)
                done.add(current)
            elif target in path:
                yield _circle(node, target)
            elif target not in done:
                path.add(target)
                stack.append((target, iter(edges.get(target, ()))))


def _circle(node: Node, target: int) -> Finding:
    return Finding(
        "recursive-subgraph",
        "error",
        node.subgraph.index,
        node.operator.index,
        None,
        f"{node.place} calls subgraph {target}, which leads back to itself: TFLM's planner would "
        "never end.",
        source="tensorflow/tflite-micro: micro_allocation_info.cc",
    )


def _recurrent(view: View) -> Iterator[Finding]:
    """Yield LSTM and GRU layers that were not fused: as a loop, or unrolled."""
    names: dict[int, Counter[str]] = {}
    gates: dict[int, Counter[int]] = {}
    for node in view.nodes:
        names.setdefault(node.subgraph.index, Counter())[node.name] += 1
        if node.name == "SPLIT":
            gates.setdefault(node.subgraph.index, Counter())[len(node.outputs)] += 1

    def cell(subgraph: int) -> str:
        found = names.get(subgraph, Counter())
        if not all(found.get(n) for n in ("FULLY_CONNECTED", "LOGISTIC", "TANH")):
            return ""
        ways = gates.get(subgraph, Counter())
        return next((name for n, name in sorted(_GATES.items(), reverse=True) if ways.get(n)), "")

    for node in view.named.get("WHILE", []):
        body = node.option("body_subgraph_index")
        kind = cell(body) if body is not None else ""
        if kind and body is not None:
            yield _looped(node, kind, sum(names[body].values()))
    for subgraph, ways in gates.items():
        kind = cell(subgraph)
        steps = max(ways.values())
        if kind and steps >= _UNROLLED_STEPS:
            yield _unrolled(view, subgraph, kind, steps, sum(names[subgraph].values()))


def _looped(node: Node, kind: str, operators: int) -> Finding:
    fused = kind == "LSTM"
    return Finding(
        f"{kind.lower()}-as-while",
        "warning" if fused else "info",
        node.subgraph.index,
        node.operator.index,
        None,
        f"{node.place} is {_ARTICLES[kind]} written as a loop of {count(operators)} operators"
        + (
            ", as Keras 3 does; Keras 2 writes one fused operator that takes about half the flash "
            "and arena."
            if fused
            else ": TFLM has no fused operator for it."
        ),
        fixes.LEGACY_KERAS if fused else "",
        "tensorflow/tflite-micro#2006" if fused else "tensorflow/tensorflow#41690",
    )


def _unrolled(view: View, subgraph: int, kind: str, steps: int, operators: int) -> Finding:
    tensors = len(view.graph.subgraphs[subgraph].tensors)
    return Finding(
        "unrolled-recurrence",
        "warning",
        subgraph,
        None,
        None,
        f"The {kind} is unrolled into {count(steps)} steps: {count(operators)} operators and "
        f"{count(tensors)} tensors, so that planning the memory can take more arena than running.",
        "keras.layers.LSTM(units, unroll=False)".replace("LSTM", kind),
        "tensorflow/tflite-micro#1570",
    )


def _variables(view: View) -> Iterator[Finding]:
    handles = view.named.get("VAR_HANDLE", [])
    if not handles:
        return
    names = {
        (str(n.operator.options.get("container", "")), str(n.operator.options.get("shared_name")))
        for n in handles
    }
    yield Finding(
        "resource-variables",
        "info",
        handles[0].subgraph.index,
        handles[0].operator.index,
        None,
        f"The model keeps state in {count(len(names))} resource variables, so the firmware must "
        "give the interpreter a MicroResourceVariables.",
        fixes.resource_variables(len(names)),
        "tensorflow/tflite-micro#2101",
    )
