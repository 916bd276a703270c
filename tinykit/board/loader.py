# SPDX-License-Identifier: Apache-2.0
"""A board file (TOML) -> `Board`, checked once here so that nobody has to check again.

The file is distrusted: its size and its lines are bounded before it is parsed, and whatever is
wrong with it becomes a `BoardError` that names the file, the key and what belongs there.
"""

from __future__ import annotations

import itertools
import stat
import tomllib
from dataclasses import fields
from typing import TYPE_CHECKING, get_args

from tinykit.board.board import Board, Kind, PlatformIO, Power, Region, Status, Use
from tinykit.board.checks import HINT, Table, shown
from tinykit.board.cores import CORES, FPUS
from tinykit.errors import BoardError

if TYPE_CHECKING:
    from pathlib import Path

MAX_FILE_BYTES = 64 * 1024
MAX_LINE_CHARS = 600
"""TOML parsing costs the square of a dotted key's length, and a key ends with its line."""

MAX_REGIONS = 32
ADDRESS_SPACE_BYTES = 1 << 32
MIN_HZ, MAX_HZ = 100_000, 5_000_000_000
MAX_CACHE_BYTES = 16 << 20
MAX_NAME = 80

_TOP_KEYS = {field.name for field in fields(Board)} - {"id", "checked", "regions"} | {"region"}
_SOURCE_KEYS = frozenset({"core", "f_max_hz", "caches", "platformio"})

KINDS: tuple[Kind, ...] = get_args(Kind)
USES: tuple[Use, ...] = get_args(Use)
STATUSES: tuple[Status, ...] = get_args(Status)


def load_board(path: Path) -> Board:
    """Return the board that a file describes; its id is the file's name without `.toml`.

    Raises:
        BoardError: the file cannot be read, is not TOML, or breaks a rule of boards/README.md.
    """
    file = shown(str(path), 200)
    return parse_board(shown(path.stem, MAX_NAME), _parse(file, _read(path, file)), file)


def parse_board(board_id: str, values: dict[str, object], file: str) -> Board:
    """Return the board of a parsed file.

    Args:
        board_id: what a user types.
        values: the file's top-level table.
        file: as named in messages.

    Raises:
        BoardError: a key is unknown, missing, of the wrong type or out of range, regions overlap,
            or a fact has no source.
    """
    top = Table(file, "", values)
    top.reject_unknown_keys(_TOP_KEYS)
    regions = tuple(_region(t) for t in top.tables("region", MAX_REGIONS))
    _reject_repeated_names(top, regions)
    _reject_overlap(top, regions)
    _require_flash_and_ram(top, regions)
    core = top.choice("core", CORES)
    f_max_hz = top.integer("f_max_hz", MIN_HZ, MAX_HZ, "Hz")
    power = tuple(_power(t, f_max_hz) for t in top.tables("power", MAX_REGIONS))
    return Board(
        id=board_id,
        name=top.text("name", limit=MAX_NAME),
        vendor=top.text("vendor", limit=MAX_NAME),
        mcu=top.text("mcu", limit=MAX_NAME),
        core=core,
        cores=top.integer("cores", 1, 64, "cores", default=1),
        isa=top.choice("isa", CORES[core]),
        fpu=top.choice("fpu", FPUS),
        f_max_hz=f_max_hz,
        regions=regions,
        icache_bytes=_cache(top, "icache_bytes"),
        dcache_bytes=_cache(top, "dcache_bytes"),
        platformio=_platformio(top),
        power=power,
        notes=top.texts("notes"),
        sources=_sources(top, regions, power),
    )


def _read(path: Path, file: str) -> bytes:
    """Return the bytes of a regular file of bounded size."""
    try:
        # A FIFO would block in open() and a device never ends, so the kind is asked first.
        if not stat.S_ISREG(path.stat().st_mode):
            raise BoardError(f"{file}: not a regular file", hint="name a board file in TOML")
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BoardError(f"{file}: cannot be read: {reason}", hint="check the path") from error
    if len(data) > MAX_FILE_BYTES:
        raise BoardError(
            f"{file}: larger than {MAX_FILE_BYTES:,} B, the most that a board file may have",
            hint=HINT,
        )
    return data


def _parse(file: str, data: bytes) -> dict[str, object]:
    """Return the top-level table of TOML text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BoardError(
            f"{file}: not UTF-8 text (at byte {error.start})", hint="save the file as UTF-8"
        ) from error
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE_CHARS:
            raise BoardError(
                f"{file}: line {number} has {len(line):,} characters, at most {MAX_LINE_CHARS}"
                " are read",
                hint=HINT,
            )
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise BoardError(f"{file}: values are nested too deeply", hint=HINT) from error
    except ValueError as error:
        # TOMLDecodeError carries line and column in its text; a bare ValueError is an odd number.
        raise BoardError(f"{file}: not TOML: {shown(str(error), 160)}", hint=HINT) from error


def _region(table: Table) -> Region:
    """Return one region; flash defaults to the image, RAM to static data."""
    table.reject_unknown_keys({f.name for f in fields(Region)})
    kind = table.choice("kind", KINDS)
    size_bytes = table.integer("size_bytes", 1, ADDRESS_SPACE_BYTES, "bytes")
    address = table.integer("address", 0, ADDRESS_SPACE_BYTES - 1, "(a 32-bit address)")
    if address + size_bytes > ADDRESS_SPACE_BYTES:
        raise table.error("size_bytes", "reaches past the end of the 32-bit address space")
    reserved_bytes = table.integer("reserved_bytes", 0, size_bytes, "bytes of it", default=0)
    if bool(reserved_bytes) != ("reserved_for" in table.values):
        raise table.error("reserved_for", "must name who holds reserved_bytes, and only then")
    use = table.choice("use", USES, default="image" if kind == "flash" else "data")
    if (use == "image") != (kind == "flash"):
        raise table.error("use", f"is {use!r} for {kind}; `image` belongs to flash and only there")
    return Region(
        name=table.text("name", limit=32),
        kind=kind,
        address=address,
        size_bytes=size_bytes,
        source=table.text("source"),
        reserved_bytes=reserved_bytes,
        reserved_for=table.text("reserved_for", default=""),
        reserved_at=table.choice("reserved_at", ("start", "end"), default="start"),
        use=use,
    )


def _power(table: Table, f_max_hz: int) -> Power:
    """Return one row of power."""
    table.reject_unknown_keys({f.name for f in fields(Power)})
    return Power(
        watts=table.number("watts", 1000, "watts"),
        volts=table.number("volts", 60, "volts"),
        hz=table.integer("hz", 1, f_max_hz, "Hz (f_max_hz at most)"),
        source=table.text("source"),
        status=table.choice("status", STATUSES),
    )


def _platformio(top: Table) -> PlatformIO | None:
    """Return PlatformIO's names, None where the file has none."""
    if "platformio" not in top.values:
        return None
    table = top.table("platformio")
    table.reject_unknown_keys({f.name for f in fields(PlatformIO)})
    board, framework = table.text("board", default=""), table.text("framework", default="")
    return PlatformIO(table.text("platform", limit=MAX_NAME), board or None, framework or None)


def _cache(top: Table, key: str) -> int | None:
    """Return a cache's size, None where the file does not know it."""
    return top.integer(key, 0, MAX_CACHE_BYTES, "bytes") if key in top.values else None


def _sources(top: Table, regions: tuple[Region, ...], power: tuple[Power, ...]) -> dict[str, str]:
    """Return fact -> source: what [sources] must hold, then regions and power."""
    table = top.table("sources")
    table.reject_unknown_keys(_SOURCE_KEYS)
    facts = ["core", "f_max_hz"]
    if "icache_bytes" in top.values or "dcache_bytes" in top.values:
        facts.append("caches")
    if "platformio" in top.values:
        facts.append("platformio")
    sources = {fact: table.text(fact) for fact in facts}
    sources.update((f"region {r.name}", r.source) for r in regions)
    sources.update((f"power {i}", p.source) for i, p in enumerate(power, 1))
    return sources


def _reject_repeated_names(top: Table, regions: tuple[Region, ...]) -> None:
    """Raise when two regions share a name: messages could not tell them apart."""
    names: set[str] = set()
    for region in regions:
        if region.name in names:
            raise top.error("region", f"has the name {region.name!r} twice")
        names.add(region.name)


def _reject_overlap(top: Table, regions: tuple[Region, ...]) -> None:
    """Raise when two regions share an address."""
    ordered = sorted(regions, key=lambda r: (r.address, r.size_bytes))
    for low, high in itertools.pairwise(ordered):
        if high.address < low.end:
            raise top.error(
                "region",
                f"{low.name!r} [{low.address:#x}, {low.end:#x}) overlaps {high.name!r}"
                f" [{high.address:#x}, {high.end:#x})",
                "list each memory once; leave out aliases",
            )


def _require_flash_and_ram(top: Table, regions: tuple[Region, ...]) -> None:
    """Raise when there is nowhere to put a model, or nowhere to put an arena."""
    if not any(r.kind == "flash" and r.usable_bytes for r in regions):
        raise top.error("region", 'has no usable flash (kind = "flash")')
    if not any(r.on_chip and r.use == "data" and r.usable_bytes for r in regions):
        raise top.error("region", 'has no usable on-chip RAM for data (kind = "sram" or "tcm")')
