# SPDX-License-Identifier: Apache-2.0
"""Who writes a tensor and when: reads before writes, constants written, outputs in vain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinykit.model.checks.finding import Finding
from tinykit.model.checks.presence import ETHOS_U
from tinykit.model.checks.view import first_and_count, quoted
from tinykit.units import count, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tinykit.model.checks.view import Node, View
    from tinykit.model.graph import Subgraph, Tensor


def check(view: View) -> Iterator[Finding]:
    """Yield one finding per subgraph and kind, naming the first case and the count."""
    nodes: dict[int, list[Node]] = {}
    for node in view.nodes:
        nodes.setdefault(node.subgraph.index, []).append(node)
    damaged = {f.subgraph for f in view.malformed}
    for subgraph in view.graph.subgraphs:
        own = nodes.get(subgraph.index, [])
        if subgraph.index not in damaged:
            yield from _reads(subgraph, own)
            yield from _unread(subgraph, own)
        yield from _writes(subgraph, own)
        yield from _constant_inputs(subgraph)


def _has_value(tensor: Tensor) -> bool:
    return tensor.is_constant or tensor.is_variable or not (tensor.elements or tensor.is_dynamic)


def _reads(subgraph: Subgraph, nodes: Sequence[Node]) -> Iterator[Finding]:
    written = {i for i in subgraph.inputs if i >= 0}
    early: list[tuple[Node, Tensor]] = []
    for node in nodes:
        for tensor in node.inputs if node.name != ETHOS_U else ():  # its scratch is never written
            if tensor is not None and tensor.index not in written and not _has_value(tensor):
                early.append((node, tensor))
        written.update(t.index for t in node.outputs)
    if early:
        node, tensor = early[0]
        when = "before an operator writes it" if tensor.index in written else "that none writes"
        yield Finding(
            "read-before-write",
            "error",
            subgraph.index,
            node.operator.index,
            tensor.index,
            f"{first_and_count([n for n, _ in early])} takes {quoted(tensor)} {when}: the "
            "result would be whatever the memory held.",
            source="tensorflow/tflite-micro#3389",
        )
    for index in subgraph.outputs:
        if not 0 <= index < len(subgraph.tensors) or index in written:
            continue
        tensor = subgraph.tensors[index]
        if not _has_value(tensor):
            yield Finding(
                "read-before-write",
                "error",
                subgraph.index,
                None,
                index,
                f"Output {quoted(tensor)} of subgraph {subgraph.index} is written by no operator.",
                source="tensorflow/tflite-micro#3389",
            )


def _unread(subgraph: Subgraph, nodes: Sequence[Node]) -> Iterator[Finding]:
    used = {*subgraph.outputs}
    for node in nodes:
        used.update(node.operator.inputs)
    free = [n for n in nodes if n.name not in ("IF", "WHILE")]  # their outputs are not theirs
    idle = [(n, t) for n in free for t in n.outputs if t.index not in used]
    if idle:
        node, tensor = idle[0]
        yield Finding(
            "unused-output",
            "info",
            subgraph.index,
            node.operator.index,
            tensor.index,
            f"{count(len(idle))} outputs are computed and never read, first {quoted(tensor)} of "
            f"{node.place}; they take {size(sum(t.stored_bytes for _, t in idle))} of arena while "
            "their operators run.",
            source="tensorflow/tflite-micro#1575",
        )


def _writes(subgraph: Subgraph, nodes: Sequence[Node]) -> Iterator[Finding]:
    filled = set(subgraph.inputs)
    constant: list[tuple[Node, Tensor]] = []
    twice: list[tuple[Node, Tensor]] = []
    for node in nodes:
        for tensor in node.outputs:
            if tensor.is_constant:
                constant.append((node, tensor))
            if tensor.index in filled:
                twice.append((node, tensor))
            filled.add(tensor.index)
    if constant:
        node, tensor = constant[0]
        yield Finding(
            "constant-output",
            "error",
            subgraph.index,
            node.operator.index,
            tensor.index,
            f"{first_and_count([n for n, _ in constant])} writes {quoted(tensor)}, a constant of "
            "the file: a store to flash faults.",
            source="tensorflow/tensorflow#41271",
        )
    if twice:
        node, tensor = twice[0]
        yield Finding(
            "duplicated-output",
            "warning",
            subgraph.index,
            node.operator.index,
            tensor.index,
            f"{first_and_count([n for n, _ in twice])} writes {quoted(tensor)}, which an earlier "
            "operator writes or the caller fills.",
            source="tensorflow/tflite-micro#3389",
        )


def _constant_inputs(subgraph: Subgraph) -> Iterator[Finding]:
    for index in subgraph.inputs:
        if 0 <= index < len(subgraph.tensors) and subgraph.tensors[index].is_constant:
            tensor = subgraph.tensors[index]
            yield Finding(
                "constant-input",
                "error",
                subgraph.index,
                None,
                index,
                f"Input {quoted(tensor)} of subgraph {subgraph.index} is a constant of the file: "
                "writing the input is a store to flash.",
                source="tensorflow/tensorflow#41271",
            )
