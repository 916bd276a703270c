# SPDX-License-Identifier: Apache-2.0
"""Which operators of a model can use TFLM's INT8-only registrations, which link far less code."""

from __future__ import annotations

from tinykit.model.graph import Graph, Operator, Subgraph
from tinykit.model.operators import support


def int8_only(graph: Graph) -> frozenset[str]:
    """Return the operators whose every use in `graph` runs INT8 activations and weights.

    Only operators that TFLM offers an INT8-only registration for are in the answer.
    """
    able: dict[str, bool] = {}
    for subgraph in graph.subgraphs:
        for operator in subgraph.operators:
            able[operator.name] = able.get(operator.name, True) and _runs_int8(subgraph, operator)
    return frozenset(name for name, int8 in able.items() if int8)


def _runs_int8(subgraph: Subgraph, operator: Operator) -> bool:
    row = support(operator)
    if row is None or not row.int8_registration:
        return False
    inputs = [operator.inputs[k] for k in (row.data, *row.weights) if k < len(operator.inputs)]
    indices = [t for t in (*inputs, *operator.outputs) if t >= 0]
    return all(subgraph.tensors[t].type == "INT8" for t in indices)
