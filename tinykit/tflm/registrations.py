# SPDX-License-Identifier: Apache-2.0
"""Which operators of a model can use TFLM's INT8-only registrations, which link far less code."""

from __future__ import annotations

from tinykit.model.graph import Graph
from tinykit.model.operators import int8_registration


def int8_only(graph: Graph) -> frozenset[str]:
    """Return the operators whose every use in `graph` can run from the INT8-only registration."""
    able: dict[str, bool] = {}
    for subgraph in graph.subgraphs:
        for operator in subgraph.operators:
            fits = bool(int8_registration(operator, subgraph))
            able[operator.name] = able.get(operator.name, True) and fits
    return frozenset(name for name, fits in able.items() if fits)
