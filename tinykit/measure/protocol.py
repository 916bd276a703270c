# SPDX-License-Identifier: Apache-2.0
"""The line protocol of tinykit's firmware, which is MLPerf Tiny's and a few commands more.

A command ends with `%`; every answer ends with the line `m-ready`.

Source: mlcommons/tiny, benchmark/api/internally_implemented.cpp; firmware/README.md.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from zlib import crc32

from tinykit.errors import BoardSilentError
from tinykit.measure.link import Link
from tinykit.sanitise import printable

READY = "m-ready"
ANSWER_SECONDS = 5.0
_CHUNK_BYTES = 31  # the public runner's own, which every firmware's command buffer takes
_KEY = re.compile(r"tk-([a-z0-9-]+)-\[(.*)\]")
_OUTPUT = re.compile(r"tk-output-(\d+)-(\d+)-\[((?:[0-9a-f]{2})*)\]")
_CRC = re.compile(r"tk-output-crc32-\[([0-9a-f]{8})\]")


class Dut:
    """The device under test at the other end of a link."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def hello(self, seconds: float = 10.0) -> None:
        """Make the board's prompt and ours meet, whatever was on the line before.

        Raises:
            BoardSilentError: the board does not answer.
        """
        deadline = time.monotonic() + seconds
        self._link.send("%name%")
        while not self._link.line(deadline).startswith("m-name-"):
            pass
        self._until_ready(deadline)

    def ask(self, command: str, seconds: float = ANSWER_SECONDS) -> list[str]:
        """Send a command and return the lines of its answer.

        Raises:
            BoardSilentError: no answer, or the board says that it failed.
        """
        self._link.send(f"{command}%")
        return self._until_ready(time.monotonic() + seconds)

    def _until_ready(self, deadline: float) -> list[str]:
        lines: list[str] = []
        while (line := self._link.line(deadline)) != READY:
            if line.startswith("e-["):
                raise BoardSilentError(f"the board reports {printable(line, limit=200)}")
            lines.append(line)
        return lines

    def info(self) -> Mapping[str, str]:
        """Return what the firmware says of itself: key -> value."""
        found = {}
        for line in self.ask("tk-info"):
            if match := _KEY.fullmatch(line):
                found[match[1]] = printable(match[2], limit=100)
        return found

    def load(self, data: bytes) -> None:
        """Load all input tensors, one after the other."""
        self.ask(f"db load {len(data)}")
        for at in range(0, len(data), _CHUNK_BYTES):
            self.ask(f"db {data[at : at + _CHUNK_BYTES].hex()}")

    def infer(self, seconds: float) -> None:
        """Run one inference on what was loaded."""
        self.ask("infer 1 0", seconds)

    def outputs(self) -> bytes:
        """Return all output tensors of the last inference, one after the other.

        Raises:
            BoardSilentError: lines are missing or damaged; the checksum tells.
        """
        data, stated = bytearray(), None
        for line in self.ask("tk-output", 60.0):
            if match := _OUTPUT.fullmatch(line):
                data += bytes.fromhex(match[3])
            elif match := _CRC.fullmatch(line):
                stated = int(match[1], 16)
        if stated is None or crc32(data) != stated:
            raise BoardSilentError("the outputs arrived damaged: their checksum does not match")
        return bytes(data)
