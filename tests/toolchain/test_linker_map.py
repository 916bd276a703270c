# SPDX-License-Identifier: Apache-2.0
"""Linker maps: every byte of the linked firmware is accounted for, and noise is survived."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.firmware.build import need_arm_gcc, run_tool
from tinykit.errors import InputError, ToolError
from tinykit.toolchain.elf import read_image
from tinykit.toolchain.linker_map import parse_map, read_map

# Printed by GNU ld 2.40 (arm-none-eabi); blank and repeated lines cut.
SAMPLE = """\
Discarded input sections

 .text          0x00000000       0x20 lost.o

Linker script and memory map

LOAD main.o
                0x00004000                        _stack_bytes = DEFINED (size)?size:0x4000

.text           0x00000100       0xa2
 *(.text .text.* .gnu.linkonce.t.*)
 .text.main     0x00000100       0x40 main.o
                0x00000100                main
 .text.arm_convolve_s8
                0x00000140       0x58 lib nn.a(arm_convolve_s8.o)
                                 0x5c (size before relaxing)
                0x00000140                arm_convolve_s8
 *fill*         0x00000198        0x2
 .text          0x0000019a        0x8 main.o
                0x0000019a                tflite::Invoke(int, int)
 .text.empty    0x000001a2        0x0 main.o

.rodata         0x000001a4       0x15
 .rodata.a.str1.1
                0x000001a4        0x5 main.o
 .rodata.b.str1.1
                0x000001a9        0x9 all_merged_into_a.o
 *fill*         0x000001a9        0x1
 .rodata.c.str1.1
                0x000001aa        0xf partly.o
                                 0x12 (size before relaxing)
 .rodata.d      0x000001b2        0x7 main.o

.bss            0x20000000       0x14
 COMMON         0x20000000       0x14 main.o

.comment        0x00000000       0x45
 .comment       0x00000000       0x45 main.o
OUTPUT(fw.elf elf32-littlearm)

Cross Reference Table

Symbol                                            File
 .text.x        0x00000100       0x40 no.o
"""


def test_sample() -> None:
    found = parse_map(SAMPLE)
    assert found.object_bytes() == {
        "lib nn.a(arm_convolve_s8.o)": 0x58,
        "main.o": 0x40 + 8 + 5 + 7 + 0x14,
        "partly.o": 8,
    }
    assert found.fill_bytes == {".text": 2, ".rodata": 1}
    assert found.kernel_functions() == {"arm_convolve_s8"}
    assert [(p.output, p.input, p.address) for p in found.parts] == [
        (".text", ".text.main", 0x100),
        (".text", ".text.arm_convolve_s8", 0x140),
        (".text", ".text", 0x19A),
        (".rodata", ".rodata.a.str1.1", 0x1A4),
        (".rodata", ".rodata.c.str1.1", 0x1AA),
        (".rodata", ".rodata.d", 0x1B2),
        (".bss", "COMMON", 0x20000000),
    ]


@pytest.mark.toolchain
def test_parts_and_fill_add_up_to_the_sections_of_the_elf(tmp_path: Path) -> None:
    need_arm_gcc()
    source = tmp_path / "a.c"
    source.write_text(
        "#include <string.h>\nchar common[33]; static char text[5] = {1, 2, 3};\n"
        "int arm_made_up_s8(char *p) { memcpy(p, text, sizeof text); return common[3]; }\n"
        "int esp_nn_unused(void) { return 4; }\n"
        'const char *one(int k) { return k ? "of some length" : "x"; }\n'
        'const char *two(int k) { return k ? "of some length" : "length"; }\n'
        "int main(void) { return arm_made_up_s8(common) + *one(common[1]) + *two(common[2]); }\n"
    )
    flags = [
        "-mcpu=cortex-m4",
        "-mthumb",
        "-Os",
        "-g",
        "-fcommon",
        "-ffunction-sections",
        "-fno-inline",
    ]
    flags += ["--specs=nosys.specs", "--specs=nano.specs", "-Wl,--gc-sections"]
    flags += [f"-Wl,-Map,{tmp_path / 'a.map'}"]
    run_tool(["arm-none-eabi-gcc", *flags, source, "-o", tmp_path / "a.elf"])
    found = read_map(tmp_path / "a.map")
    sections = {s.name: s.size_bytes for s in read_image(tmp_path / "a.elf").sections}
    added = dict(found.fill_bytes)
    for part in found.parts:
        added[part.output] = added.get(part.output, 0) + part.size_bytes
    for name in (".text", ".rodata", ".data", ".bss"):
        assert added[name] == sections[name], name
    assert set(added) == {name for name, size in sections.items() if size}
    assert found.kernel_functions() == {"arm_made_up_s8"}  # esp_nn_unused was dropped


def _text_of(lines: list[str]) -> str:
    return "\n".join(["Linker script and memory map", *lines, ""])


def test_time_grows_with_the_length_and_no_faster() -> None:
    hostile = [
        _text_of([" " * 1_000_000]),
        _text_of([" .text " + "0x" * 1_000_000]),
        _text_of([" " + "a" * 1_000_000, " 0x1 0x2 " + " " * 1_000_000]),
        _text_of([" .text"] * 150_000),
        _text_of([".text 0x0 0x1"] + [" .t 0x0 0x1 " + "f" * 20] * 40_000),
        _text_of([" *fill* 0x1 0x1"] * 100_000),
    ]
    start = time.process_time()
    for text in hostile:
        parse_map(text)
    assert time.process_time() - start < 8


def test_noise_gives_an_answer() -> None:
    noise = random.Random(3)
    words = [*SAMPLE.split(), "0x", "0x-1", "0xfffffffffffffffff", "*fill*", "\x00", "\u2028", "\r"]
    for _ in range(2000):
        lines = [
            " " * noise.randrange(3) + " ".join(noise.choices(words, k=noise.randrange(6)))
            for _ in range(noise.randrange(30))
        ]
        found = parse_map(_text_of(lines))
        assert all(0 < part.size_bytes < 1 << 64 for part in found.parts)


def test_what_is_no_map(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="cannot read the linker map"):
        read_map(tmp_path / "none.map")
    (tmp_path / "x.map").write_bytes(b"\xff\x00 hello")
    with pytest.raises(InputError, match=r"x\.map: no linker map of GNU ld"):
        read_map(tmp_path / "x.map")
