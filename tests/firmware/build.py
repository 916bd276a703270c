# SPDX-License-Identifier: Apache-2.0
"""Compiles firmware for tests, with the warnings that the sources promise to be free of."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import ROOT

FIRMWARE = ROOT / "firmware"
EMPTY_IMAGE = FIRMWARE / "engines" / "empty" / "image.c"
FAULTY_IMAGE = ROOT / "tests" / "firmware" / "images" / "faulty.c"
CXX_IMAGE = ROOT / "tests" / "firmware" / "images" / "scale.cc"

WARNINGS = (
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Werror",
    "-Wshadow",
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
)
CXX_WARNINGS = tuple(w for w in WARNINGS if "prototypes" not in w)
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine of QEMU and how code for it is compiled."""

    core: str
    qemu: str
    board: str
    port: str
    clock_hz: int
    flags: tuple[str, ...]


MACHINES = (
    Machine(
        "cortex-m3",
        "mps2-an385",
        "qemu_mps2_an385",
        "qemu-mps2",
        25_000_000,
        ("-mcpu=cortex-m3", "-mfloat-abi=soft"),
    ),
    Machine(
        "cortex-m4",
        "mps2-an386",
        "qemu_mps2_an386",
        "qemu-mps2",
        25_000_000,
        ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    ),
    Machine(
        "cortex-m7",
        "mps2-an500",
        "qemu_mps2_an500",
        "qemu-mps2",
        25_000_000,
        ("-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16"),
    ),
    Machine(
        "cortex-m55",
        "mps3-an547",
        "qemu_mps3_an547",
        "qemu-mps3",
        32_000_000,
        ("-mcpu=cortex-m55", "-mfloat-abi=hard"),
    ),
)


def need_program(name: str, package: str) -> str:
    """Return the path of a program, or skip the test that needs it."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"program missing: {name} (Debian: apt install {package})")
    return path


def need_arm_gcc() -> str:
    """Return the path of the cross compiler, or skip."""
    return need_program("arm-none-eabi-gcc", "gcc-arm-none-eabi libnewlib-arm-none-eabi")


def run_tool(command: Sequence[str | Path], *, timeout_s: float = 120.0) -> str:
    """Run a program that must succeed and return what it printed."""
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=timeout_s, check=False
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def port_table(port: str) -> dict[str, object]:
    """Return what ports.toml says of a port."""
    table = tomllib.loads((FIRMWARE / "ports" / "ports.toml").read_text())
    entry = table[port]
    assert isinstance(entry, dict)
    return entry


def lay_out(port: str, target: Path) -> Path:
    """Copy the portable code and one port to `target`, as a generated project holds them."""
    shutil.copytree(FIRMWARE / "include", target / "include")
    shutil.copytree(FIRMWARE / "src", target / "src")
    shutil.copy(FIRMWARE / "library.json", target)
    folders = port_table(port)["folders"]
    assert isinstance(folders, list)
    for folder in folders:
        for file in (FIRMWARE / "ports" / str(folder)).iterdir():
            destination = target / "port" / file.name
            destination.parent.mkdir(exist_ok=True)
            assert not destination.exists(), f"two folders of {port} hold a {file.name}"
            shutil.copy(file, destination)
    return target


def linker_script(machine: Machine) -> str:
    """Return the name of the machine's linker script in port/."""
    scripts = port_table(machine.port)["linker_scripts"]
    assert isinstance(scripts, dict)
    return str(scripts[machine.board])


def compile_host(target: Path, image: Path = EMPTY_IMAGE, *, defines: Sequence[str] = ()) -> Path:
    """Build the host port with sanitizers and return the program."""
    need_program("gcc", "gcc")
    tree = lay_out("host", target)
    program = target / "firmware"
    sources = [*tree.glob("src/*.c"), *tree.glob("port/*.c"), image]
    flags = ["-std=gnu11", "-O1", "-g", *WARNINGS, *SANITIZERS, *defines, f"-I{tree / 'include'}"]
    run_tool(["gcc", *flags, *sources, "-o", program])
    return program


def compile_machine(
    machine: Machine, target: Path, image: Path = EMPTY_IMAGE, *, defines: Sequence[str] = ()
) -> Path:
    """Build a machine's port with the plain cross compiler; `image` is C or C++."""
    need_arm_gcc()
    tree = lay_out(machine.port, target)
    elf = target / "firmware.elf"
    flags = ["-O2", "-g", "-mthumb", *machine.flags, *defines, f"-I{tree / 'include'}"]
    flags += ["-ffunction-sections", "-fdata-sections"]
    linked: list[str | Path] = [image]
    if image.suffix == ".cc":
        need_program("arm-none-eabi-g++", "libstdc++-arm-none-eabi-newlib")
        compiled = target / "image.o"
        cxx = ["-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]
        run_tool(["arm-none-eabi-g++", *cxx, *flags, *CXX_WARNINGS, "-c", image, "-o", compiled])
        linked = [compiled, "-lstdc++"]
    sources = [*tree.glob("src/*.c"), *tree.glob("port/*.c")]
    link = ["--specs=nano.specs", "-nostartfiles", "-static", "-Wl,--gc-sections"]
    link += ["-Wl,--fatal-warnings", f"-L{tree / 'port'}"]
    link += ["-T", str(tree / "port" / linker_script(machine))]
    compiler = ["arm-none-eabi-gcc", "-std=gnu11", *flags, *WARNINGS]
    run_tool([*compiler, *sources, *linked, *link, "-o", elf])
    return elf
