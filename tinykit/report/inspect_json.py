# SPDX-License-Identifier: Apache-2.0
"""The `tinykit.inspect` JSON document: everything the file says but the weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinykit.model.cost import ModelCost
from tinykit.model.findings import Finding
from tinykit.model.graph import Graph, Quantization, Subgraph, Tensor
from tinykit.report.findings import finding_json
from tinykit.report.json import document


def inspect_json(name: str, graph: Graph, cost: ModelCost, findings: Sequence[Finding]) -> str:
    """Return the `tinykit.inspect` document."""
    inputs = {"model": {"name": name, "sha256": graph.sha256, "size_bytes": graph.size_bytes}}
    result = {
        "runs_on_tflm": not any(f.severity == "error" and f.holds_with("") for f in findings),
        "version": graph.version,
        "description": graph.description,
        "macs": cost.macs,
        "known_macs": cost.known_macs,
        "subgraphs": [_subgraph(s, cost) for s in graph.subgraphs],
        "signatures": [
            {
                "key": s.key,
                "subgraph": s.subgraph,
                "inputs": dict(s.inputs),
                "outputs": dict(s.outputs),
            }
            for s in graph.signatures
        ],
        "metadata": {key: len(value) for key, value in graph.metadata.items()},
        "findings": [finding_json(f) for f in findings],
    }
    return document("tinykit.inspect", inputs, result, graph.notes)


def _subgraph(subgraph: Subgraph, cost: ModelCost) -> dict[str, Any]:
    costs = {c.operator: c for c in cost.operators if c.subgraph == subgraph.index}
    return {
        "index": subgraph.index,
        "name": subgraph.name,
        "inputs": list(subgraph.inputs),
        "outputs": list(subgraph.outputs),
        "operators": [
            {
                "index": op.index,
                "name": op.name,
                "custom_code": op.custom_code,
                "version": op.version,
                "inputs": list(op.inputs),
                "outputs": list(op.outputs),
                "options": {
                    k: list(v) if isinstance(v, tuple) else v for k, v in op.options.items()
                },
                "macs": costs[op.index].macs,
                "element_ops": costs[op.index].element_ops,
                "weight_bytes": costs[op.index].weight_bytes,
                "bias_bytes": costs[op.index].bias_bytes,
                "input_bytes": costs[op.index].input_bytes,
                "output_bytes": costs[op.index].output_bytes,
            }
            for op in subgraph.operators
        ],
        "tensors": [_tensor(t) for t in subgraph.tensors],
    }


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "index": tensor.index,
        "name": tensor.name,
        "type": tensor.type,
        "shape": list(tensor.shape),
        "shape_signature": list(tensor.shape_signature),
        "size_bytes": tensor.stored_bytes,
        "is_constant": tensor.is_constant,
        "is_variable": tensor.is_variable,
        "data_offset_bytes": tensor.data_offset,
        "quantization": _quantization(tensor.quantization),
    }


def _quantization(quantization: Quantization | None) -> dict[str, Any] | None:
    if quantization is None:
        return None
    return {
        "scales": list(quantization.scales),
        "zero_points": list(quantization.zero_points),
        "dimension": quantization.dimension,
    }
