# SPDX-License-Identifier: Apache-2.0
"""Hostile and careless board files: a clear `BoardError`, or a `Board` that keeps its promises."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinykit.board import load_board
from tinykit.board.loader import MAX_FILE_BYTES, parse_board
from tinykit.errors import BoardError

GOOD = """
name = "N"
vendor = "V"
mcu = "M"
core = "cortex-m4"
isa = "dsp"
fpu = "none"
f_max_hz = 64_000_000
[sources]
core = "s"
f_max_hz = "s"
[[region]]
name = "flash"
kind = "flash"
address = 0
size_bytes = 1024
source = "s"
[[region]]
name = "RAM"
kind = "sram"
address = 0x2000_0000
size_bytes = 1024
source = "s"
"""


def load(tmp_path: Path, text: str | bytes) -> object:
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_board(path)


def refuse(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(BoardError, match=message) as caught:
        load(tmp_path, text)
    assert "mine.toml" in caught.value.message
    assert caught.value.hint
    assert len(caught.value.message) < 600
    assert caught.value.message.isprintable()


def test_a_minimal_file_loads(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, encoding="utf-8")
    board = load_board(path)
    assert (board.id, board.largest_ram_bytes, board.flash_bytes) == ("mine", 1024, 1024)
    assert board.icache_bytes is None
    assert board.sources["region RAM"] == "s"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('core = "cortex-m4"', 'core = "cortex-m99"', r"`core` is cortex-m99, it must be one of"),
        ('isa = "dsp"', 'isa = "mve"', r"`isa` is mve, it must be one of: dsp"),
        ('isa = "dsp"', 'isa = ["dsp"]', r"`isa` is list"),
        ("f_max_hz = 64", "f_max_hz = -64", r"`f_max_hz` is -64000000, it must lie between"),
        ("64_000_000", "64e6", r"`f_max_hz` is 64000000.0, it must be a whole number"),
        ("64_000_000", "true", r"`f_max_hz` is True, it must be a whole number"),
        ("64_000_000", "0x" + "F" * 400, r"a number of more than 128 bits"),
        ("64_000_000", "99_000_000_000", r"`f_max_hz` is 99000000000, it must lie between"),
        ('vendor = "V"', "", r"`vendor` is missing"),
        ('vendor = "V"', 'vendor = ""', r"`vendor` has 0 characters"),
        ('vendor = "V"', f'vendor = "{"v" * 500}"', r"`vendor` has 500 characters"),
        ('vendor = "V"', 'vendor = "\\u0000"', r"`vendor` holds a control character"),
        ('vendor = "V"', 'vendor = "a\\u202Eb"', r"`vendor` holds a control character"),
        ('vendor = "V"', "vendor = 7", r"`vendor` is 7, it must be text"),
        ('vendor = "V"', 'vendro = "V"', r"`vendro` is not a key"),
        ('fpu = "none"', 'fpu = "none"\nid = "x"', r"`id` is not a key"),
        ('fpu = "none"', 'fpu = "none"\nicache_bytes = 0', r"`sources.caches` is missing"),
        ('fpu = "none"', 'fpu = "none"\nnotes = [1]', r"`notes\[0\]` is 1"),
        ('core = "s"\n', "", r"`sources.core` is missing"),
        ("size_bytes = 1024", "size_bytes = 0", r"`region\[1\].size_bytes` is 0"),
        ("size_bytes = 1024", "size_bytes = -1", r"`region\[1\].size_bytes` is -1"),
        ("size_bytes = 1024", "size_bytes = 1024\nsize = 1", r"`region\[1\].size` is not a key"),
        ("address = 0x2000_0000", "address = 0xFFFF_FFFF", r"past the end of the 32-bit"),
        ("address = 0x2000_0000", "address = 1023", r"'flash' \[0x0, 0x400\) overlaps 'RAM'"),
        ('name = "RAM"', 'name = "flash"', r"has the name 'flash' twice"),
        ('kind = "sram"', 'kind = "sdram"', r"no usable on-chip RAM"),
        ('kind = "sram"', 'kind = "sram"\nuse = "code"', r"no usable on-chip RAM"),
        ('kind = "sram"', 'kind = "sram"\nuse = "image"', r"`image` belongs to flash"),
        ('kind = "flash"', 'kind = "sram"', r"no usable flash"),
        ('kind = "flash"', 'kind = "flash"\nreserved_bytes = 9', r"reserved_for` must name"),
        (
            'kind = "flash"',
            'kind = "flash"\nreserved_bytes = 1025\nreserved_for = "b"',
            r"`region\[1\].reserved_bytes` is 1025, it must lie between 0 and 1,024",
        ),
        ("[sources]", "[platformio]\nboard = 'x'\n[sources]", r"`platformio.platform` is missing"),
        ("[sources]", "[[power]]\nwatts = nan\n[sources]", r"`power\[1\].watts` is nan"),
        ("[sources]", "[sauces]\n[sources]", r"`sauces` is not a key"),
        ("[[region]]", "[region]", r"not TOML|list of tables"),
    ],
)
def test_one_mistake(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    refuse(tmp_path, GOOD.replace(old, new, 1), message)


def test_power_above_the_clock_is_refused(tmp_path: Path) -> None:
    power = 'watts = 0.04\nvolts = 1.8\nhz = 65_000_000\nsource = "s"\nstatus = "measured"\n'
    refuse(tmp_path, f"{GOOD}[[power]]\n{power}", r"`power\[1\].hz` is 65000000")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff\xfe", r"not UTF-8 text \(at byte 0\)"),
        ("a = 1\n\na b", r"line 3, column 3"),
        ("", r"`region` has no usable flash"),
        ("\0", r"not TOML"),
        ("x = " + "[\n" * 20_000, r"nested too deeply"),
        ("x = " + "9" * 590, r"not a key|not TOML"),
        (".".join("a" * 30_000), r"line 1 has 59,999 characters"),
        ("# " + "x" * MAX_FILE_BYTES, r"larger than 65,536 B"),
        ("region = [1]", r"`region` must be a list of tables"),
        (
            "sources = 1\n" + GOOD.replace("[sources]", "[power]", 1),
            r"`power` must be a list of tables",
        ),
    ],
)
def test_hostile_text(tmp_path: Path, text: str | bytes, message: str) -> None:
    refuse(tmp_path, text, message)


def test_dotted_keys_stay_cheap(tmp_path: Path) -> None:
    line = ".".join("a" * 295)
    refuse(tmp_path, "\n".join(f"{line}{i} = 1" for i in range(100)), r"`a` is not a key")


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with path.open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(BoardError, match="larger than"):
        load_board(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="not a regular file"):
        load_board(tmp_path)
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(BoardError, match="not a regular file"):
        load_board(tmp_path / "pipe.toml")
    with pytest.raises(BoardError, match="cannot be read"):
        load_board(tmp_path / "absent.toml")


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(0, 1 << 33)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["cortex-m4", "dsp", "none", "flash", "sram", "sdram", "heap", "end"])
)
KEYS = st.sampled_from(sorted(set(re.findall(r"[a-z_]+(?= =)", GOOD)) | {"use", "reserved_bytes"}))
TABLES = st.dictionaries(KEYS | st.text(max_size=5), SCALARS, max_size=8)
RAM = {"name": "RAM", "kind": "sram", "address": 1 << 29, "size_bytes": 64, "source": "s"}
FLASH = {"name": "flash", "kind": "flash", "address": 0, "size_bytes": 64, "source": "s"}


@given(
    top=TABLES,
    flash=st.dictionaries(KEYS, SCALARS, max_size=2),
    ram=st.dictionaries(KEYS, SCALARS, max_size=2),
    other=st.none() | SCALARS | TABLES | st.lists(SCALARS | TABLES, max_size=3),
    place=st.sampled_from(["region", "power", "platformio", "notes", "sources", "", "cores"]),
)
@settings(max_examples=300, deadline=None)
def test_random_tables_give_a_board_or_a_board_error(
    top: dict[str, object],
    flash: dict[str, object],
    ram: dict[str, object],
    other: object,
    place: str,
) -> None:
    good: dict[str, object] = {
        "name": "N", "vendor": "V", "mcu": "M", "core": "cortex-m4", "isa": "dsp", "fpu": "none",
        "f_max_hz": 64_000_000, "sources": {"core": "s", "f_max_hz": "s"},
        "region": [FLASH | flash, RAM | ram],
    }  # fmt: skip
    values = good | {place: other} if len(top) < 6 else good | top | {place: other}
    if not place:
        values = good
    try:
        board = parse_board("x", values, "x.toml")
    except BoardError:
        return
    assert board.largest_ram_bytes > 0
    assert board.flash_bytes > 0
    ordered = sorted(board.regions, key=lambda r: r.address)
    assert all(a.end <= b.address for a, b in pairwise(ordered))
    assert all(0 <= r.reserved_bytes <= r.size_bytes and r.end <= 1 << 32 for r in ordered)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_random_bytes_give_a_board_error(tmp_path_factory: object, data: bytes) -> None:
    assert isinstance(tmp_path_factory, pytest.TempPathFactory)
    path = tmp_path_factory.getbasetemp() / "random.toml"
    path.write_bytes(data)
    with pytest.raises(BoardError):
        load_board(path)
