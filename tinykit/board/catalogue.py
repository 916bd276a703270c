# SPDX-License-Identifier: Apache-2.0
"""The PlatformIO catalogue as a fallback: boards that nobody of this project has checked.

Owns `boards/catalogue.csv` (PlatformIO's own figures), `boards/corrections.csv` (what is wrong in
them) and `boards/families.csv` (what a core and an MCU family imply). Such a board has one RAM bank
and one flash region, since PlatformIO gives one number for each and no address.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Literal, cast

from tinykit.board.board import Board, PlatformIO, Region
from tinykit.board.cores import Isa
from tinykit.resources import folder

FLASH_ADDRESS, RAM_ADDRESS = 0x0000_0000, 0x2000_0000
"""Placeholders, told apart only so that the regions do not overlap: PlatformIO has no addresses."""

NOTE = "one bank, not checked: sizes as PlatformIO gives them, addresses unknown"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the catalogue, corrections applied.

    Attributes:
        flash_bytes: what PlatformIO calls the maximum size: of the chip, or less a bootloader.
        app_bytes: the application's share of it where that is known to be smaller, else equal.
        notes: doubts about the row.
        corrections: field -> source, for each field that a correction changed.
    """

    id: str
    name: str
    vendor: str
    mcu: str
    core: str
    cores: int
    f_cpu_hz: int
    ram_bytes: int
    flash_bytes: int
    app_bytes: int
    framework: str
    platform: str
    notes: tuple[str, ...]
    corrections: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Correction:
    """One line of `boards/corrections.csv`.

    Attributes:
        column: what `pattern` is held against.
        pattern: shell-style, in lower case.
        field: a column of the catalogue, `app_bytes`, or `note`.
        was: applies to this value only; "" for any.
    """

    column: Literal["id", "mcu"]
    pattern: str
    field: str
    was: str
    value: str
    source: str

    def applies(self, row: dict[str, str]) -> bool:
        """True when the line is about this row of the catalogue."""
        return fnmatchcase(row[self.column].casefold(), self.pattern) and (
            not self.was or row[self.field] == self.was
        )


def _rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file in boards/."""
    with (folder("boards") / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@cache
def catalogue_ids() -> dict[str, tuple[dict[str, str], ...]]:
    """Return PlatformIO board id -> its uncorrected rows, the preferred platform first."""
    rows: dict[str, tuple[dict[str, str], ...]] = {}
    for row in _rows("catalogue.csv"):
        rows[row["id"]] = (*rows.get(row["id"], ()), row)
    return rows


@cache
def corrections() -> tuple[Correction, ...]:
    """Return the reviewed corrections, in the order in which they apply."""
    return tuple(
        Correction(cast("Literal['id', 'mcu']", r.pop("column")), **r)
        for r in _rows("corrections.csv")
    )


@cache
def _families() -> tuple[dict[str, str], ...]:
    """Return what a core and an MCU imply; the first match of both wins."""
    return tuple(_rows("families.csv"))


def entry(row: dict[str, str]) -> Entry:
    """Return a row of the catalogue with the corrections applied."""
    row = {**row, "app_bytes": ""}
    notes, changed = [], {}
    for correction in corrections():
        if not correction.applies({**row, "note": ""}):
            continue
        if correction.field == "note":
            notes.append(correction.value)
        else:
            row[correction.field] = correction.value
            changed[correction.field] = correction.source
    flash_bytes = int(row["flash_bytes"])
    return Entry(
        id=row["id"],
        name=row["name"],
        vendor=row["vendor"],
        mcu=row["mcu"],
        core=row["core"],
        cores=int(row["cores"]),
        f_cpu_hz=int(row["f_cpu_hz"]),
        ram_bytes=int(row["ram_bytes"]),
        flash_bytes=flash_bytes,
        app_bytes=min(int(row["app_bytes"] or flash_bytes), flash_bytes),
        framework=row["framework"],
        platform=row["platform"],
        notes=tuple(notes),
        corrections=tuple(changed.items()),
    )


def catalogue_board(board_id: str) -> Board | None:
    """Return the board that PlatformIO calls `board_id`, None where it has none.

    Where several platforms have the id, the first row of the catalogue counts; the others are named
    in the notes.
    """
    rows = catalogue_ids().get(board_id)
    if not rows:
        return None
    others = sorted({r["platform"] for r in rows[1:]} - {rows[0]["platform"]})
    also = (f"the id also belongs to the platform {', '.join(others)}",) if others else ()
    return _board(entry(rows[0]), also)


def _board(item: Entry, also: tuple[str, ...]) -> Board:
    """Return the unchecked board of an entry."""
    family = next(
        f
        for f in _families()
        if f["core"] == item.core and fnmatchcase(item.mcu.casefold(), f["mcu"])
    )
    source = f"PlatformIO platform {item.platform}, board {item.id}; not checked"
    sources = {"core": f"{source}; {family['source']}", "f_max_hz": source, "platformio": source}
    sources |= {"region flash": source, "region RAM": source}
    regions = {
        "ram_bytes": "region RAM",
        "flash_bytes": "region flash",
        "app_bytes": "region flash",
    }
    for field, origin in item.corrections:
        sources[regions.get(field, "f_max_hz" if field == "f_cpu_hz" else "core")] = origin
    reserved_bytes = item.flash_bytes - item.app_bytes
    return Board(
        id=item.id,
        name=item.name,
        vendor=item.vendor,
        mcu=item.mcu,
        core=item.core,
        cores=item.cores,
        isa=cast("Isa", family["isa"]),
        fpu=family["fpu"],
        f_max_hz=item.f_cpu_hz,
        regions=(
            Region(
                name="flash",
                kind="flash",
                address=FLASH_ADDRESS,
                size_bytes=item.flash_bytes,
                source=sources["region flash"],
                reserved_bytes=reserved_bytes,
                reserved_for="bootloader and other partitions" if reserved_bytes else "",
                use="image",
            ),
            Region("RAM", "sram", RAM_ADDRESS, item.ram_bytes, sources["region RAM"]),
        ),
        platformio=PlatformIO(item.platform, item.id, item.framework or None),
        notes=(NOTE, *item.notes, *also),
        checked=False,
        sources=sources,
    )
