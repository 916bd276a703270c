# SPDX-License-Identifier: Apache-2.0
"""Runs another program: never through a shell, never without a time limit, never left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer

from tinykit.errors import ToolError
from tinykit.sanitise import printable

_LAST_LINES = 15
_MOST_OUTPUT_CHARS = 1 << 22


def find_program(name: str, hint: str) -> str:
    """Return the path of a program on PATH.

    Args:
        hint: the command that brings it.

    Raises:
        ToolError: it is not there.
    """
    path = shutil.which(name)
    if path is None:
        raise ToolError(f"{name} is not on PATH", hint=hint)
    return path


def run_program(
    command: Sequence[str],
    *,
    folder: Path,
    timeout_seconds: float,
    environment: Mapping[str, str] | None = None,
    on_line: Callable[[str], None] | None = None,
) -> str:
    """Run a program to its end and return what it printed, both streams together.

    Args:
        folder: that it runs in.
        environment: variables on top of this process's own.
        on_line: is given each line as it comes, escape codes made visible.

    Raises:
        ToolError: it could not start, failed, or ran out of time; the message ends in its last
            lines.
    """
    name = Path(command[0]).name
    try:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(f"cannot start {printable(name)}: {error.strerror}") from error
    late = Timer(timeout_seconds, _kill, (child,))
    late.start()
    try:
        lines = _collect(child, on_line)
        child.wait()
        timed_out = not late.is_alive()
    finally:
        late.cancel()
        _kill(child)
    if timed_out:
        raise ToolError(_failure(f"{name} did not end within {timeout_seconds:.0f} s", lines))
    if child.returncode != 0:
        raise ToolError(_failure(f"{name} ended with status {child.returncode}", lines))
    return "\n".join(lines)


def _collect(child: subprocess.Popen[str], on_line: Callable[[str], None] | None) -> list[str]:
    assert child.stdout is not None
    lines: list[str] = []
    kept = 0
    with child.stdout as stream:
        for line in stream:
            text = printable(line.rstrip("\r\n"), limit=2000)
            kept += len(text)
            if kept > _MOST_OUTPUT_CHARS:
                lines = lines[-_LAST_LINES:]
                kept = sum(len(one) for one in lines)
            lines.append(text)
            if on_line is not None:
                on_line(text)
    return lines


def _failure(what: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{what}:", *lines[-_LAST_LINES:]]) if lines else what


def _kill(child: subprocess.Popen[str]) -> None:
    """End the program and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
