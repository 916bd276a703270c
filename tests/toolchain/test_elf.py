# SPDX-License-Identifier: Apache-2.0
"""Sizes and symbols of linked programs, held against pyelftools and GNU binutils."""

from __future__ import annotations

import importlib
import random
import re
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.firmware.build import need_arm_gcc, need_program, run_tool
from tinykit.errors import InputError, ToolError
from tinykit.toolchain.elf import MOST_FILE_BYTES, MOST_NAME_BYTES, parse_image, read_image

SOURCE = """
const char text[10] = "constant";
int started = 3;
int zeroed[100];
static int twice(int v) { return v + zeroed[v] + text[v] + started; }
int used(int v) { return twice(v) * 2; }
int main(void) { return used(started); }
"""


@pytest.fixture(scope="module")
def arm_elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_arm_gcc()
    folder = tmp_path_factory.mktemp("elf")
    (folder / "a.c").write_text(SOURCE)
    flags = ["-mcpu=cortex-m4", "-mthumb", "-O1", "-g", "--specs=nosys.specs", "--specs=nano.specs"]
    run_tool(["arm-none-eabi-gcc", *flags, folder / "a.c", "-o", folder / "a.elf"])
    return folder / "a.elf"


@pytest.fixture(scope="module")
def host_elf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_program("gcc", "gcc")
    folder = tmp_path_factory.mktemp("elf")
    (folder / "a.c").write_text(SOURCE)
    run_tool(["gcc", "-O1", folder / "a.c", "-o", folder / "program"])
    return folder / "program"


def _elftools(path: Path) -> tuple[dict[str, tuple[int, int]], dict[str, int]]:
    """Return name -> (address, size) of allocated sections and name -> size of symbols."""
    pytest.importorskip("elftools", reason="pyelftools missing (pip install '.[flash]')")
    elffile: Any = importlib.import_module("elftools.elf.elffile")
    with path.open("rb") as file:
        elf = elffile.ELFFile(file)
        sections = {
            s.name: (s["sh_addr"], s["sh_size"]) for s in elf.iter_sections() if s["sh_flags"] & 2
        }
        symbols: dict[str, int] = {}
        for symbol in elf.get_section_by_name(".symtab").iter_symbols():
            if symbol["st_shndx"] == "SHN_UNDEF" or symbol.name.startswith("$"):
                continue
            if symbol["st_info"]["type"] in ("STT_SECTION", "STT_FILE") or not symbol.name:
                continue
            symbols[symbol.name] = symbols.get(symbol.name, 0) + symbol["st_size"]
    return sections, symbols


@pytest.mark.toolchain
@pytest.mark.parametrize("kind", ["arm_elf", "host_elf"])
def test_same_as_pyelftools(kind: str, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(kind)
    image = read_image(path)
    sections, symbols = _elftools(path)
    assert {s.name: (s.address, s.size_bytes) for s in image.sections} == sections
    assert image.symbol_bytes == symbols
    assert image.symbol_bytes["text"] == 10
    assert image.symbol_bytes["zeroed"] == 400


@pytest.mark.toolchain
def test_totals_are_those_of_gnu_size(arm_elf: Path) -> None:
    text, data, bss = run_tool(["arm-none-eabi-size", arm_elf]).splitlines()[1].split()[:3]
    image = read_image(arm_elf)
    assert image.flash_bytes == int(text) + int(data)
    # Berkeley counts read-only data that the linker marked writable as data too.
    assert image.static_ram_bytes == int(data) + int(bss)


@pytest.mark.toolchain
def test_symbols_are_those_of_gnu_nm(arm_elf: Path) -> None:
    listed = run_tool(["arm-none-eabi-nm", "--defined-only", "-S", arm_elf])
    sized: dict[str, int] = {}
    for size, name in re.findall(r"^[0-9a-f]+ ([0-9a-f]+) \w (\S+)$", listed, re.MULTILINE):
        sized[name] = sized.get(name, 0) + int(size, 16)
    assert {"main", "used", "started", "text", "zeroed", "_exit"} <= set(sized)
    found = read_image(arm_elf).symbol_bytes
    assert {name: size for name, size in found.items() if size} == sized


def _elf(*, symbols: bytes, strings: bytes) -> bytes:
    """Return a 32-bit ELF of a null section, names, symbols and their names."""
    names = b"\0.names\0.symtab\0.strtab\0"
    body = names + symbols + strings
    at = 64
    rows = [
        (0,) * 10,
        (1, 3, 0, 0, at, len(names), 0, 0, 1, 0),
        (8, 2, 0, 0, at + len(names), len(symbols), 3, 0, 4, 16),
        (16, 3, 0, 0, at + len(names) + len(symbols), len(strings), 0, 0, 1, 0),
    ]
    header = struct.pack(
        "<16sHHIIIIIHHHHHH",
        b"\x7fELF\x01\x01\x01",
        *(2, 40, 1, 0, 0, at + len(body), 0, 52, 0, 0, 40, len(rows), 1),
    )
    return header.ljust(at, b"\0") + body + b"".join(struct.pack("<10I", *row) for row in rows)


def test_symbols_of_one_name_are_added_up() -> None:
    strings = b"\0arm_convolve_s8\0"
    one = struct.pack("<IIIBBH", 1, 0x100, 40, 0x12, 0, 1)
    undefined = struct.pack("<IIIBBH", 1, 0, 7, 0x12, 0, 0)
    assert parse_image(_elf(symbols=one + undefined + one, strings=strings)).symbol_bytes == {
        "arm_convolve_s8": 80
    }


def test_overlapping_names_without_an_end_cost_little() -> None:
    """100,000 symbols that each name another tail of one string of a megabyte."""
    symbols = b"".join(struct.pack("<IIIBBH", k, 0, 1, 0x12, 0, 1) for k in range(100_000))
    start = time.process_time()
    image = parse_image(_elf(symbols=symbols, strings=b"a" * (1 << 20)))
    assert time.process_time() - start < 5
    assert max(map(len, image.symbols)) == MOST_NAME_BYTES


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"\x7fELF\x01\x01" + bytes(70), b"#!/bin/sh\n" * 9]
)
def test_what_is_no_elf_is_said(data: bytes) -> None:
    with pytest.raises(InputError):
        parse_image(data)


def test_huge_file_is_refused() -> None:
    with pytest.raises(InputError, match="which no firmware has"):
        parse_image(bytes(MOST_FILE_BYTES + 1))


def test_damaged_bytes_give_an_answer_or_an_error() -> None:
    one = struct.pack("<IIIBBH", 1, 0x100, 40, 0x12, 0, 1)
    whole = _elf(symbols=one * 3, strings=b"\0name\0")
    noise = random.Random(5)
    for _ in range(5000):
        damaged = bytearray(whole[: noise.randrange(len(whole) + 1)])
        for _ in range(noise.randrange(6)):
            if damaged:
                damaged[noise.randrange(len(damaged))] = noise.choice([0, 1, 0x7F, 0x80, 0xFF])
        with suppress(InputError):
            parse_image(bytes(damaged))


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot read the firmware"):
        read_image(tmp_path / "x\x1b.elf")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(InputError, match=r"text: no ELF") as caught:
        read_image(tmp_path / "text")
    assert caught.value.hint == "build it anew"
