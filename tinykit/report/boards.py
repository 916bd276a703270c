# SPDX-License-Identifier: Apache-2.0
"""The reports of `tinykit boards`: a table of boards, or one board with all its sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinykit.board import Board, Region, aliases_of
from tinykit.report.document import Block, Document, Fact, Facts, Heading, Note, Table
from tinykit.report.json import document
from tinykit.sanitise import printable
from tinykit.units import capacity, si


def boards_document(words: Sequence[str], boards: Sequence[Board]) -> Document:
    """Return the table of `boards`."""
    asked = f" with {printable(' '.join(words))!r}" if words else ""
    if not boards:
        hint = Note("try fewer words, or write a board file of your own: see boards/README.md")
        return Document(f"no board{asked}", "bad", (hint,))
    columns = ("board", "name", "core", "clock", "largest RAM", "flash", "kernels", "checked")
    rows = tuple(
        (
            b.id,
            printable(b.name, limit=44),
            b.core,
            si(b.f_max_hz, "Hz"),
            capacity(b.largest_ram_bytes),
            capacity(b.flash_bytes),
            b.kernels,
            "yes" if b.checked else "no",
        )
        for b in boards
    )
    table = Table(columns, rows, frozenset({"clock", "largest RAM", "flash"}))
    return Document(f"{len(boards)} boards{asked}", "plain", (table,))


def board_document(board: Board) -> Document:
    """Return one board with the source of every fact."""
    sources = board.sources

    def fact(label: str, value: str, key: str) -> Fact:
        return Fact(label, value, "", printable(sources.get(key, "")))

    facts = (
        fact("mcu", board.mcu, "mcu"),
        fact("core", board.core + (f" x{board.cores}" if board.cores > 1 else ""), "core"),
        fact("extension", board.isa, "isa"),
        fact("fpu", board.fpu, "fpu"),
        fact("clock", si(board.f_max_hz, "Hz"), "f_max_hz"),
        fact("icache", _cache(board.icache_bytes), "icache_bytes"),
        fact("dcache", _cache(board.dcache_bytes), "dcache_bytes"),
    )
    columns = ("memory", "kind", "address", "size", "reserved", "for", "use", "source")
    rows = tuple(_region_row(r) for r in board.regions)
    blocks: list[Block] = [Heading("Core"), Facts(facts)]
    blocks += [Heading("Memory"), Table(columns, rows, frozenset({"address", "size", "reserved"}))]
    names = ", ".join(aliases_of(board.id))
    if names:
        blocks.append(Note(f"also known as {names}"))
    blocks += [Note(printable(note, limit=400)) for note in board.notes]
    for p in board.power:
        figure = f"{si(p.watts, 'W')} at {p.volts:g} V, {si(p.hz, 'Hz')} ({p.status})"
        blocks.append(Note(f"power: {figure}; {printable(p.source)}"))
    if not board.power:
        blocks.append(Note("power: unknown; no published measurement"))
    if board.unverified:
        blocks.append(Note("unverified: " + ", ".join(board.unverified), "warn"))
    state = "" if board.checked else " (PlatformIO catalogue: one bank, not checked)"
    verdict = f"{board.id}: {printable(board.name)}, {printable(board.vendor)}{state}"
    return Document(verdict, "plain", tuple(blocks))


def _cache(size_bytes: int | None) -> str:
    return "unknown" if size_bytes is None else capacity(size_bytes) if size_bytes else "none"


def _region_row(region: Region) -> tuple[str, ...]:
    return (
        region.name,
        region.kind,
        f"0x{region.address:08x}",
        capacity(region.size_bytes),
        capacity(region.reserved_bytes) if region.reserved_bytes else "",
        printable(region.reserved_for),
        region.use,
        printable(region.source),
    )


def boards_json(words: Sequence[str], boards: Sequence[Board]) -> str:
    """Return the `tinykit.boards` document."""
    return document(
        "tinykit.boards", {"words": list(words)}, {"boards": [_json(b) for b in boards]}
    )


def board_json(board: Board) -> str:
    """Return the `tinykit.board` document."""
    return document("tinykit.board", {"board": {"name": board.id}}, _json(board))


def _json(board: Board) -> dict[str, Any]:
    return {
        "name": board.id,
        "title": board.name,
        "vendor": board.vendor,
        "mcu": board.mcu,
        "core": board.core,
        "cores": board.cores,
        "isa": board.isa,
        "fpu": board.fpu,
        "f_max_hz": board.f_max_hz,
        "icache_bytes": board.icache_bytes,
        "dcache_bytes": board.dcache_bytes,
        "kernels": board.kernels,
        "checked": board.checked,
        "largest_ram_bytes": board.largest_ram_bytes,
        "flash_bytes": board.flash_bytes,
        "regions": [
            {
                "name": r.name,
                "kind": r.kind,
                "address": r.address,
                "size_bytes": r.size_bytes,
                "reserved_bytes": r.reserved_bytes,
                "reserved_for": r.reserved_for,
                "use": r.use,
                "source": r.source,
            }
            for r in board.regions
        ],
        "sources": dict(board.sources),
        "notes": list(board.notes),
    }
