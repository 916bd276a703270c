# SPDX-License-Identifier: Apache-2.0
"""Ports whose SDK is not here: compiled against the public signatures of what they call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.firmware.build import (
    CXX_WARNINGS,
    FIRMWARE,
    WARNINGS,
    lay_out,
    need_program,
    port_table,
    run_tool,
)
from tests.support import ROOT

MOCKS = Path(__file__).parent / "mocks"

ARDUINO_CORES = [
    ("stm32-m4", ["-mcpu=cortex-m4", "-mthumb"], []),
    ("samd-m0plus", ["-mcpu=cortex-m0plus", "-mthumb"], []),
    ("m33", ["-mcpu=cortex-m33", "-mthumb"], []),
    ("rp2040", ["-mcpu=cortex-m0plus", "-mthumb"], ["-DARDUINO_ARCH_RP2040"]),
    ("esp32", ["-mcpu=cortex-m3", "-mthumb"], ["-DARDUINO_ARCH_ESP32"]),
    ("energy", ["-mcpu=cortex-m4", "-mthumb"], ["-DTK_ENERGY_MODE=1", "-DTK_TIMESTAMP_PIN=7"]),
]


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("flags", "defines"), [c[1:] for c in ARDUINO_CORES], ids=[c[0] for c in ARDUINO_CORES]
)
def test_arduino(flags: list[str], defines: list[str], tmp_path: Path) -> None:
    need_program("arm-none-eabi-g++", "libstdc++-arm-none-eabi-newlib")
    tree = lay_out("arduino", tmp_path / "tree")
    includes = [f"-I{tree / 'include'}", "-isystem", str(MOCKS / "arduino")]
    shared = [*flags, *defines, *includes, "-O2", "-c", "-o", "/dev/null"]
    run_tool(["arm-none-eabi-g++", "-std=gnu++17", *CXX_WARNINGS, *shared, tree / "port/port.cpp"])
    run_tool(["arm-none-eabi-gcc", "-std=gnu11", *WARNINGS, *shared, tree / "port/dwt.c"])


@pytest.mark.parametrize(
    "defines",
    [
        [],
        ["-DTK_ENERGY_MODE=1", "-DTK_TIMESTAMP_PIN=4"],
        ["-DCONFIG_ESP_CONSOLE_USB_SERIAL_JTAG=1"],
    ],
    ids=["uart", "energy", "usb"],
)
def test_esp_idf(defines: list[str], tmp_path: Path) -> None:
    need_program("gcc", "gcc")
    tree = lay_out("esp-idf", tmp_path / "tree")
    includes = [f"-I{tree / 'include'}", "-isystem", str(MOCKS / "esp-idf")]
    for source in sorted((tree / "port").glob("*.c")):
        command = ["gcc", "-std=gnu17", *WARNINGS, *defines, *includes, "-c", "-o", "/dev/null"]
        run_tool([*command, source])


@pytest.mark.parametrize("port", ["arduino", "esp-idf"])
def test_an_energy_build_needs_the_pin(port: str) -> None:
    sources = list((FIRMWARE / "ports" / port).glob("port.c*"))
    assert "#error" in sources[0].read_text()


def test_the_headers_are_good_cxx(tmp_path: Path) -> None:
    need_program("g++", "g++")
    source = tmp_path / "headers.cc"
    source.write_text(
        "".join(f"#include <tinykit/{h.name}>\n" for h in (FIRMWARE / "include/tinykit").iterdir())
    )
    include = f"-I{FIRMWARE / 'include'}"
    run_tool(
        ["g++", "-std=c++17", "-pedantic", *CXX_WARNINGS, include, "-c", source, "-o", "/dev/null"]
    )


@pytest.mark.parametrize("port", ["qemu-mps2", "qemu-mps3", "arduino", "esp-idf", "host"])
def test_every_port_implements_the_whole_interface(port: str, tmp_path: Path) -> None:
    lines = (FIRMWARE / "include" / "tinykit" / "port.h").read_text().splitlines()
    calls = [line.split("(")[0].split()[-1].lstrip("*") for line in lines if line.endswith(");")]
    functions = [name for name in calls if name.startswith("tk_port_")]
    assert len(functions) == 14
    tree = lay_out(port, tmp_path / "tree")
    text = "".join(f.read_text() for f in (tree / "port").iterdir())
    for name in functions:
        assert f"{name}(" in text, name
    assert port_table(port)["folders"]


def test_every_file_names_its_licence() -> None:
    for file in sorted((ROOT / "firmware").rglob("*")):
        if file.is_file() and file.suffix not in (".json", ".pyc"):
            head = file.read_text().splitlines()[0]
            assert "SPDX-License-Identifier: Apache-2.0" in head, file
