# SPDX-License-Identifier: Apache-2.0
"""The report of `tinykit doctor`: what is there, what is not, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinykit.report.document import Block, Document, Heading, Note, Table, Tone
from tinykit.report.json import document
from tinykit.toolchain.inventory import PURPOSES, Item, Purpose, lacking


def doctor_document(items: Sequence[Item], purpose: Purpose | None) -> Document:
    """Return the report, with advice on what the purpose lacks, or on everything."""
    rows = tuple((item.name, item.state, item.found or item.remark) for item in items)
    wanting = [i for i in items if i.state != "present"]
    if purpose is not None:
        wanting = list(lacking(items, purpose))
    blocks: list[Block] = [Table(("what", "state", "found"), rows), *_advice(wanting)]
    return Document(*_verdict(items, purpose), tuple(blocks))


def doctor_json(items: Sequence[Item], purpose: Purpose | None) -> str:
    """Return the `tinykit.doctor` document."""
    wanting = [] if purpose is None else [item.name for item in lacking(items, purpose)]
    result = {
        "ready": {p: not lacking(items, p) for p in PURPOSES},
        "lacking": wanting,
        "items": [
            {
                "name": item.name,
                "state": item.state,
                "found": item.found,
                "remark": item.remark,
                "command": item.command or None,
                "needed_for": item.needed_for,
            }
            for item in items
        ],
    }
    return document("tinykit.doctor", {"for": purpose}, result)


def _verdict(items: Sequence[Item], purpose: Purpose | None) -> tuple[str, Tone]:
    if purpose is not None:
        wanting = lacking(items, purpose)
        if not wanting:
            return f"READY for {purpose}", "good"
        return f"NOT READY for {purpose}: {', '.join(item.name for item in wanting)}", "bad"
    ready = [p for p in PURPOSES if not lacking(items, p)]
    other = [p for p in PURPOSES if p not in ready]
    if not other:
        return f"READY for {', '.join(ready)}", "good"
    return f"READY for {', '.join(ready)}; not for {', '.join(other)}", "warn"


def _advice(wanting: Sequence[Item]) -> Iterator[Block]:
    """Yield what to do, things that one command brings together."""
    if wanting:
        yield Heading("what to do")
    for command in dict.fromkeys(item.command for item in wanting):
        together = [item for item in wanting if item.command == command]
        text = "; ".join(f"{item.name}: {item.remark}" for item in together)
        yield Note(text, "warn", command)
