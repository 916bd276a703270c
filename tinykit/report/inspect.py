# SPDX-License-Identifier: Apache-2.0
"""The report of `tinykit inspect` for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tinykit.model.cost import ModelCost
from tinykit.model.findings import Finding
from tinykit.model.graph import Graph, Operator, Subgraph, Tensor
from tinykit.report.document import Block, Document, Heading, Note, Table, Tone
from tinykit.report.findings import finding_blocks
from tinykit.sanitise import printable
from tinykit.units import count, si, size

_NAME_CHARS = 40


def inspect_document(
    name: str,
    graph: Graph,
    cost: ModelCost,
    findings: Sequence[Finding],
    *,
    tensors: bool = False,
) -> Document:
    """Return the report; `tensors` lists every tensor, not only the model's inputs and outputs."""
    errors = sum(f.severity == "error" and f.holds_with("") for f in findings)
    warnings = sum(f.severity == "warning" for f in findings)
    tone: Tone = "bad" if errors else "warn" if warnings else "good"
    words = "runs on TensorFlow Lite Micro" if not errors else "CANNOT RUN on TensorFlow Lite Micro"
    verdict = f"{printable(name)}: {words} ({errors} errors, {warnings} warnings)"
    blocks: list[Block] = [Note(_summary(graph, cost))]
    blocks += _interface(graph.main)
    blocks += finding_blocks(findings)
    for subgraph in graph.subgraphs:
        blocks += _operators(graph, subgraph, cost)
        if tensors:
            heading = f"Tensors of subgraph {subgraph.index}"
            blocks += [Heading(heading), _tensor_table(subgraph.tensors)]
    return Document(verdict, tone, tuple(blocks))


def _summary(graph: Graph, cost: ModelCost) -> str:
    operators = sum(len(s.operators) for s in graph.subgraphs)
    tensors = sum(len(s.tensors) for s in graph.subgraphs)
    weights = sum(c.weight_bytes + c.bias_bytes for c in cost.operators)
    unknown = f", {len(cost.unknown)} operators not counted" if cost.unknown else ""
    return (
        f"{size(graph.size_bytes)}, {len(graph.subgraphs)} subgraph(s), {operators} operators, "
        f"{tensors} tensors, {si(cost.known_macs, 'MAC')} per inference{unknown}, "
        f"{size(weights)} of constants read"
    )


def _interface(main: Subgraph) -> list[Block]:
    blocks: list[Block] = []
    for title, indices in (("Inputs", main.inputs), ("Outputs", main.outputs)):
        blocks += [Heading(title), _tensor_table(main.tensors[i] for i in indices)]
    return blocks


def _tensor_table(tensors: Iterable[Tensor]) -> Table:
    columns = ("tensor", "name", "type", "shape", "bytes", "scale", "zero point", "kind")
    rows = tuple(_tensor_row(t) for t in tensors)
    return Table(columns, rows, frozenset({"tensor", "bytes", "scale", "zero point"}))


def _tensor_row(tensor: Tensor) -> tuple[str, ...]:
    scale, zero_point = "", ""
    q = tensor.quantization
    if q is not None and q.scales:
        scale = f"{q.scales[0]:.9g}" if not q.per_channel else f"{len(q.scales)} channels"
        zero_point = str(q.zero_points[0]) if q.zero_points else "missing"
    kind = "constant" if tensor.is_constant else "variable" if tensor.is_variable else ""
    return (
        str(tensor.index),
        printable(tensor.name, limit=_NAME_CHARS),
        tensor.type,
        _signature(tensor),
        count(tensor.stored_bytes),
        scale,
        zero_point,
        kind,
    )


def _shape(tensor: Tensor) -> str:
    return "[" + ",".join(str(d) for d in tensor.shape) + "]"


def _signature(tensor: Tensor) -> str:
    """Return the shape, and beside it the converter's where that leaves a dimension open."""
    if any(d < 0 for d in tensor.shape_signature):
        open_shape = ",".join(str(d) for d in tensor.shape_signature)
        return f"{_shape(tensor)} from [{open_shape}]"
    return _shape(tensor)


def _operators(graph: Graph, subgraph: Subgraph, cost: ModelCost) -> list[Block]:
    macs = {(c.subgraph, c.operator): c for c in cost.operators}
    rows = []
    for operator in subgraph.operators:
        c = macs[subgraph.index, operator.index]
        rows.append(
            (
                str(operator.index),
                printable(operator.label, limit=_NAME_CHARS),
                str(operator.version),
                _reads(subgraph, operator),
                _writes(subgraph, operator),
                "?" if c.macs is None else count(c.macs),
                count(c.weight_bytes),
            )
        )
    columns = ("op", "operator", "version", "reads", "writes", "MACs", "weight bytes")
    right = frozenset({"op", "version", "MACs", "weight bytes"})
    title = "Operators" if len(graph.subgraphs) == 1 else f"Operators of subgraph {subgraph.index}"
    return [Heading(title), Table(columns, tuple(rows), right)]


def _reads(subgraph: Subgraph, operator: Operator) -> str:
    """Return type and shape of the first input that is computed, else of the first input."""
    present = [subgraph.tensors[i] for i in operator.inputs if i >= 0]
    tensor = next((t for t in present if not t.is_constant), next(iter(present), None))
    return "" if tensor is None else f"{tensor.type} {_shape(tensor)}"


def _writes(subgraph: Subgraph, operator: Operator) -> str:
    if not operator.outputs:
        return ""
    tensor = subgraph.tensors[operator.outputs[0]]
    more = f" +{len(operator.outputs) - 1}" if len(operator.outputs) > 1 else ""
    return f"{tensor.type} {_shape(tensor)}{more}"
