# SPDX-License-Identifier: Apache-2.0
"""Float where one would want int8: islands in an int8 model, its inputs and outputs, all of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tinykit.model.checks import fixes
from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import quoted
from tinykit.units import count, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tinykit.model.checks.view import Node, View
    from tinykit.model.graph import Tensor

_C_TYPES = {"FLOAT32": "float", "UINT8": "uint8_t", "INT8": "int8_t", "INT16": "int16_t"}
_INTEGER = frozenset({"INT8", "INT16"})


def check(view: View) -> Iterator[Finding]:
    """Yield what runs in float and what C type the firmware writes."""
    integer = next(
        (t.type for n in view.nodes for t in n.outputs if t.type in _INTEGER and n.row), None
    )
    if integer is None:
        yield from _float_model(view)
        return
    yield from _islands(view)
    yield from _boundary(view, "FLOAT32", integer)
    yield from _boundary(view, "UINT8", integer)


def _float_model(view: View) -> Iterator[Finding]:
    if view.named.get("DEQUANTIZE"):
        return
    layers = [n for n in view.nodes if n.row is not None and n.row.weights]
    if any(t is not None and t.type in ("INT8", "UINT8") for n in layers for t in n.inputs):
        return
    for node in layers:
        if node.data is not None and node.data.type == "FLOAT32":
            yield Finding(
                "float-model",
                "info",
                node.subgraph.index,
                node.operator.index,
                None,
                f"The model computes in float32 (first in {node.place}): weights and activations "
                "take 4 bytes each where int8 takes 1, and CMSIS-NN and ESP-NN speed up int8 only.",
                fixes.FULL_INT8,
                "tensorflow/tflite-micro#2473",
            )
            return


def _boundary(view: View, dtype: str, integer: str) -> Iterator[Finding]:
    """Yield one finding for all inputs and outputs of one type round an integer core."""
    main = view.graph.main
    total = len(main.tensors)
    inputs = [main.tensors[i] for i in main.inputs if 0 <= i < total]
    outputs = [main.tensors[i] for i in main.outputs if 0 <= i < total]
    found = [(w, t) for w, ts in (("input", inputs), ("output", outputs)) for t in ts]
    found = [(w, t) for w, t in found if t.type == dtype]
    if not found:
        return
    named = ", ".join(f"{what} {quoted(t)} {list(t.shape)}" for what, t in found[:4])
    held = sum(t.stored_bytes for _, t in found)
    what = f"The core is {integer} and {named}{', ...' if len(found) > 4 else ''} "
    what += f"{'are' if len(found) > 1 else 'is'} {dtype}: the firmware reads and writes "
    what += f"`{_C_TYPES[dtype]}`"
    if dtype == "FLOAT32":
        factor = 4 if integer == "INT8" else 2
        what += f", {size(held)} where {integer} takes {size(held // factor)}"
    else:
        what += ", and QUANTIZE shifts it by 128"
    fix = fixes.INT8_INPUT_OUTPUT if integer == "INT8" else fixes.INT16_INPUT_OUTPUT
    yield Finding(
        "float-io" if dtype == "FLOAT32" else "uint8-io",
        "info",
        0,
        None,
        found[0][1].index,
        what + ".",
        fix if dtype == "FLOAT32" else "",
        "tensorflow/tensorflow#40477" if dtype == "FLOAT32" else "tensorflow/tflite-micro#280",
    )


def _is_float(tensor: Tensor | None) -> bool:
    return tensor is not None and tensor.type == "FLOAT32" and not tensor.is_constant


def _islands(view: View) -> Iterator[Finding]:
    """Yield one finding per group of float operators that hang together by float activations."""
    nodes = [n for n in view.nodes if any(map(_is_float, (*n.inputs, *n.outputs)))]
    parent: dict[tuple[int, int], tuple[int, int]] = {}

    def root(key: tuple[int, int]) -> tuple[int, int]:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    joined: list[tuple[Node, tuple[int, int]]] = []
    for node in nodes:
        keys = [
            (node.subgraph.index, t.index)
            for t in (*node.inputs, *node.outputs)
            if t is not None and _is_float(t)
        ]
        for key in keys[1:]:
            parent[root(key)] = root(keys[0])
        joined.append((node, keys[0]))
    islands: dict[tuple[int, int], list[Node]] = {}
    for node, key in joined:
        islands.setdefault(root(key), []).append(node)
    for island in islands.values():
        yield from _island(island)


def _island(nodes: Sequence[Node]) -> Iterator[Finding]:
    enters = [n for n in nodes if n.name == "DEQUANTIZE"]
    leaves = [n for n in nodes if n.name == "QUANTIZE"]
    inside = [n for n in nodes if n.name not in ("DEQUANTIZE", "QUANTIZE")]
    computed = [n for n in enters if n.inputs[0] is not None and not n.inputs[0].is_constant]
    if not (computed and (inside or leaves)) and not (leaves and inside):
        return
    held = {
        t.index: t.stored_bytes
        for n in nodes
        for t in (*n.inputs, *n.outputs)
        if _is_float(t) and t
    }
    total = sum(held.values())
    names = Counter(n.label for n in inside)
    ops = ", ".join(f"{name} x{k}" if k > 1 else name for name, k in sorted(names.items())[:8])
    first = min(nodes, key=lambda n: n.operator.index)
    last = max(nodes, key=lambda n: n.operator.index)
    yield Finding(
        "float-island",
        "warning",
        first.subgraph.index,
        first.operator.index,
        None,
        f"{first.place} to {last.place} run {ops or 'nothing'} in float32 inside a quantized "
        f"model: {count(len(nodes))} operators and {size(total)} of float activations where int8 "
        f"takes {size(total // 4)}.",
        fixes.FULL_INT8 if not (computed and leaves) else "",
        "tensorflow/tflite-micro: NEG and others have no int8 kernel",
    )
