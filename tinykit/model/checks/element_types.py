# SPDX-License-Identifier: Apache-2.0
"""Types that a kernel does not run: hybrid, float16, uint8 core, int64 and the rest."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tinykit.model.checks import fixes
from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import first_and_count, quoted
from tinykit.model.operators import SHORT_TYPES
from tinykit.units import count, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tinykit.model.checks.view import Node, View
    from tinykit.model.graph import Tensor
    from tinykit.model.operators import Types

_QUANTIZED = frozenset({"INT8", "INT4", "INT16", "UINT8"})
_LONG: Mapping[str, str] = {short: long or "any" for short, long in SHORT_TYPES.items()}


def check(view: View) -> Iterator[Finding]:
    """Yield one finding per kind of refused types, not one per operator."""
    verdicts: dict[tuple[str, Types, Types], bool] = {}
    groups: dict[tuple[str, str, Types, Types], list[Node]] = defaultdict(list)
    for node in view.nodes:
        row = node.row
        if row is None or not row.types:
            continue
        inputs = tuple([None if t is None else t.type for t in node.inputs])
        outputs = tuple([t.type for t in node.outputs])
        key = (row.name, inputs, outputs)
        runs = verdicts.get(key)
        if runs is None:
            runs = verdicts[key] = any(r.allows(inputs, outputs) for r in row.types)
        if not runs:
            kind = _kind(node, inputs, outputs)
            same = key if kind == "unsupported-type" else ("", (), ())
            groups[kind, *same].append(node)
    for (kind, *_), nodes in groups.items():
        yield _FINDINGS[kind](nodes)


def _kind(node: Node, inputs: Types, outputs: Types) -> str:
    if "FLOAT16" in inputs:
        return "float16-weights"
    if _is_hybrid(node):
        return "hybrid-operator"
    if "UINT8" in inputs or "UINT8" in outputs:
        return "uint8-core"
    return "unsupported-type"


def _is_hybrid(node: Node) -> bool:
    data = node.data
    if node.row is None or data is None or data.type != "FLOAT32":
        return False
    weights = [node.input(i) for i in node.row.weights]
    return any(w is not None and w.type in _QUANTIZED for w in weights)


def _at(nodes: Sequence[Node], tensor: Tensor | None = None) -> tuple[int, int, int | None]:
    index = tensor.index if tensor is not None else None
    return nodes[0].subgraph.index, nodes[0].operator.index, index


def _hybrid(nodes: Sequence[Node]) -> Finding:
    node = nodes[0]
    weights = next(
        w
        for w in (node.input(i) for i in (node.row.weights if node.row else ()))
        if w is not None and w.type in _QUANTIZED
    )
    return Finding(
        "hybrid-operator",
        "error",
        *_at(nodes, weights),
        f"{first_and_count(nodes)} takes FLOAT32 activations with {weights.type} weights "
        f"({quoted(weights)}, {size(weights.stored_bytes)}): dynamic-range quantization, which "
        "TFLM refuses.",
        fixes.FULL_INT8,
        "tensorflow/tensorflow#43386",
    )


def _float16(nodes: Sequence[Node]) -> Finding:
    weights = [t for n in nodes for t in n.inputs if t is not None and t.type == "FLOAT16"]
    total = sum(t.stored_bytes for t in weights)
    return Finding(
        "float16-weights",
        "error",
        *_at(nodes, weights[0]),
        f"{first_and_count(nodes)} reads FLOAT16 ({quoted(weights[0])}; {count(len(weights))} "
        f"tensors, {size(total)} in all), a type that no TFLM kernel runs.",
        fixes.FULL_INT8,
        "tensorflow/tflite-micro#2587",
    )


def _uint8(nodes: Sequence[Node]) -> Finding:
    return Finding(
        "uint8-core",
        "error",
        *_at(nodes),
        f"{first_and_count(nodes)} computes in UINT8, the TensorFlow 1 scheme that TFLM dropped "
        "(uint8 inputs and outputs alone would be fine).",
        fixes.FULL_INT8,
        "tensorflow/tflite-micro#280",
    )


def _unsupported(nodes: Sequence[Node]) -> Finding:
    node = nodes[0]
    rows = node.row.types if node.row else ()
    inputs = [None if t is None else t.type for t in node.inputs]
    best = [r.text for r in rows if r.inputs[:1] == tuple(inputs[:1])] or [r.text for r in rows]
    runs = " or ".join(_spell(text) for text in best[:4])
    found = _list(inputs) + " -> " + _list([t.type for t in node.outputs])
    arg = node.name in ("ARG_MAX", "ARG_MIN") and node.outputs[0].type == "INT64"
    return Finding(
        "unsupported-type",
        "error",
        *_at(nodes, node.outputs[0] if node.outputs else None),
        f"{first_and_count(nodes)} has the types {found}, and its TFLM kernel runs {runs}"
        f"{', ...' if len(best) > 4 else ''}.",
        fixes.ARG_INT32.replace("argmax", node.name.lower().replace("_", "")) if arg else "",
        "tensorflow/tflite-micro: kernels/arg_min_max.cc" if arg else "tensorflow/tensorflow#60055",
    )


def _list(types: Sequence[str | None]) -> str:
    shown = [t or "-" for t in types[:6]]
    return ", ".join(shown) + (", ..." if len(types) > 6 else "") if types else "nothing"


def _spell(text: str) -> str:
    inputs, outputs = text.rstrip("*").split("->")
    sides = (_list([_LONG[t] for t in side.split(",") if t]) for side in (inputs, outputs))
    return " -> ".join(sides)


_FINDINGS = {
    "hybrid-operator": _hybrid,
    "float16-weights": _float16,
    "uint8-core": _uint8,
    "unsupported-type": _unsupported,
}
