# SPDX-License-Identifier: Apache-2.0
"""The text face: a Document for a person at a terminal.

Drawn here rather than by a library because `tinykit fit` must answer within a quarter of a second
of CPU, of which a terminal toolkit's import alone would take a third.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from click import style

from tinykit.report.document import Bar, Block, Document, Fact, Facts, Heading, Note, Table, Tone
from tinykit.units import size

_COLOURS: dict[Tone, str | None] = {"good": "green", "bad": "red", "warn": "yellow", "plain": None}
_BAR_CELLS = 30
_PART_MARKS = "#=+-~"


def text(document: Document, width: int = 100) -> str:
    """Return the report as lines no wider than `width` where words allow, ending in a newline.

    Colours are always in it; click's echo strips them where the output is no terminal.
    """
    lines = [style(document.verdict, fg=_COLOURS[document.tone], bold=True)]
    for block in document.blocks:
        lines += _draw(block, width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _draw(block: Block, width: int) -> Iterator[str]:
    match block:
        case Heading():
            yield ""
            yield style(block.text, bold=True)
        case Facts():
            yield from _draw_facts(block.rows)
        case Bar():
            yield from _draw_bar(block)
        case Table():
            yield from _draw_table(block)
        case Note():
            yield from _draw_note(block, width)


def _draw_facts(rows: Sequence[Fact]) -> Iterator[str]:
    cells = [(row.label, row.value, row.status, row.remark) for row in rows]
    labels, values, states = (max((len(c[k]) for c in cells), default=0) for k in range(3))
    side = ">" if all(value[:1].isdigit() for _, value, _, _ in cells) else "<"
    gap = "  " if states else ""
    for label, value, status, remark in cells:
        yield f"  {label:<{labels}}  {value:{side}{values}}  {status:<{states}}{gap}{remark}"


def _draw_bar(bar: Bar) -> Iterator[str]:
    share = bar.used_bytes / bar.limit_bytes if bar.limit_bytes else 0.0
    over = bar.used_bytes > bar.limit_bytes
    cells = _bar_cells(bar)
    colour = "red" if over else "green" if share <= 0.9 else "yellow"
    head = f"{size(bar.used_bytes)} of {size(bar.limit_bytes)}"
    percent = f"{100 * share:.0f} %" if share < 10 else f"{share:.0f} times"
    yield f"{style(f'{bar.label:<6}', bold=True)}[{style(cells, fg=colour)}] {percent}  {head}"
    legend = "  ".join(
        f"{_PART_MARKS[k % len(_PART_MARKS)]} {name}" for k, (name, _) in enumerate(bar.parts)
    )
    yield f"       {legend}  {bar.remark}"


def _bar_cells(bar: Bar) -> str:
    """Return the bar itself; what exceeds the limit is shown by a `!` at its end."""
    cells, below = "", 0
    for k, (_, part) in enumerate(bar.parts):
        below += part
        end = min(_BAR_CELLS, round(_BAR_CELLS * below / max(1, bar.limit_bytes)))
        cells += _PART_MARKS[k % len(_PART_MARKS)] * (end - len(cells))
    if bar.used_bytes > bar.limit_bytes:
        return cells[: _BAR_CELLS - 1].ljust(_BAR_CELLS - 1, "#") + "!"
    return cells.ljust(_BAR_CELLS, ".")


def _draw_table(table: Table) -> Iterator[str]:
    widths = [
        max(len(head), *(len(row[k]) for row in table.rows), 0) if table.rows else len(head)
        for k, head in enumerate(table.columns)
    ]

    def line(row: Sequence[str]) -> str:
        cells = (
            f"{cell:>{w}}" if head in table.right else f"{cell:<{w}}"
            for head, cell, w in zip(table.columns, row, widths, strict=True)
        )
        return "  " + "  ".join(cells).rstrip()

    yield style(line(table.columns), dim=True)
    for row in table.rows:
        yield line(row)


def _draw_note(note: Note, width: int) -> Iterator[str]:
    for line in textwrap.wrap(note.text, width - 2, break_long_words=False) or [""]:
        yield "  " + style(line, fg=_COLOURS[note.tone])
    for line in note.code.splitlines():
        yield "      " + style(line, fg="cyan")
