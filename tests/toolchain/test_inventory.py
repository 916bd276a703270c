# SPDX-License-Identifier: Apache-2.0
"""What is installed, on machines made of small scripts that stand for the programs."""

from __future__ import annotations

import importlib.util
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import serial.tools.list_ports

from tests.support import tflm_tree
from tinykit.toolchain import inventory
from tinykit.toolchain.inventory import NEEDS, PURPOSES, Item, lacking, survey

COMMIT = "90b983c2b"
# As Debian 12 and 11 print.
GCC = 'case "$1" in -dumpfullversion) echo 12.2.1;; *) echo {library};; esac'
QEMU_7 = (
    'case "$1" in --version) echo "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)";; *) '
    'echo "Supported machines are:"; echo "mps2-an385 ARM MPS2"; echo "mps2-an386 ARM MPS2"; '
    'echo "mps2-an500 ARM MPS2"; echo "mps3-an547 ARM MPS3";; esac'
)
QEMU_5 = QEMU_7.replace("7.2.22", "5.2.0").replace('; echo "mps3-an547 ARM MPS3"', "")


@dataclass(frozen=True)
class Port:
    device: str
    description: str
    vid: int | None


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in the place of PATH, and a machine without boards."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("TINYKIT_TFLM", raising=False)
    monkeypatch.setenv("TINYKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(serial.tools.list_ports, "comports", list)
    return folder


def _install(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def _items() -> dict[str, Item]:
    return {item.name: item for item in survey(COMMIT)}


@pytest.mark.usefixtures("programs")
def test_bare_machine_is_told_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    items = _items()
    assert {name: item.command.split("&&")[0].strip() for name, item in items.items()} == {
        "Python packages": "pip install jinja2 numpy pyserial",
        "arm-none-eabi-gcc": "sudo apt install gcc-arm-none-eabi",
        "arm-none-eabi-g++": "sudo apt install gcc-arm-none-eabi",
        "newlib": "sudo apt install libnewlib-arm-none-eabi",
        "libstdc++": "sudo apt install libstdc++-arm-none-eabi-newlib",
        "qemu-system-arm": "sudo apt install qemu-system-arm",
        "PlatformIO": "pip install 'tinykit[flash]'",
        "SCons": "pip install 'tinykit[flash]'",
        "tflite-micro": "pip install 'tinykit[verify]'",
        "TFLM tree": "git clone https://github.com/tensorflow/tflite-micro",
        "serial port": "",
        "cache folder": "",
    }
    assert [name for name, item in items.items() if item.state == "present"] == ["cache folder"]


def test_whole_toolchain(programs: Path, tmp_path: Path) -> None:
    library = tmp_path / "libc_nano.a"
    library.touch()
    for name in ("arm-none-eabi-gcc", "arm-none-eabi-g++"):
        _install(programs, name, GCC.format(library=library))
    _install(programs, "qemu-system-arm", QEMU_7)
    items = _items()
    assert items["arm-none-eabi-g++"] == Item("arm-none-eabi-g++", "present", "12.2.1")
    assert items["newlib"] == Item("newlib", "present", str(library))
    assert items["qemu-system-arm"] == Item("qemu-system-arm", "present", "7.2.22")


def test_compiler_without_a_library_and_old_qemu(programs: Path) -> None:
    _install(programs, "arm-none-eabi-gcc", GCC.format(library="libc_nano.a"))
    _install(programs, "qemu-system-arm", QEMU_5)
    items = _items()
    assert items["newlib"].state == "missing"
    assert items["newlib"].remark == "the compiler finds no libc_nano.a"
    assert items["qemu-system-arm"].state == "wrong"
    assert "does not know mps3-an547" in items["qemu-system-arm"].remark


def test_broken_and_hanging_programs_take_seconds_and_steer_no_terminal(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inventory, "_PROBE_SECONDS", 0.5)
    _install(programs, "arm-none-eabi-gcc", "printf '\\033[2Jboom\\n'; exit 1")
    _install(programs, "arm-none-eabi-g++", "printf '\\033[2J12.2'")
    _install(programs, "qemu-system-arm", "while :; do :; done")
    start = time.monotonic()
    items = _items()
    assert time.monotonic() - start < 5
    assert items["arm-none-eabi-gcc"].state == "wrong"
    assert "\\x1b[2Jboom" in items["arm-none-eabi-gcc"].remark
    assert items["arm-none-eabi-g++"].found == "\\x1b[2J12.2"
    assert "did not end within" in items["qemu-system-arm"].remark


@pytest.mark.usefixtures("programs")
def test_ports_of_the_computer_itself_are_no_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ttyACM0").touch()
    ports = [Port("/dev/ttyS0", "n/a", None), Port(str(tmp_path / "ttyACM0"), "ST\x1bLink", 0x483)]
    monkeypatch.setattr(serial.tools.list_ports, "comports", lambda: ports)
    found = _items()["serial port"]
    assert found.state == "present"
    assert found.found.endswith("ttyACM0 (ST\\x1bLink)")
    assert "ttyS0" not in found.found


@pytest.mark.usefixtures("programs")
def test_port_that_another_group_owns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    monkeypatch.setattr(
        serial.tools.list_ports, "comports", lambda: [Port(str(device), "CP2102", 0x10C4)]
    )
    monkeypatch.setattr(Path, "group", lambda self: "uucp")
    real = os.access
    monkeypatch.setattr(
        "os.access", lambda path, mode: str(path) != str(device) and real(path, mode)
    )
    found = _items()["serial port"]
    assert (found.state, found.command) == (
        "wrong",
        "sudo usermod -aG uucp $USER  # then log in again",
    )


@pytest.mark.usefixtures("programs")
def test_cache_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TINYKIT_CACHE", str(tmp_path / "file" / "cache"))
    found = _items()["cache folder"]
    assert found.state == "wrong"
    assert "TINYKIT_CACHE" in found.command
    assert not (tmp_path / "cache").exists()


def test_tflm_tree_of_another_commit_and_none(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tflm\x1b"
    tree.mkdir()
    monkeypatch.setenv("TINYKIT_TFLM", str(tree))
    found = _items()["TFLM tree"]
    assert (found.state, "holds no TFLM sources" in found.remark) == ("wrong", True)
    assert "\x1b" not in found.remark + found.found + found.command
    micro = tree / "tensorflow" / "lite" / "micro"
    micro.mkdir(parents=True)
    (micro / "micro_interpreter.cc").touch()
    assert "lacks flatbuffers" in _items()["TFLM tree"].remark


@pytest.mark.tflm
def test_whole_tflm_tree(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    tflm_tree()
    items = {item.name: item for item in survey(COMMIT)}
    assert items["TFLM tree"].state == "present"
    there = {item.name: item for item in survey("0123456")}["TFLM tree"]
    # A tree that does not say its commit is taken as it is.
    assert there.state == "present" or "checkout 0123456" in there.command


def _machine(*present: str) -> list[Item]:
    names = dict.fromkeys(name for p in PURPOSES for choice in NEEDS[p] for name in choice)
    return [Item(name, "present" if name in present else "missing") for name in names]


def test_flash_needs_a_port_or_qemu() -> None:
    build = [choice[0] for choice in NEEDS["build"]]
    assert [i.name for i in lacking(_machine(*build), "flash")] == ["serial port"]
    for way in ("serial port", "qemu-system-arm"):
        assert lacking(_machine(*build, way), "flash") == ()
    assert [i.name for i in lacking(_machine(), "fit")] == ["Python packages"]
    assert [i.name for i in lacking(_machine(*build), "verify")] == [
        "qemu-system-arm",
        "tflite-micro",
    ]
