# SPDX-License-Identifier: Apache-2.0
"""Starts a QEMU machine with its serial line on a TCP port of this computer, and stops it."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO

from tinykit.errors import ToolError, UsageError
from tinykit.sanitise import printable
from tinykit.toolchain.program import find_program

MACHINES: Mapping[str, str] = {
    "qemu-cortex-m3": "mps2-an385",
    "qemu-cortex-m4": "mps2-an386",
    "qemu-cortex-m7": "mps2-an500",
    "qemu-cortex-m55": "mps3-an547",
}
"""Board -> machine of qemu-system-arm."""

INSTALL = "apt install qemu-system-arm"
_START_SECONDS = 20.0
_STOP_SECONDS = 5.0
_MOST_SAID_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that runs; its serial line is at `url`, as pyserial names it."""

    url: str


@contextmanager
def machine(board: str, program: Path, *, icount_shift: int | None = None) -> Iterator[Machine]:
    """Run a firmware until the block ends.

    The port is ours before QEMU starts, and QEMU inherits it: nobody can take it in between.

    Args:
        board: a key of `MACHINES`.
        program: the linked ELF.
        icount_shift: make time deterministic: one instruction takes 2**shift ns.

    Raises:
        UsageError: there is no such board.
        ToolError: QEMU is missing or does not start.
    """
    if board not in MACHINES:
        raise UsageError(
            f"{printable(board)} is not an emulated board", hint=f"one of {', '.join(MACHINES)}"
        )
    qemu = find_program("qemu-system-arm", INSTALL)
    command = [qemu, "-M", MACHINES[board], "-display", "none", "-nodefaults", "-qmp", "stdio"]
    if icount_shift is not None:
        command += ["-icount", f"shift={icount_shift}"]
    command += ["-semihosting-config", "enable=on,target=native", "-kernel", str(program)]
    with socket.create_server(("127.0.0.1", 0)) as server, TemporaryFile() as said:
        port = server.getsockname()[1]
        child = _start(command, server, said)
    try:
        yield Machine(f"socket://127.0.0.1:{port}")
    finally:
        _stop(child)


def _start(
    command: Sequence[str], server: socket.socket, said: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Start QEMU and wait until its machine runs.

    Raises:
        ToolError: it ended or hung instead; the message holds what it said.
    """
    serial = f"socket,id=serial0,fd={server.fileno()},server=on,wait=off,nodelay=on"
    child = subprocess.Popen(
        [*command, "-chardev", serial, "-serial", "chardev:serial0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        start_new_session=True,
        pass_fds=[server.fileno()],
        bufsize=0,
    )
    late = Timer(_START_SECONDS, child.kill)
    late.start()
    try:
        if _answers(child):
            return child
    except BaseException:
        _stop(child)
        raise
    finally:
        late.cancel()
    _stop(child)
    said.seek(0)
    words = " ".join(said.read(_MOST_SAID_BYTES).decode("utf-8", "replace").split())
    raise ToolError(
        f"qemu-system-arm did not start: {printable(words, limit=400)}",
        hint="tinykit doctor --for verify",
    )


def _answers(child: subprocess.Popen[bytes]) -> bool:
    """Return whether QEMU takes commands, which it does once its machine is made; else it ended.

    Source: QEMU, docs/interop/qmp-intro.
    """
    commands, answers = child.stdin, child.stdout
    assert commands is not None
    assert answers is not None
    try:
        commands.write(b'{"execute": "qmp_capabilities"}\n')
    except BrokenPipeError:
        return False
    return any(b'"return"' in line for line in iter(lambda: answers.readline(4096), b""))


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            stream.close()
