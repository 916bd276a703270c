# SPDX-License-Identifier: Apache-2.0
"""Starts a QEMU machine with its serial line on a TCP port of this computer, and stops it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tinykit.errors import ToolError
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
_START_SECONDS = 15.0
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that runs; its serial line is at `url`, as pyserial names it."""

    url: str


@contextmanager
def machine(board: str, program: Path, *, icount_shift: int | None = None) -> Iterator[Machine]:
    """Run a firmware until the block ends.

    Args:
        board: a key of `MACHINES`.
        program: the linked ELF.
        icount_shift: make time deterministic: one instruction takes 2**shift ns.

    Raises:
        ToolError: QEMU is missing or ends at once.
    """
    qemu = find_program("qemu-system-arm", INSTALL)
    command = [qemu, "-M", MACHINES[board], "-display", "none", "-monitor", "none", "-nodefaults"]
    if icount_shift is not None:
        command += ["-icount", f"shift={icount_shift}"]
    command += ["-semihosting-config", "enable=on,target=native", "-kernel", str(program)]
    child, port = _start(command)
    try:
        yield Machine(f"socket://127.0.0.1:{port}")
    finally:
        _stop(child)


def _start(command: list[str]) -> tuple[subprocess.Popen[bytes], int]:
    said = ""
    for _ in range(_TRIES):  # somebody may take the free port before QEMU does
        port = _free_port()
        serial = f"socket,id=serial0,host=127.0.0.1,port={port},server=on,wait=off,nodelay=on"
        child = subprocess.Popen(
            [*command, "-chardev", serial, "-serial", "chardev:serial0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if _listens(child, port):
            return child, port
        said = _last_words(child)
        if "address" not in said.lower():
            break
    raise ToolError(f"qemu-system-arm ended at once: {printable(said, limit=400)}", hint=INSTALL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(child: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until the port is taken, without connecting: the firmware sees the first connection."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if child.poll() is not None:
            return False
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return True
        time.sleep(0.02)
    _stop(child)
    return False


def _last_words(child: subprocess.Popen[bytes]) -> str:
    assert child.stderr is not None
    with child.stderr as stream:
        lines = stream.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"status {child.returncode}"


def _stop(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stderr is not None:
        with suppress(OSError):
            child.stderr.close()
