# SPDX-License-Identifier: Apache-2.0
"""Sizes and symbols of a linked firmware.

A reader of our own rather than pyelftools: two tables of fixed records are all that is wanted, and
this one stays bounded in time and memory on a damaged file. The tests hold it against pyelftools
and GNU binutils.

Source: Tool Interface Standard, Executable and Linking Format 1.2; System V ABI for 64 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tinykit.errors import InputError, ToolError
from tinykit.sanitise import printable

MOST_FILE_BYTES = 64 << 20
MOST_SYMBOLS = 500_000
MOST_NAME_BYTES = 512
"""Longer names are cut."""

_WRITE, _ALLOC = 1, 2  # sh_flags
_SYMTAB, _NOBITS = 2, 8  # sh_type
_SECTION, _FILE = 3, 4  # symbol types that name no code and no data
_UNDEFINED = 0
_NOT_LINKED_IN = (".stack", ".heap")
"""Sections that only reserve room."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section that the target sees.

    Attributes:
        address: where the program finds it.
        stored: it has bytes in the file, which are programmed; `.bss` has none.
        writable: it lies in RAM when the program runs.
    """

    name: str
    address: int
    size_bytes: int
    stored: bool
    writable: bool


@dataclass(frozen=True, slots=True)
class Image:
    """A linked firmware.

    Attributes:
        symbol_bytes: name -> size of each function and object that was linked; 0 where the symbol
            states none. Several of one name are added up.
    """

    sections: tuple[Section, ...]
    symbol_bytes: Mapping[str, int]

    @property
    def flash_bytes(self) -> int:
        """Return what is programmed: code, constants and the start values of variables."""
        return sum(s.size_bytes for s in self._own() if s.stored)

    @property
    def static_ram_bytes(self) -> int:
        """Return the size of all variables; stack and heap are left out."""
        return sum(s.size_bytes for s in self._own() if s.writable)

    @property
    def symbols(self) -> frozenset[str]:
        """Return the names of the functions and objects that were linked."""
        return frozenset(self.symbol_bytes)

    def _own(self) -> Iterator[Section]:
        return (s for s in self.sections if s.name not in _NOT_LINKED_IN)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where fields stand in the records of one class of ELF."""

    table: struct.Struct  # e_shoff in the file header
    table_at: int
    counts_at: int  # e_shentsize, e_shnum, e_shstrndx
    section: struct.Struct
    symbol: struct.Struct
    symbol_fields: tuple[int, int, int, int]  # name, info, shndx, size


_LAYOUTS = {
    1: _Layout(
        struct.Struct("<I"), 32, 46, struct.Struct("<10I"), struct.Struct("<IIIBBH"), (0, 3, 5, 2)
    ),
    2: _Layout(
        struct.Struct("<Q"),
        40,
        58,
        struct.Struct("<2I4Q2I2Q"),
        struct.Struct("<IBBHQQ"),
        (0, 1, 3, 5),
    ),
}
"""EI_CLASS -> layout."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A section header."""

    name_at: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


def read_image(path: Path) -> Image:
    """Return the sizes and symbols of a linked firmware.

    Raises:
        ToolError: the file is not there.
        InputError: it is no ELF of a little-endian machine, or damaged.
    """
    name = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise ToolError(f"cannot read the firmware {name}: {error.strerror}") from error
    try:
        return parse_image(data)
    except InputError as error:
        raise InputError(f"{name}: {error.message}", hint="build it anew") from error


def parse_image(data: bytes) -> Image:
    """Return the sizes and symbols in the bytes of an ELF.

    Raises:
        InputError: it is no ELF of a little-endian machine, or damaged.
    """
    if len(data) > MOST_FILE_BYTES:
        raise InputError(f"more than {MOST_FILE_BYTES:,} bytes, which no firmware has")
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] not in _LAYOUTS or data[5] != 1:
        raise InputError("no ELF of a little-endian machine")
    layout = _LAYOUTS[data[4]]
    records, names = _records(data, layout)
    sections = tuple(
        Section(
            _name(names, r.name_at), r.address, r.size, r.type != _NOBITS, bool(r.flags & _WRITE)
        )
        for r in records
        if r.flags & _ALLOC
    )
    symbols: dict[str, int] = {}
    for record in records:
        if record.type == _SYMTAB:
            strings = records[record.link] if record.link < len(records) else record
            _add_symbols(symbols, _content(data, record), _content(data, strings), layout)
    return Image(sections, symbols)


def _records(data: bytes, layout: _Layout) -> tuple[list[_Record], bytes]:
    """Return the section headers and the bytes that hold their names."""
    (start,) = layout.table.unpack_from(data, layout.table_at)
    entry, count, names = struct.unpack_from("<3H", data, layout.counts_at)
    if entry != layout.section.size or count == 0 or start + entry * count > len(data):
        raise InputError("its section table lies outside the file")
    rows = layout.section.iter_unpack(data[start : start + entry * count])
    records = [_Record(*row[:7]) for row in rows]
    if names >= count:
        raise InputError("the names of its sections are missing")
    return records, _content(data, records[names])


def _content(data: bytes, record: _Record) -> bytes:
    if record.type == _NOBITS or record.offset + record.size > len(data):
        raise InputError("a section lies outside the file")
    return data[record.offset : record.offset + record.size]


def _add_symbols(found: dict[str, int], table: bytes, strings: bytes, layout: _Layout) -> None:
    entry = layout.symbol.size
    count = len(table) // entry
    if count > MOST_SYMBOLS:
        raise InputError(f"{count:,} symbols, more than {MOST_SYMBOLS:,}")
    name_at, info, shndx, size = layout.symbol_fields
    for row in layout.symbol.iter_unpack(table[: count * entry]):
        if row[shndx] == _UNDEFINED or row[info] & 15 in (_SECTION, _FILE):
            continue
        name = _name(strings, row[name_at])
        if name and not name.startswith("$"):  # $t, $d mark code and data in it
            found[name] = found.get(name, 0) + row[size]


def _name(strings: bytes, start: int) -> str:
    end = strings.find(b"\0", start, start + MOST_NAME_BYTES)
    return strings[start : end if end >= 0 else start + MOST_NAME_BYTES].decode("utf-8", "replace")
