# SPDX-License-Identifier: Apache-2.0
"""What will go wrong with a model on TFLM, found without running it, each with its fix.

Source of the rules: TFLM at the commit that `tinykit.model.operators` names, and public issues
that each finding cites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinykit.model.checks import (
    constants,
    control_flow,
    element_types,
    float_parts,
    kernels,
    order,
    presence,
    quantization,
    shapes,
    storage,
)
from tinykit.model.checks.finding import AppliesTo, Finding, Severity
from tinykit.model.checks.view import View

if TYPE_CHECKING:
    from tinykit.model.graph import Graph

__all__ = ["AppliesTo", "Finding", "Severity", "find_problems"]

_CHECKS = (
    presence.check,
    element_types.check,
    constants.check,
    shapes.check,
    quantization.check,
    order.check,
    control_flow.check,
    storage.check,
    float_parts.check,
    kernels.check,
)
_GRAVITY = {"error": 0, "warning": 1, "info": 2}


def find_problems(graph: Graph) -> tuple[Finding, ...]:
    """Return what is wrong with or worth knowing about a model, gravest first.

    Order: severity, subgraph, operator, tensor, code; the model as a whole comes before its
    operators. Takes any graph, damaged ones too, in time linear in its size.
    """
    if not graph.subgraphs:
        return (Finding("no-subgraph", "error", 0, None, None, "The model has no subgraph."),)
    view = View(graph)
    found = [*view.malformed, *(f for check in _CHECKS for f in check(view))]
    return tuple(sorted(found, key=_rank))


def _rank(finding: Finding) -> tuple[int, int, int, int, str]:
    operator = -1 if finding.operator is None else finding.operator
    tensor = -1 if finding.tensor is None else finding.tensor
    return _GRAVITY[finding.severity], finding.subgraph, operator, tensor, finding.code
