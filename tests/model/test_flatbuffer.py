# SPDX-License-Identifier: Apache-2.0
"""The distrustful FlatBuffer access: bytes laid out by hand, and the `flatbuffers` package."""

from __future__ import annotations

import random
import struct
from typing import Any

import flatbuffers
import pytest

from tinykit.errors import ModelError
from tinykit.model.flatbuffer import File, Table


def _root(data: bytes) -> Table:
    return File(memoryview(data)).root("the model")


def _table(fields: bytes, offsets: tuple[int, ...], tail: bytes = b"") -> bytes:
    """Return a file: root offset, the vtable at 4, then the table with `fields`, then `tail`."""
    vtable_size = 4 + 2 * len(offsets)
    vtable = struct.pack(f"<{2 + len(offsets)}H", vtable_size, 4 + len(fields), *offsets)
    table = 4 + vtable_size
    return struct.pack("<I", table) + vtable + struct.pack("<i", vtable_size) + fields + tail


def test_a_table_laid_out_by_hand() -> None:
    # Root at 12, vtable at 4: 8 bytes, the table 10; slot 0 at +4 (i32), slot 1 at +8 (i16).
    data = bytes.fromhex("0c00000008000a000400080008000000feffffff0700")
    root = _root(data)
    assert root.position == 12
    assert root.scalar(0, "i32") == -2
    assert root.scalar(1, "i16") == 7
    assert root.scalar(2, "u32", 9) == 9
    assert (root.has(0), root.has(2)) == (True, False)
    assert root.file.end == len(data)


def test_absent_vectors_and_tables_are_empty() -> None:
    root = _root(_table(b"", ()))
    assert root.tables(0, "tensor") == []
    assert root.table(1, "options") is None
    assert root.numbers(2, "i32", "shape") == ()
    assert root.reals(3, "scales") == ()
    assert root.bytes(4, "data") is None
    assert root.string(5, "name") == ""
    assert root.real(6, 1.5) == 1.5


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes cannot hold"),
        (b"\x04\0\0\0\0\0\0", "7 bytes cannot hold"),
        (b"\x08\0\0\0TFL3", "points to byte 8, outside the file of 8 bytes"),
        (b"\xff\xff\xff\xffTFL3", "points to byte 4,294,967,295"),
        # Vtables: before the file, behind it, with an odd size, too small, table size too small.
        (struct.pack("<II", 4, 100), "the vtable of the model needs 4 bytes"),
        (struct.pack("<Ii", 4, -100), "the vtable of the model needs 4 bytes"),
        (struct.pack("<IHHi", 8, 5, 4, 4), "its sizes are 5 and 4"),
        (struct.pack("<IHHi", 8, 2, 4, 4), "its sizes are 2 and 4"),
        (struct.pack("<IHHi", 8, 4, 3, 4), "its sizes are 4 and 3"),
        (struct.pack("<IHHi", 8, 400, 4, 4), "the vtable of the model needs 400 bytes"),
        (struct.pack("<IHHi", 8, 4, 5, 4), "the model needs 5 bytes, the file has 4 there"),
    ],
)
def test_a_root_that_cannot_be_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        _root(data)


@pytest.mark.parametrize("offset", [1, 3, 5, 8, 0xFFFF])
def test_a_field_outside_its_table_is_refused(offset: int) -> None:
    # The table has 8 bytes: a field of 4 fits at +4 only.
    root = _root(_table(bytes(4), (offset,), bytes(16)))
    for read in (
        lambda: root.scalar(0, "i32"),
        lambda: root.real(0),
        lambda: root.string(0, "name"),
        lambda: root.table(0, "options"),
        lambda: root.tables(0, "tensor"),
    ):
        with pytest.raises(ModelError, match="field 0 of the model lies outside its table"):
            read()


def _vector(count: int, items: bytes) -> Table:
    """Return a table whose slot 0 is a vector right behind it."""
    return _root(_table(struct.pack("<I", 4), (4,), struct.pack("<I", count) + items))


def test_a_vector_ends_with_the_file() -> None:
    assert _vector(2, struct.pack("<2i", -1, 5)).numbers(0, "i32", "shape") == (-1, 5)
    with pytest.raises(ModelError, match=r"the shape of the model needs 12 bytes, .* 8 there"):
        _vector(3, struct.pack("<2i", -1, 5)).numbers(0, "i32", "shape")
    for count in (0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        with pytest.raises(ModelError, match=f"needs {8 * count:,} bytes"):
            _vector(count, bytes(8)).numbers(0, "i64", "zero points")
        with pytest.raises(ModelError, match=f"needs {count:,} bytes"):
            _vector(count, bytes(8)).string(0, "name")


def test_an_offset_must_lead_somewhere() -> None:
    for offset in (0, 5, 1000, 0xFFFFFFFF):
        root = _root(_table(struct.pack("<I", offset), (4,), bytes(4)))
        with pytest.raises(ModelError, match="the name of the model would lie at byte"):
            root.string(0, "name")
    with pytest.raises(ModelError, match="tensor 0 of the model is missing"):
        _vector(1, bytes(4)).tables(0, "tensor")
    with pytest.raises(ModelError, match="tensor 0 lies outside the file"):
        _vector(1, b"\xff\xff\xff\xff").tables(0, "tensor")


def test_strings_that_are_no_utf_8_come_out_escaped() -> None:
    # 0xff never occurs in UTF-8; 0xc3 0xa9 is an e with an acute accent.
    assert _vector(4, b"a\xff\xc3\xa9").string(0, "name") == "a\\xff\u00e9"


def test_byte_vectors_are_views() -> None:
    data = _table(struct.pack("<I", 4), (4,), struct.pack("<I", 3) + b"abc")
    found = _root(data).bytes(0, "data")
    assert found is not None
    view, position = found
    assert (bytes(view), position, view.obj) == (b"abc", len(data) - 3, data)


def test_work_is_bounded_by_the_size_of_the_file() -> None:
    # 65,536 elements and one per byte are allowed: with 4,022 bytes, 69 times a thousand.
    root = _vector(1000, bytes(4000))
    for _ in range(69):
        root.numbers(0, "i32", "shape")
    with pytest.raises(ModelError, match="describes far more than it holds"):
        root.numbers(0, "i32", "shape")


SCALARS = {"Bool": "bool", "Int8": "i8", "Uint8": "u8", "Int16": "i16", "Int32": "i32",
           "Uint32": "u32", "Int64": "i64", "Uint64": "u64"}  # fmt: skip


def _random_scalar(writer: str, dice: random.Random) -> int:
    if writer == "Bool":
        return dice.randrange(2)
    bits = int("".join(c for c in writer if c.isdigit()))
    low = 0 if writer.startswith("U") else -(1 << bits - 1)
    return dice.randrange(low, low + (1 << bits))


@pytest.mark.parametrize("seed", range(20))
def test_what_the_flatbuffers_package_writes_is_read_back(seed: int) -> None:
    dice = random.Random(seed)
    b: Any = flatbuffers.Builder(64)
    text = "".join(chr(dice.randrange(1, 0x2FFF)) for _ in range(dice.randrange(40)))
    name = b.CreateString(text)
    ints = tuple(dice.randrange(-(1 << 63), 1 << 63) for _ in range(dice.randrange(9)))
    b.StartVector(8, len(ints), 8)
    for item in reversed(ints):
        b.PrependInt64(item)
    vector = b.EndVector()
    values = {w: _random_scalar(w, dice) for w in SCALARS}
    b.StartObject(12)
    for slot, (writer, value) in enumerate(values.items()):
        getattr(b, f"Prepend{writer}Slot")(slot, value, None)
    b.PrependFloat32Slot(8, 0.1, None)
    b.PrependUOffsetTRelativeSlot(9, name, 0)
    b.PrependUOffsetTRelativeSlot(10, vector, 0)
    child = b.EndObject()
    b.StartVector(4, 3, 4)
    for _ in range(3):
        b.PrependUOffsetTRelative(child)
    children = b.EndVector()
    b.StartObject(2)
    b.PrependUOffsetTRelativeSlot(0, children, 0)
    b.PrependUOffsetTRelativeSlot(1, child, 0)
    b.Finish(b.EndObject())
    root = _root(bytes(b.Output()))
    only = root.table(1, "child")
    assert only is not None
    for table in (*root.tables(0, "child"), only):
        for slot, (writer, value) in enumerate(values.items()):
            assert table.scalar(slot, SCALARS[writer]) == value
        assert table.real(8) == struct.unpack("<f", struct.pack("<f", 0.1))[0]
        assert table.string(9, "name") == text
        assert table.numbers(10, "i64", "items") == ints
