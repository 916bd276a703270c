# SPDX-License-Identifier: Apache-2.0
"""Findings for a person: gravest first, and the same thing said once."""

from __future__ import annotations

from tinykit.model.findings import Finding
from tinykit.report.document import Heading, Note
from tinykit.report.findings import finding_blocks


def _finding(code: str, severity: str, operator: int) -> Finding:
    return Finding(code, severity, 0, operator, None, f"operator {operator}", "fix()")  # type: ignore[arg-type]


def test_nothing_found_is_nothing_said() -> None:
    assert finding_blocks([]) == []


def test_gravest_first_and_alike_together() -> None:
    found = [_finding("b", "info", 9), *(_finding("a", "error", k) for k in range(12))]
    heading, first, second = finding_blocks(found)
    assert isinstance(heading, Heading)
    assert isinstance(first, Note)
    assert first.text == (
        "error a: operator 0 And 11 more like it (operators 1, 2, 3, 4, 5, 6, 7, 8, …)."
    )
    assert first.code == "fix()"
    assert isinstance(second, Note)
    assert second.text == "info b: operator 9"


def test_finding_of_one_kernel_library_says_so() -> None:
    one = Finding("x", "warning", 0, None, None, "text", applies_to="esp-nn")
    (_, note) = finding_blocks([one])
    assert isinstance(note, Note)
    assert note.text == "warning x (with esp-nn only): text"
