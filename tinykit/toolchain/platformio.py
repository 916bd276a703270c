# SPDX-License-Identifier: Apache-2.0
"""Runs PlatformIO so that it never waits for a registry that is not there.

All builds share one core folder (`core_folder`) and one cache of compiled objects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tinykit.errors import ToolError, UsageError
from tinykit.sanitise import printable
from tinykit.toolchain import offline
from tinykit.toolchain.core_folder import prepare_core
from tinykit.toolchain.program import run_program

_QUIET = {
    "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
    "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
    "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "36500",
    "PLATFORMIO_SETTING_CHECK_PRUNE_SYSTEM_THRESHOLD": "0",
    "PLATFORMIO_NO_ANSI": "true",
    "PLATFORMIO_DISABLE_PROGRESSBAR": "true",
}


def run_platformio(
    project: Path,
    arguments: Sequence[str],
    *,
    timeout_seconds: float = 1800,
    online: bool = False,
    on_line: Callable[[str], None] | None = None,
) -> str:
    """Run `pio` in a project folder and return what it printed.

    Args:
        online: let PlatformIO fetch platforms and packages that are not installed.

    Raises:
        UsageError: the folder holds no project.
        ToolError: PlatformIO or a piece that it would have to download is missing, or it failed.
    """
    if not (project / "platformio.ini").is_file():
        raise UsageError(
            f"{printable(str(project))} holds no platformio.ini", hint="tinykit generate writes one"
        )
    core = prepare_core()
    missing: list[str] = []

    def listen(line: str) -> None:
        if line.startswith(offline.MISSING):
            missing.append(line.removeprefix(offline.MISSING))
        elif on_line is not None:
            on_line(line)

    # -P: a file of the project, say json.py, is no module of PlatformIO's.
    program = ["-m", "platformio"] if online else [str(Path(offline.__file__).resolve())]
    try:
        return run_program(
            [sys.executable, "-P", *program, *arguments],
            folder=project,
            environment={**_QUIET, **_folders(project, core)},
            timeout_seconds=timeout_seconds,
            on_line=listen,
        )
    except ToolError as error:
        if not missing:
            raise
        raise ToolError(
            f"the project needs a {missing[0]} of PlatformIO's, which is not installed",
            hint="run with --online where a registry can be reached",
        ) from error


def _folders(project: Path, core: Path) -> dict[str, str]:
    """Return variables for every folder that the user's own settings could lead elsewhere."""
    return {
        "PLATFORMIO_CORE_DIR": str(core),
        "PLATFORMIO_PLATFORMS_DIR": str(core / "platforms"),
        "PLATFORMIO_PACKAGES_DIR": str(core / "packages"),
        "PLATFORMIO_BUILD_CACHE_DIR": str(core.parent / "objects"),
        "PLATFORMIO_BUILD_DIR": str(project.absolute() / ".pio" / "build"),
    }
