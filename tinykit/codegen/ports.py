# SPDX-License-Identifier: Apache-2.0
"""Which port of `firmware/ports` a board takes, and the files that make it up."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tinykit.board import Board
from tinykit.errors import UsageError
from tinykit.resources import folder

LIBRARY = "lib/tinykit"
"""Where the portable code lies in a project, as a PlatformIO library."""


@dataclass(frozen=True, slots=True)
class Port:
    """A port as a project takes it.

    Attributes:
        name: a key of `firmware/ports/ports.toml`.
        linker_script: path in the project, "" where the framework brings one.
        files: path in the project -> bytes: the portable code, the port and the TFLM engine.
    """

    name: str
    linker_script: str
    files: Mapping[str, bytes]

    @property
    def framework(self) -> str:
        """Return the PlatformIO framework, "" for none."""
        if self.linker_script:
            return "bare"
        return {"arduino": "arduino", "esp-idf": "espidf"}.get(self.name, "")


def find_port(board: Board) -> Port:
    """Return the port of a board.

    Raises:
        UsageError: the board has none, or PlatformIO does not know the board.
    """
    target = board.platformio
    if board.core == "host":
        raise UsageError(
            "no project is generated for the host: its arena is that of a 64-bit machine",
            hint="the qemu-cortex boards run on this computer",
        )
    if target is None or target.board is None:
        raise UsageError(
            f"PlatformIO has no board for {board.id}, so no project can be generated for it",
            hint="fit works; to build, write a boards/*.json for PlatformIO and a board file",
        )
    name = _by_framework(target.board, target.framework, board)
    scripts: Mapping[str, str] = _table()[name].get("linker_scripts", {})
    script = scripts.get(target.board, "")
    return Port(name, f"{LIBRARY}/port/{script}" if script else "", _files(name))


def _by_framework(pio_board: str, framework: str | None, board: Board) -> str:
    for name, row in _table().items():
        if pio_board in row.get("linker_scripts", {}):
            return name
    if board.mcu.casefold().startswith("esp32"):
        return "esp-idf"  # where TFLM and ESP-NN come as components
    port = {"arduino": "arduino", "espidf": "esp-idf"}.get(framework or "")
    if port is None:
        raise UsageError(
            f"{board.id} has no port: its PlatformIO framework is {framework or 'unknown'}",
            hint="boards of the arduino and espidf frameworks and the QEMU machines have one",
        )
    return port


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = (folder("firmware") / "ports" / "ports.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=8)
def _files(name: str) -> Mapping[str, bytes]:
    root = folder("firmware")
    files = {f"{LIBRARY}/library.json": (root / "library.json").read_bytes()}
    for part in ("include", "src"):
        for path in sorted((root / part).rglob("*")):
            if path.is_file():
                files[f"{LIBRARY}/{path.relative_to(root).as_posix()}"] = path.read_bytes()
    for part in _table()[name]["folders"]:
        for path in _sources(root / "ports" / part):
            files[f"{LIBRARY}/port/{path.name}"] = path.read_bytes()
    for path in _sources(root / "engines" / "tflm"):
        files[f"src/{path.name}"] = path.read_bytes()
    return files


def _sources(path: Path) -> list[Path]:
    return sorted(p for p in path.iterdir() if p.is_file())
