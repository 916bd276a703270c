# SPDX-License-Identifier: Apache-2.0
"""The text face, against drawings made by hand."""

from __future__ import annotations

from click import unstyle

from tinykit.report.document import Bar, Document, Fact, Facts, Heading, Note, Table
from tinykit.report.text import text


def _drawn(*blocks: Bar | Facts | Heading | Note | Table) -> list[str]:
    return unstyle(text(Document("model: FITS", "good", blocks))).splitlines()[1:]


def test_verdict_comes_first() -> None:
    assert unstyle(text(Document("model: FITS", "good", ()))) == "model: FITS\n"


def test_bar_is_proportional() -> None:
    bar = Bar("RAM", (("arena", 50), ("stack", 10)), 100, "in SRAM")
    assert _drawn(bar) == [
        "RAM   [###############===............] 60 %  60 B of 100 B",
        "       # arena  = stack  in SRAM",
    ]


def test_bar_that_overflows_ends_in_a_mark() -> None:
    (bar, _) = _drawn(Bar("Flash", (("model", 150),), 100))
    assert bar == "Flash [#############################!] 150 %  150 B of 100 B"


def test_figures_align_right_and_words_left() -> None:
    facts = Facts((Fact("used", "772 B", "exact", "a"), Fact("needed", "1,168 B", "exact")))
    assert _drawn(facts) == ["  used      772 B  exact  a", "  needed  1,168 B  exact"]
    assert _drawn(Facts((Fact("core", "m4"), Fact("mcu", "x")))) == ["  core  m4", "  mcu   x"]


def test_table_without_rows_keeps_its_heads() -> None:
    assert _drawn(Table(("a", "b"), ())) == ["  a  b"]


def test_table_aligns_named_columns_right() -> None:
    table = Table(("op", "name"), (("1", "CONV_2D"), ("10", "ADD")), frozenset({"op"}))
    assert _drawn(table) == ["  op  name", "   1  CONV_2D", "  10  ADD"]


def test_note_wraps_and_code_does_not() -> None:
    note = Note("word " * 30, code="x = 1\ny = 2")
    lines = _drawn(note)
    assert all(len(line) <= 100 for line in lines)
    assert lines[-2:] == ["      x = 1", "      y = 2"]
