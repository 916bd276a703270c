# SPDX-License-Identifier: Apache-2.0
"""Reads FlatBuffers from bytes that nobody has verified.

Every offset, vtable and length is checked against the file before it is followed, and the work is
bounded: tables and vectors may be shared, so a small file could describe an enormous one. What the
bytes mean is not known here.

Source: FlatBuffers internals, https://flatbuffers.dev/internals/.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from struct import Struct
from typing import Any, Final

from tinykit.errors import ModelError

_U16 = Struct("<H").unpack_from
_I32 = Struct("<i").unpack_from
_U32 = Struct("<I").unpack_from
_F32 = Struct("<f").unpack_from

SCALARS: Final = {
    "bool": Struct("<?"),
    "i8": Struct("<b"),
    "u8": Struct("<B"),
    "i16": Struct("<h"),
    "i32": Struct("<i"),
    "u32": Struct("<I"),
    "i64": Struct("<q"),
    "u64": Struct("<Q"),
    "f32": Struct("<f"),
}
"""Scalar types by the names that `tinykit.model.schema` uses."""

Unpack = Callable[[memoryview, int], tuple[Any, ...]]

_SCALARS: Final[dict[str, tuple[int, Unpack, str]]] = {
    kind: (form.size, form.unpack_from, form.format[1:]) for kind, form in SCALARS.items()
}
"""Width in bytes, reader and format code of each scalar, bound once."""

_MOST_SLOTS: Final = 32
"""No table of the schema has more fields."""

_SPARE_WORK: Final = 65_536
"""Work that even the smallest file may cost, for parts that a writer shares on purpose."""

VTable = tuple[int, tuple[int, ...]]
"""Bytes of the table that it describes, and the offset of each field in it (0 = absent)."""


@lru_cache(maxsize=1024)
def _unpacker(count: int, code: str) -> Unpack:
    return Struct(f"<{count}{code}").unpack_from


class File:
    """The bytes of a FlatBuffer and the work that may still be spent on them."""

    __slots__ = ("_budget", "_vtables", "bytes", "end", "size")

    def __init__(self, data: memoryview) -> None:
        self.bytes = data
        self.size = len(data)
        self.end = 0
        """One past the last byte that was looked at."""
        # A file that shares nothing spends at most one unit per byte; real ones three quarters.
        self._budget = self.size + _SPARE_WORK
        self._vtables: dict[int, VTable] = {}

    def spend(self, work: int, position: int) -> None:
        """Charge for `work`, in bytes or elements visited.

        Raises:
            ModelError: the file's parts are shared so often that it grows without bound.
        """
        self._budget -= work
        if self._budget < 0:
            raise ModelError(
                "the file describes far more than it holds: its parts are shared over and over",
                offset=position,
            )

    def reach(self, position: int, length: int, what: str) -> None:
        """Check that `length` bytes lie in the file from `position` on.

        Raises:
            ModelError: they do not.
        """
        end = position + length
        if position < 0 or end > self.size:
            raise ModelError(
                f"truncated or damaged: {what} needs {length:,} bytes, the file has "
                f"{max(0, self.size - position):,} there",
                offset=position,
            )
        if end > self.end:
            self.end = end

    def root(self, what: str) -> Table:
        """Return the root table; `what` says what it is, with its article."""
        if self.size < 8:
            raise ModelError(f"truncated: {self.size} bytes cannot hold a FlatBuffer", offset=0)
        position = _U32(self.bytes, 0)[0]
        if position + 4 > self.size:
            raise ModelError(
                f"the offset of {what} points to byte {position:,}, outside the file of "
                f"{self.size:,} bytes",
                offset=0,
            )
        return Table(self, position, what)

    def vtable(self, table: int, what: str) -> VTable:
        """Return the vtable of the table at `table`."""
        if table < 0 or table + 4 > self.size:
            raise ModelError(f"{what} lies outside the file", offset=table)
        position = table - _I32(self.bytes, table)[0]
        found = self._vtables.get(position)
        if found is None:
            found = self._vtables[position] = self._read_vtable(position, what)
        end = table + found[0]
        if end > self.size:
            self.reach(table, found[0], what)
        if end > self.end:
            self.end = end
        # As in spend(), without the call: this is where a reader spends its time.
        self._budget -= found[0]
        if self._budget < 0:
            self.spend(0, table)
        return found

    def _read_vtable(self, position: int, what: str) -> VTable:
        self.reach(position, 4, f"the vtable of {what}")
        size, table_size = _U16(self.bytes, position)[0], _U16(self.bytes, position + 2)[0]
        if size < 4 or size % 2 or table_size < 4:
            raise ModelError(
                f"the vtable of {what} is damaged (its sizes are {size} and {table_size})",
                offset=position,
            )
        self.reach(position, size, f"the vtable of {what}")
        self.spend(size, position)
        count = (size - 4) // 2
        fields: tuple[int, ...] = _unpacker(count, "H")(self.bytes, position + 4)
        # Filled up with absent fields, so that no reader of a field looks at its number first.
        return table_size, fields + (0,) * (_MOST_SLOTS - count)


class Table:
    """One table; its fields are asked for by slot, as the schema numbers them from 0."""

    __slots__ = ("_fields", "_size", "file", "position", "what")

    def __init__(self, file: File, position: int, what: str) -> None:
        self.file = file
        self.position = position
        self.what = what
        """What the table is, with its article or number, for messages."""
        self._size, self._fields = file.vtable(position, what)

    def has(self, slot: int) -> bool:
        """Return whether the field is present."""
        return self._fields[slot] != 0

    def scalar(self, slot: int, kind: str, default: int = 0) -> int:
        """Return an integer or boolean field."""
        offset = self._fields[slot]
        if not offset:
            return default
        width, unpack, _ = _SCALARS[kind]
        if offset < 4 or offset + width > self._size:
            raise self._outside(slot)
        value: int = unpack(self.file.bytes, self.position + offset)[0]
        return value

    def real(self, slot: int, default: float = 0.0) -> float:
        """Return a 32-bit float field."""
        offset = self._fields[slot]
        if not offset:
            return default
        if offset < 4 or offset + 4 > self._size:
            raise self._outside(slot)
        value: float = _F32(self.file.bytes, self.position + offset)[0]
        return value

    def _outside(self, slot: int) -> ModelError:
        return ModelError(
            f"field {slot} of {self.what} lies outside its table", offset=self.position
        )

    def _target(self, slot: int, what: str) -> int:
        """Return the position that an offset field, which is present, points to."""
        offset = self._fields[slot]
        if offset < 4 or offset + 4 > self._size:
            raise self._outside(slot)
        file = self.file
        at = self.position + offset
        target: int = at + _U32(file.bytes, at)[0]
        if target == at or target + 4 > file.size:
            raise ModelError(
                f"truncated or damaged: the {what} of {self.what} would lie at byte "
                f"{target:,} of {file.size:,}",
                offset=at,
            )
        return target

    def table(self, slot: int, what: str) -> Table | None:
        """Return a table field, None when it is absent."""
        if not self._fields[slot]:
            return None
        return Table(self.file, self._target(slot, what), f"the {what} of {self.what}")

    def tables(self, slot: int, what: str) -> list[Table]:
        """Return a vector of tables, [] when it is absent; `what` names one of them."""
        file = self.file
        start, count = self._vector(slot, 4, what)
        file.spend(4 * count, start)
        tables = []
        at = start
        for k, offset in enumerate(_unpacker(count, "I")(file.bytes, start)):
            if offset == 0:
                raise ModelError(f"{what} {k} of {self.what} is missing", offset=at)
            tables.append(Table(file, at + offset, f"{what} {k}"))
            at += 4
        return tables

    def _vector(self, slot: int, width: int, what: str) -> tuple[int, int]:
        """Return where a vector's elements start and how many there are, (0, 0) when absent."""
        if not self._fields[slot]:
            return 0, 0
        start = self._target(slot, what) + 4
        file = self.file
        count: int = _U32(file.bytes, start - 4)[0]
        end = start + count * width
        if end > file.size:
            file.reach(start, count * width, f"the {what} of {self.what}")
        if end > file.end:
            file.end = end
        return start, count

    def numbers(self, slot: int, kind: str, what: str) -> tuple[int, ...]:
        """Return a vector of integers, () when it is absent."""
        return self._elements(slot, kind, what) if self._fields[slot] else ()

    def reals(self, slot: int, what: str) -> tuple[float, ...]:
        """Return a vector of 32-bit floats, () when it is absent."""
        return self._elements(slot, "f32", what)

    def _elements(self, slot: int, kind: str, what: str) -> tuple[Any, ...]:
        width, _, code = _SCALARS[kind]
        start, count = self._vector(slot, width, what)
        if not count:
            return ()
        self.file.spend(count, start)
        return _unpacker(count, code)(self.file.bytes, start)

    def bytes(self, slot: int, what: str) -> tuple[memoryview, int] | None:
        """Return a vector of bytes as a view with its position, None when it is absent."""
        start, count = self._vector(slot, 1, what)
        return (self.file.bytes[start : start + count], start) if start else None

    def string(self, slot: int, what: str) -> str:
        """Return a string, "" when it is absent; bytes that are no UTF-8 come out escaped."""
        start, count = self._vector(slot, 1, what)
        if not count:
            return ""
        self.file.spend(count, start)
        return str(self.file.bytes[start : start + count], "utf-8", "backslashreplace")
