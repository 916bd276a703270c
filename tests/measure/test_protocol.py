# SPDX-License-Identifier: Apache-2.0
"""The protocol's host side, against a board that answers from a script."""

from __future__ import annotations

import time
from collections.abc import Callable
from zlib import crc32

import pytest

from tinykit.errors import BoardSilentError
from tinykit.measure.comparison import first_difference
from tinykit.measure.link import MOST_LINE_BYTES, Link
from tinykit.measure.protocol import Dut


class ScriptedPort:
    """A serial port whose other end answers each command by a function."""

    def __init__(self, answer: Callable[[str], bytes], greeting: bytes = b"") -> None:
        self._answer = answer
        self._out = greeting
        self._command = ""
        self.timeout = 0.5
        self.commands: list[str] = []

    @property
    def in_waiting(self) -> int:
        return len(self._out)

    def read(self, count: int) -> bytes:
        data, self._out = self._out[:count], self._out[count:]
        if not data:
            time.sleep(min(self.timeout, 0.01))
        return data

    def write(self, data: bytes) -> int:
        for c in data.decode():
            if c == "%":
                self.commands.append(self._command)
                self._out += self._answer(self._command)
                self._command = ""
            else:
                self._command += c
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None: ...


def _dut(answer: Callable[[str], bytes], greeting: bytes = b"") -> tuple[Dut, ScriptedPort]:
    port = ScriptedPort(answer, greeting)
    return Dut(Link(port, "a script")), port


def _polite(command: str) -> bytes:
    """Answer as the firmware's README says."""
    if command == "name":
        return b"m-name-dut-[tinykit]\r\nm-ready\r\n"
    if command == "tk-output":
        data = bytes(range(70))
        lines = [
            f"tk-output-0-0-[{data[:64].hex()}]",
            f"tk-output-0-64-[{data[64:].hex()}]",
            f"tk-output-crc32-[{crc32(data):08x}]",
        ]
        return "\r\n".join([*lines, "m-ready", ""]).encode()
    if command == "tk-info":
        return b"tk-model-[kws]\r\ntk-arena-used-bytes-[22820]\r\nnoise\r\nm-ready\r\n"
    return b"m-ready\r\n"


def test_hello_ends_at_the_prompt_whatever_came_before() -> None:
    dut, _ = _dut(_polite, b"garb\xffage m-ready\r\ntk-waiting-[host]\r\nm-ready\r\n")
    dut.hello()
    assert dut.info() == {"model": "kws", "arena-used-bytes": "22820"}


def test_outputs_are_joined_and_their_checksum_is_checked() -> None:
    assert _dut(_polite)[0].outputs() == bytes(range(70))

    def damaged(command: str) -> bytes:
        return _polite(command).replace(b"[0001", b"[0101")

    with pytest.raises(BoardSilentError, match="checksum"):
        _dut(damaged)[0].outputs()


def test_load_sends_every_byte_in_order() -> None:
    dut, port = _dut(_polite)
    data = bytes(range(256)) * 3
    dut.load(data)
    assert port.commands[0] == "db load 768"
    assert bytes.fromhex("".join(c.removeprefix("db ") for c in port.commands[1:])) == data
    assert max(len(c) for c in port.commands) <= 80  # the reference firmware's command buffer


def test_error_of_the_board_is_passed_on() -> None:
    dut, _ = _dut(lambda _: b"e-[Unknown command: x\x1b[2J]\r\nm-ready\r\n")
    with pytest.raises(BoardSilentError, match=r"Unknown command: x\\x1b\[2J"):
        dut.ask("x")


def test_silence_ends_in_an_error() -> None:
    dut, _ = _dut(lambda _: b"")
    with pytest.raises(BoardSilentError, match="did not answer in time"):
        dut.ask("name", seconds=0.1)


def test_babble_without_lines_ends_in_an_error() -> None:
    dut, _ = _dut(lambda _: b"x" * (MOST_LINE_BYTES * 2))
    with pytest.raises(BoardSilentError, match="without a line end"):
        dut.ask("name")


@pytest.mark.parametrize(
    ("board", "reference", "found"),
    [
        (b"abc", b"abc", None),
        (b"abc", b"axc", (1, ord("b"), ord("x"), 1)),
        (b"ab", b"abc", (2, -1, ord("c"), 1)),
        (b"", b"", None),
    ],
)
def test_first_difference(
    board: bytes, reference: bytes, found: tuple[int, int, int, int] | None
) -> None:
    difference = first_difference(7, board, reference)
    if found is None:
        assert difference is None
    else:
        assert difference is not None
        shown = (difference.offset, difference.board, difference.reference, difference.bytes)
        assert (difference.vector, *shown) == (7, *found)
