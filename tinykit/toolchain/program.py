# SPDX-License-Identifier: Apache-2.0
"""Runs another program: never through a shell, never without a time limit, never left behind."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tinykit.errors import ToolError
from tinykit.sanitise import printable

_LAST_LINES = 15
_MOST_LINE_BYTES = 1 << 16
_MOST_LINES = 20_000
_POLL_SECONDS = 0.2


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
    hint: str | None = None,
) -> str:
    """Run a program to its end and return what it printed, both streams together.

    Of more than 20,000 lines the last are returned; a line is cut at 2000 characters.

    Args:
        folder: that it runs in.
        environment: variables on top of this process's own.
        on_line: is given each line as it comes, escape codes made visible.
        hint: what to do when it fails.

    Raises:
        ToolError: it could not start, failed, or ran out of time; the message ends in its last
            lines.
    """
    name = printable(Path(command[0]).name)
    try:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
        reason = getattr(error, "strerror", None) or str(error)
        raise ToolError(f"cannot start {name}: {reason}", hint=hint) from error
    lines: deque[str] = deque(maxlen=_MOST_LINES)
    deadline = time.monotonic() + timeout_seconds
    try:
        for line in _lines(child, deadline):
            lines.append(line)
            if on_line is not None:
                on_line(line)
        child.wait(max(0.0, deadline - time.monotonic()))
    except (TimeoutError, subprocess.TimeoutExpired) as error:
        late = f"{name} did not end within {timeout_seconds:.0f} s"
        raise ToolError(_failure(late, lines), hint=hint) from error
    finally:
        _kill(child)
    if child.returncode != 0:
        raise ToolError(_failure(f"{name} {_ending(child.returncode)}", lines), hint=hint)
    return "\n".join(lines)


def _lines(child: subprocess.Popen[bytes], deadline: float) -> Iterator[str]:
    """Yield the program's lines, fit for a terminal, until it is done with its output."""
    pending = b""
    for chunk in _chunks(child, deadline):
        *whole, pending = (pending + chunk).split(b"\n")
        if len(pending) > _MOST_LINE_BYTES:
            whole, pending = [*whole, pending], b""
        for line in whole:
            yield _text(line)
    if pending:
        yield _text(pending)


def _chunks(child: subprocess.Popen[bytes], deadline: float) -> Iterator[bytes]:
    """Yield output as it comes.

    Raises:
        TimeoutError: the deadline, in `time.monotonic()` seconds, has passed.
    """
    assert child.stdout is not None
    with child.stdout as stream:
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            ended = child.poll() is not None  # asked first: its last words are in the pipe then
            if select.select([stream], [], [], min(left, _POLL_SECONDS))[0]:
                chunk = os.read(stream.fileno(), _MOST_LINE_BYTES)
                if not chunk:
                    return
                yield chunk
            elif ended:
                return  # what it left behind, a daemon say, may hold the pipe for ever


def _text(line: bytes) -> str:
    return printable(line.decode("utf-8", "replace").rstrip("\r"), limit=2000)


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


def _failure(what: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{what}:", *list(lines)[-_LAST_LINES:]]) if lines else what


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
