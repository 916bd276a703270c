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
_PLACES = 8


def finding_blocks(findings: Sequence[Finding]) -> list[Block]:
    """Return the findings as notes, errors first, each with its fix."""
    if not findings:
        return []
    order = {"error": 0, "warning": 1, "info": 2}
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for f in sorted(findings, key=lambda f: order[f.severity]):
        alike.setdefault((f.severity, f.code, f.applies_to), []).append(f)
    blocks: list[Block] = [Heading("Findings")]
    for group in alike.values():
        first = group[0]
        only = "" if first.holds_with("") else f" (with {first.applies_to} only)"
        text = f"{first.severity} {first.code}{only}: {printable(first.message, limit=_MOST_CHARS)}"
        blocks.append(Note(text + _others(group[1:]), _TONES[first.severity], first.fix))
    return blocks


def _others(findings: Sequence[Finding]) -> str:
    """Return where else the same thing was found, "" for nowhere."""
    if not findings:
        return ""
    places = [str(f.operator) for f in findings[:_PLACES] if f.operator is not None]
    where = f" (operators {', '.join(places)}{', …' if len(findings) > _PLACES else ''})"
    return f" And {len(findings):,} more like it{where if places else ''}."


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
