# SPDX-License-Identifier: Apache-2.0
"""Shapes that TFLM refuses or that betray an open batch size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinykit.model.checks import fixes
from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import first_and_count, quoted
from tinykit.units import count, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tinykit.model.checks.view import Node, View
    from tinykit.model.graph import Subgraph, Tensor

_ADDRESS_SPACE_BYTES = 1 << 31
"""TFLM keeps sizes and offsets of buffers in `int`."""


def check(view: View) -> Iterator[Finding]:
    """Yield findings about open, impossible, too many or too large dimensions."""
    yield from _open_batch(view)
    for subgraph in view.graph.subgraphs:
        yield from _open_inputs(subgraph)
        yield from _too_large(subgraph)
    for node in view.nodes:
        yield from _dynamic(node)
        row = node.row
        if row is None:
            continue
        data = node.data
        if row.ranks is not None and data is not None:
            yield from _rank(node, data, *row.ranks)
        if row.inputs[1] < len(node.inputs) or row.outputs[1] < len(node.outputs):
            yield _too_many(node)
        if row.name == "RESHAPE":
            yield from _reshape(node)
        if node.operator.intermediates:
            yield from _intermediates(node)


def _open_batch(view: View) -> Iterator[Finding]:
    """Yield the cost of a batch of -1: operators that compute a shape known beforehand."""
    shapes = view.named.get("SHAPE", [])
    if not shapes:
        return
    main = view.graph.main
    inputs = [main.tensors[i] for i in main.inputs if 0 <= i < len(main.tensors)]
    opened = [t for t in inputs if -1 in t.shape_signature or -1 in t.shape]
    if not opened:
        return
    made = {(n.subgraph.index, t.index) for n in shapes for t in n.outputs}
    slices = [n for n in view.named.get("STRIDED_SLICE", []) if _reads(n, made)]
    made |= {(n.subgraph.index, t.index) for n in slices for t in n.outputs}
    packs = [n for n in view.named.get("PACK", []) if _reads(n, made)]
    first = opened[0]
    yield Finding(
        "dynamic-batch",
        "warning",
        shapes[0].subgraph.index,
        shapes[0].operator.index,
        first.index,
        f"Input {quoted(first)} has the shape {list(first.shape_signature or first.shape)}, so the "
        f"model computes shapes as it runs: {count(len(shapes))} SHAPE, {count(len(slices))} "
        f"STRIDED_SLICE and {count(len(packs))} PACK that a fixed batch of 1 removes.",
        fixes.fixed_batch(inputs),
        "tensorflow/tflite-micro#3070",
    )


def _reads(node: Node, made: set[tuple[int, int]]) -> bool:
    return any(t is not None and (node.subgraph.index, t.index) in made for t in node.inputs)


def _open_inputs(subgraph: Subgraph) -> Iterator[Finding]:
    if subgraph.index:
        return
    for index in subgraph.inputs:
        if not 0 <= index < len(subgraph.tensors):
            continue
        tensor = subgraph.tensors[index]
        if tensor.is_dynamic:
            yield Finding(
                "dynamic-shape",
                "error",
                subgraph.index,
                None,
                index,
                f"Input {quoted(tensor)} has the shape {list(tensor.shape)}, and TFLM plans its "
                "memory before it runs.",
                fixes.fixed_batch([tensor]),
                "tensorflow/tflite-micro#3070",
            )
        elif -1 in tensor.shape_signature[1:]:
            yield Finding(
                "dynamic-dimension",
                "warning",
                subgraph.index,
                None,
                index,
                f"Input {quoted(tensor)} was left open as {list(tensor.shape_signature)} and was "
                f"written as {list(tensor.shape)}: all figures hold for that size only.",
                fixes.fixed_batch([tensor]),
                "tensorflow/tflite-micro#3070",
            )


def _too_large(subgraph: Subgraph) -> Iterator[Finding]:
    for tensor in subgraph.tensors:
        if tensor.data is None and tensor.stored_bytes >= _ADDRESS_SPACE_BYTES:
            yield Finding(
                "tensor-too-large",
                "error",
                subgraph.index,
                None,
                tensor.index,
                f"The {quoted(tensor)} of shape {list(tensor.shape)} takes "
                f"{size(tensor.stored_bytes)}, and TFLM counts buffers up to "
                f"{size(_ADDRESS_SPACE_BYTES - 1)}.",
                source="tensorflow/tflite-micro#3071",
            )


def _dynamic(node: Node) -> Iterator[Finding]:
    """Yield outputs with a dimension below 1; [0] is an old way to write a scalar."""
    for tensor in node.outputs:
        shape = tensor.shape
        if not shape or min(shape) > 0 or shape == (0,):
            continue
        solvable = sum(d < 1 for d in shape) == 1 and -1 in shape
        if solvable and node.row is not None and node.row.name == "RESHAPE":
            continue
        yield Finding(
            "dynamic-shape",
            "error",
            node.subgraph.index,
            node.operator.index,
            tensor.index,
            f"{node.place} writes {quoted(tensor)} of shape {list(shape)}, and TFLM wants every "
            "dimension known and above 0.",
            source="tensorflow/tflite-micro#3070",
        )


def _rank(node: Node, data: Tensor, fewest: int, most: int) -> Iterator[Finding]:
    if fewest <= len(data.shape) <= most:
        return
    wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
    yield Finding(
        "unsupported-rank",
        "error",
        node.subgraph.index,
        node.operator.index,
        data.index,
        f"{node.place} reads {quoted(data)} of {len(data.shape)} dimensions, and its TFLM kernel "
        f"takes {wanted}.",
        source="tensorflow/tflite-micro: the kernel's Prepare",
    )


def _too_many(node: Node) -> Finding:
    row = node.row
    inputs, outputs = (row.inputs[1], row.outputs[1]) if row is not None else (0, 0)
    over_inputs = len(node.inputs) > inputs
    found, most = (len(node.inputs), inputs) if over_inputs else (len(node.outputs), outputs)
    return Finding(
        "unsupported-arity",
        "error",
        node.subgraph.index,
        node.operator.index,
        None,
        f"{node.place} has {count(found)} {'inputs' if over_inputs else 'outputs'}, and its TFLM "
        f"kernel takes at most {count(most)}.",
        source="tensorflow/tflite-micro: the kernel's Prepare",
    )


def _reshape(node: Node) -> Iterator[Finding]:
    data, output = node.data, node.outputs[0]
    if data is None or data.is_dynamic or output.is_dynamic or data.elements == output.elements:
        return
    if not output.elements or not data.elements:
        return
    yield Finding(
        "reshape-mismatch",
        "error",
        node.subgraph.index,
        node.operator.index,
        output.index,
        f"{node.place} turns {count(data.elements)} elements {list(data.shape)} into "
        f"{count(output.elements)} {list(output.shape)}.",
        fixes.fixed_batch([data]),
        "tensorflow/tflite-micro#3070",
    )


def _intermediates(node: Node) -> Iterator[Finding]:
    tensors = node.subgraph.tensors
    for index in node.operator.intermediates:
        if 0 <= index < len(tensors) and tensors[index].stored_bytes:
            yield Finding(
                "nonempty-intermediate",
                "error",
                node.subgraph.index,
                node.operator.index,
                index,
                f"{first_and_count([node])} has the intermediate {quoted(tensors[index])} of "
                f"{size(tensors[index].stored_bytes)}, and TFLM allows only empty ones.",
                source="tensorflow/tflite-micro: micro_allocation_info.cc",
            )
