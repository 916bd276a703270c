# SPDX-License-Identifier: Apache-2.0
"""Findings that only the arena shows: one operator sets its size, or the planner leaves gaps."""

from __future__ import annotations

from tinykit.estimate.advice import peak
from tinykit.model.findings import Finding
from tinykit.model.graph import Graph
from tinykit.tflm.arena import Arena
from tinykit.units import size


def arena_findings(graph: Graph, needs: Arena) -> tuple[Finding, ...]:
    """Return what the arena of `graph` shows about the model, most useful first."""
    found = []
    top = peak(needs)
    if top is not None and top.lonely:
        label = graph.subgraphs[top.subgraph].operators[top.operator].label
        message = (
            f"operator {top.operator} ({label}) alone sets the size of the arena: "
            f"{size(top.live_bytes)} are live there, at most {size(top.elsewhere_bytes)} anywhere "
            "else"
        )
        found.append(Finding("lonely-peak", "info", top.subgraph, top.operator, None, message))
    if needs.head > needs.lower_bound:
        message = (
            f"TFLM's planner spreads the tensors over {size(needs.head)} although never more than "
            f"{size(needs.lower_bound)} are live at once: a better plan can save up to "
            f"{size(needs.head - needs.lower_bound)}"
        )
        found.append(Finding("planner-gap", "info", 0, None, None, message))
    if needs.needed > needs.used + 15:
        message = (
            f"arena_used_bytes() will report {size(needs.used)}, but an arena of that size fails: "
            f"{needs.needed_for} needs {size(needs.needed)}"
        )
        found.append(Finding("used-is-not-enough", "info", 0, None, None, message))
    return tuple(found)
