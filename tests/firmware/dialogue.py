# SPDX-License-Identifier: Apache-2.0
"""Speaks the line protocol with a firmware, over whatever file descriptors reach it."""

from __future__ import annotations

import contextlib
import os
import re
import select
import socket
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

from tests.firmware.build import Machine, need_program

TIMEOUT_S = 20.0
_KEY = re.compile(r"tk-(?P<key>[a-z0-9-]+?)-\[(?P<value>.*)\]")


class Dialogue:
    """Commands out, lines in; no wait is longer than TIMEOUT_S."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._rest = b""

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._write_fd, data) :]

    def line(self, timeout_s: float = TIMEOUT_S) -> str | None:
        """Return the next line without its end, or None where the firmware has hung up."""
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._rest:
            left_s = deadline - time.monotonic()
            ready, _, _ = select.select([self._read_fd], [], [], max(left_s, 0))
            assert ready, f"silence; the last bytes were {self._rest!r}"
            try:
                chunk = os.read(self._read_fd, 65536)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                return None
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        return line.rstrip(b"\r").decode("ascii")

    def lines_until(self, last: str) -> list[str]:
        """Return the lines before `last`."""
        lines: list[str] = []
        while (line := self.line()) != last:
            assert line is not None, f"hung up after {lines}"
            lines.append(line)
        return lines

    def ask(self, command: str) -> list[str]:
        """Return the answer to a command, without its closing m-ready."""
        self.send(command.encode("latin-1") + b"%")
        return self.lines_until("m-ready")

    def ask_keys(self, command: str) -> dict[str, str]:
        """Return the tk- lines of an answer as a table."""
        matches = [_KEY.fullmatch(line) for line in self.ask(command)]
        assert all(matches), f"{command} answered with other lines as well"
        return {m["key"]: m["value"] for m in matches if m}

    def fall_in_step(self) -> None:
        """Drop what the firmware said before, whether or not its boot lines were seen."""
        self.send(b"%in-step%")
        self.lines_until("e-[Unknown command: in-step]")
        self.lines_until("m-ready")


@contextlib.contextmanager
def host_process(program: Path) -> Generator[tuple[Dialogue, subprocess.Popen[bytes]]]:
    """Run a host firmware on two pipes."""
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield Dialogue(process.stdout.fileno(), process.stdin.fileno()), process
        finally:
            process.kill()


def free_port() -> int:
    """Return a TCP port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def tcp_dialogue(port: int) -> Generator[Dialogue]:
    """Connect to a serial line on TCP, as soon as something listens."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
            break
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, f"nothing listens on port {port}"
            time.sleep(0.02)
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield Dialogue(connection.fileno(), connection.fileno())


@contextlib.contextmanager
def qemu_process(machine: Machine, elf: Path) -> Generator[tuple[int, subprocess.Popen[bytes]]]:
    """Run a firmware in QEMU and yield the TCP port of its serial line."""
    qemu = need_program("qemu-system-arm", "qemu-system-arm")
    port = free_port()
    command = [qemu, "-M", machine.qemu, "-display", "none", "-monitor", "none", "-net", "none"]
    command += ["-icount", "shift=6", "-semihosting-config", "enable=on,target=native"]
    command += ["-chardev", f"socket,id=s,host=127.0.0.1,port={port},server=on,wait=off,nodelay=on"]
    command += ["-serial", "chardev:s", "-kernel", str(elf)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        try:
            yield port, process
        finally:
            process.kill()
