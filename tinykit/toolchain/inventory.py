# SPDX-License-Identifier: Apache-2.0
"""What is installed of what tinykit runs, and the command that brings what is not.

Nothing is written, downloaded or changed here; a program that hangs is given up after seconds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path
from shlex import quote
from typing import Literal, get_args

from tinykit.errors import ToolError
from tinykit.resources import folder
from tinykit.sanitise import printable
from tinykit.toolchain.core_folder import INSTALL, SET_CACHE, cache_folder, check_installed
from tinykit.toolchain.program import find_program, run_program
from tinykit.toolchain.qemu import INSTALL as INSTALL_QEMU
from tinykit.toolchain.qemu import MACHINES

Purpose = Literal["fit", "build", "flash", "verify", "measure"]
State = Literal["present", "missing", "wrong"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)

_BUILD = (
    ("Python packages",),
    ("arm-none-eabi-gcc",),
    ("arm-none-eabi-g++",),
    ("newlib",),
    ("libstdc++",),
    ("PlatformIO",),
    ("SCons",),
    ("TFLM tree",),
    ("cache folder",),
)
NEEDS: Mapping[Purpose, tuple[tuple[str, ...], ...]] = {
    "fit": (("Python packages",),),
    "build": _BUILD,
    "flash": (*_BUILD, ("serial port", "qemu-system-arm")),
    "verify": (*_BUILD, ("qemu-system-arm",), ("tflite-micro",)),
    "measure": (("Python packages",), ("serial port",)),
}
"""Purpose -> what it needs, each as alternatives of which one is enough."""

_REQUIRED = {"jinja2": "jinja2", "numpy": "numpy", "serial": "pyserial"}  # module: package
_PROBE_SECONDS = 2.0
_GCC = "sudo apt install gcc-arm-none-eabi"
_NEWLIB = "sudo apt install libnewlib-arm-none-eabi"
_LIBSTDCXX = "sudo apt install libstdc++-arm-none-eabi-newlib"
# The newest core that is compiled for: an older compiler does not know it.
_NEWEST_CORE = ("-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that tinykit runs or reads.

    Attributes:
        state: wrong means there, but not usable as it is.
        found: version or place, "" where there is none.
        remark: what is missing or wrong about it.
        command: brings it or puts it right, "" where no command can.
    """

    name: str
    state: State
    found: str = ""
    remark: str = ""
    command: str = ""

    @property
    def needed_for(self) -> tuple[Purpose, ...]:
        """Return the purposes that ask for it, alone or as one of several."""
        return tuple(p for p in PURPOSES if any(self.name in choice for choice in NEEDS[p]))


def survey(tflm_commit: str) -> tuple[Item, ...]:
    """Return every item, in the order in which a reader wants them.

    Args:
        tflm_commit: the commit of TFLM that firmware is made for.
    """
    probes: list[Callable[[], Item]] = [
        _python_packages,
        lambda: _compiler("arm-none-eabi-gcc", _GCC),
        lambda: _compiler("arm-none-eabi-g++", _GCC),
        lambda: _library("newlib", "libc_nano.a", _NEWLIB),
        lambda: _library("libstdc++", "libstdc++_nano.a", _LIBSTDCXX),
        _qemu,
        lambda: _package("PlatformIO", "platformio", "platformio", INSTALL),
        _scons,
        lambda: _package(
            "tflite-micro", "tflite_micro", "tflite-micro", "pip install 'tinykit[verify]'"
        ),
        lambda: _tflm_tree(tflm_commit),
        _serial_port,
        _cache,
    ]
    with ThreadPoolExecutor(len(probes)) as pool:
        return tuple(pool.map(lambda probe: probe(), probes))


def lacking(items: Sequence[Item], purpose: Purpose) -> tuple[Item, ...]:
    """Return the items for want of which a purpose cannot be served; () when it can."""
    by_name = {item.name: item for item in items}
    return tuple(
        by_name[choice[0]]
        for choice in NEEDS[purpose]
        if not any(by_name[name].state == "present" for name in choice)
    )


def _ask(program: str, *arguments: str, command: str) -> str:
    path = find_program(program, command)
    return run_program(
        [path, *arguments], folder=Path(path).parent, timeout_seconds=_PROBE_SECONDS, hint=command
    )


def _broken(name: str, error: ToolError, command: str) -> Item:
    state: State = "missing" if shutil.which(name) is None else "wrong"
    remark = " ".join(error.message.split())
    return Item(name, state, remark=printable(remark, limit=120), command=command)


def _compiler(name: str, command: str) -> Item:
    try:
        version = _ask(name, "-dumpfullversion", command=command)
    except ToolError as error:
        return _broken(name, error, command)
    return Item(name, "present", _first_line(version))


def _library(name: str, file: str, command: str) -> Item:
    """Look for a library as the compiler does: of a file it cannot find it repeats the name."""
    try:
        said = _ask("arm-none-eabi-gcc", *_NEWEST_CORE, f"-print-file-name={file}", command=command)
    except ToolError as error:
        remark = printable(" ".join(error.message.split()), limit=120)
        return Item(name, "missing", remark=remark, command=command)
    path = Path(said.strip())
    if not (path.is_absolute() and path.is_file()):
        return Item(name, "missing", remark=f"the compiler finds no {file}", command=command)
    return Item(name, "present", printable(os.path.normpath(path), limit=120))


def _qemu() -> Item:
    name, command = "qemu-system-arm", f"sudo {INSTALL_QEMU}"
    try:
        said = _first_line(_ask(name, "--version", command=command))
        version = said.removeprefix("QEMU emulator version ").split(" ")[0]
        listed = _ask(name, "-machine", "help", command=command)
    except ToolError as error:
        return _broken(name, error, command)
    known = {line.split(maxsplit=1)[0] for line in listed.splitlines() if line.strip()}
    unknown = sorted(set(MACHINES.values()) - known)
    if unknown:
        remark = f"does not know {', '.join(unknown)}: too old"
        return Item(name, "wrong", version, remark, command)
    return Item(name, "present", version)


def _python_packages() -> Item:
    name = "Python packages"
    absent = [package for module, package in _REQUIRED.items() if util.find_spec(module) is None]
    if absent:
        command = f"pip install {' '.join(absent)}"
        return Item(name, "missing", remark=f"without {', '.join(absent)}", command=command)
    return Item(name, "present", ", ".join(_REQUIRED.values()))


def _package(name: str, module: str, package: str, command: str) -> Item:
    if util.find_spec(module) is None:
        return Item(name, "missing", remark="the Python package is missing", command=command)
    try:
        return Item(name, "present", printable(metadata.version(package), limit=40))
    except metadata.PackageNotFoundError:
        return Item(name, "wrong", remark="of unknown version", command=command)


def _scons() -> Item:
    item = _package("SCons", "SCons", "scons", INSTALL)
    if item.state != "present" or util.find_spec("platformio") is None:
        return item
    try:
        check_installed()
    except ToolError as error:
        return Item("SCons", "wrong", item.found, error.message, error.hint or INSTALL)
    return item


def _tflm_tree(commit: str) -> Item:
    """Check the tree with the very code that a generated project checks it with."""
    name = "TFLM tree"
    source = folder("templates") / "tflm" / "tflm" / "sources.py"
    spec = util.spec_from_file_location("tinykit_tflm_sources", source)
    assert spec is not None
    assert spec.loader is not None
    sources = util.module_from_spec(spec)
    spec.loader.exec_module(sources)
    command = (
        "git clone https://github.com/tensorflow/tflite-micro && cd tflite-micro"
        f" && git checkout {commit} && pip install numpy pillow && {sources.DOWNLOAD}"
        " && export TINYKIT_TFLM=$PWD"
    )
    named = os.environ.get("TINYKIT_TFLM")
    if not named:
        return Item(name, "missing", remark="TINYKIT_TFLM names none", command=command)
    place = printable(named, limit=120)
    try:
        tree = sources.Tree(Path(named).expanduser())
        tree.includes("cmsis-nn")
        tree.core()
        found = tree.commit()
    except (sources.TreeError, OSError, ValueError) as error:
        remark = printable(str(error).split(":")[0], limit=120)
        return Item(name, "wrong", place, remark, command)
    if found and not found.startswith(commit):
        remark = f"is at {printable(found, limit=12)}; the predictions hold for {commit}"
        return Item(name, "wrong", place, remark, f"git -C {quote(place)} checkout {commit}")
    return Item(name, "present", place)


def _serial_port() -> Item:
    """Look for a serial port on USB, where boards are; a port of the computer itself is none."""
    name = "serial port"
    if util.find_spec("serial") is None:
        return Item(name, "missing", remark="unknown without pyserial")
    from serial.tools.list_ports import comports

    ports = sorted((port for port in comports() if port.vid is not None), key=lambda p: p.device)
    usable = [port for port in ports if os.access(port.device, os.R_OK | os.W_OK)]
    if usable:
        shown = (f"{port.device} ({port.description})" for port in usable)
        return Item(name, "present", printable(", ".join(shown), limit=120))
    if not ports:
        return Item(name, "missing", remark="no board is connected by USB")
    device = printable(ports[0].device, limit=80)
    group = _group(ports[0].device)
    return Item(
        name,
        "wrong",
        device,
        f"you may not use it: it belongs to the group {group}",
        f"sudo usermod -aG {group} $USER  # then log in again",
    )


def _group(device: str) -> str:
    try:
        return Path(device).group()
    except (OSError, KeyError, NotImplementedError):
        return "dialout"


def _cache() -> Item:
    """Look whether the cache folder can be written, without making it."""
    try:
        place = cache_folder()
    except ToolError as error:
        return Item("cache folder", "missing", "", error.message, error.hint or "")
    shown = printable(str(place), limit=120)
    above = next(path for path in (place, *place.parents) if path.exists())
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return Item("cache folder", "present", shown)
    remark = f"{printable(str(above), limit=120)} cannot be written"
    return Item("cache folder", "wrong", shown, remark, SET_CACHE)


def _first_line(text: str) -> str:
    return printable((text.splitlines() or [""])[0], limit=60)
