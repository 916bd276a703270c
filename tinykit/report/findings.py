# SPDX-License-Identifier: Apache-2.0
"""Findings as blocks of a report and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinykit.model.findings import Finding
from tinykit.report.document import Block, Heading, Note, Tone
from tinykit.sanitise import printable

_TONES: dict[str, Tone] = {"error": "bad", "warning": "warn", "info": "plain"}
_MOST_CHARS = 400


def finding_blocks(findings: Sequence[Finding]) -> list[Block]:
    """Return the findings as notes, errors first, each with its fix."""
    if not findings:
        return []
    order = {"error": 0, "warning": 1, "info": 2}
    ranked = sorted(findings, key=lambda f: order[f.severity])
    blocks: list[Block] = [Heading("Findings")]
    for f in ranked:
        only = "" if f.holds_with("") else f" (with {f.applies_to} only)"
        text = f"{f.severity} {f.code}{only}: {printable(f.message, limit=_MOST_CHARS)}"
        blocks.append(Note(text, _TONES[f.severity], f.fix))
    return blocks


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return one finding as the JSON documents print it."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "subgraph": finding.subgraph,
        "operator": finding.operator,
        "tensor": finding.tensor,
        "message": finding.message,
        "fix": finding.fix,
        "source": finding.source,
        "applies_to": finding.applies_to,
    }
