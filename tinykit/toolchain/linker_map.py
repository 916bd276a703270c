# SPDX-License-Identifier: Apache-2.0
"""What each object file put into a firmware, from the map that GNU ld wrote.

One pass over the lines, no look-ahead: time and memory grow with the file and with nothing else.

Source: GNU ld's ldlang.c prints the map (lang_map, print_input_section).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tinykit.errors import InputError, ToolError
from tinykit.sanitise import printable

MOST_FILE_BYTES = 64 << 20
KERNEL_PREFIXES = ("arm_", "esp_nn_")
"""How the functions of CMSIS-NN and of ESP-NN begin."""

_BEGIN, _END = "Linker script and memory map", "Cross Reference Table"
_MOST_DIGITS = 18  # 0x and 64 bits
# Output sections that are in the ELF but not on the target.
_NOT_ALLOCATED = (
    ".debug",
    ".comment",
    ".ARM.attributes",
    ".gnu",
    ".note.GNU-stack",
    ".riscv.attributes",
    ".stab",
    ".xt",
    "/DISCARD/",
)


@dataclass(frozen=True, slots=True)
class Part:
    """What one input section of one object put into the firmware.

    Attributes:
        object: path of the object, or `archive.a(member.o)`.
        input: section in the object, `.text.NAME` where each function has its own.
        output: section of the firmware.
    """

    object: str
    input: str
    output: str
    address: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class LinkerMap:
    """A linker map.

    Attributes:
        parts: in the order of the map, without empty ones.
        fill_bytes: output section -> bytes of padding in it.
        symbols: global symbols with plain names; C++ names are shown demangled and left out.
    """

    parts: tuple[Part, ...]
    fill_bytes: Mapping[str, int]
    symbols: frozenset[str]

    def object_bytes(self) -> dict[str, int]:
        """Return object -> bytes on the target, the largest first."""
        total: dict[str, int] = {}
        for part in self.parts:
            total[part.object] = total.get(part.object, 0) + part.size_bytes
        return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))

    def kernel_functions(self) -> frozenset[str]:
        """Return the functions of optimised kernel libraries that were linked."""
        return frozenset(name for name in self.symbols if name.startswith(KERNEL_PREFIXES))


def read_map(path: Path) -> LinkerMap:
    """Return the content of a linker map.

    Raises:
        ToolError: the file is not there.
        InputError: it is no map of GNU ld.
    """
    name = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise ToolError(f"cannot read the linker map {name}: {error.strerror}") from error
    if len(data) > MOST_FILE_BYTES:
        raise InputError(f"{name} has more than {MOST_FILE_BYTES:,} bytes, which no map has")
    try:
        return parse_map(data.decode("utf-8", "replace"))
    except InputError as error:
        raise InputError(f"{name}: {error.message}", hint="build the firmware anew") from error


def parse_map(text: str) -> LinkerMap:
    """Return the content of a linker map.

    Raises:
        InputError: it is no map of GNU ld.
    """
    _, found, body = text.partition(f"{_BEGIN}\n")
    if not found:
        raise InputError("no linker map of GNU ld")
    reader = _Reader()
    for line in body.split("\n"):
        if line.startswith(_END):
            break
        reader.take(line)
    return LinkerMap(tuple(reader.parts), reader.fill, frozenset(reader.symbols))


class _Reader:
    """Where in the map we are: an output section, and an input section whose line was full."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.fill: dict[str, int] = {}
        self.symbols: set[str] = set()
        self._output = ""
        self._pending = ""

    def take(self, line: str) -> None:
        words = line.split(None, 3)
        pending, self._pending = self._pending, ""
        if not words:
            return
        if not line.startswith(" "):
            if len(words) == 1 or _number(words[1]) is not None:
                self._output = words[0]
        elif self._output.startswith(_NOT_ALLOCATED):
            return
        elif words[0] == "*fill*" and len(words) >= 3:
            self._add_fill(words[1], words[2])
        elif _number(words[0]) is None:
            if len(words) == 1:
                self._pending = words[0]  # the rest did not fit on its line
            elif len(words) == 4:
                self._add_part(words[0], words[1], words[2], words[3])
        elif pending and len(words) >= 3:
            self._add_part(pending, words[0], words[1], line.split(None, 2)[2])
        elif len(words) == 2 and words[1].isidentifier():
            self.symbols.add(words[1])

    def _add_fill(self, address: str, size: str) -> None:
        at, length = _number(address), _number(size)
        if at is not None and length:
            self._end_before(at)
            self.fill[self._output] = self.fill.get(self._output, 0) + length

    def _add_part(self, name: str, address: str, size: str, file: str) -> None:
        at, length = _number(address), _number(size)
        if at is not None and length:
            self._end_before(at)
            self.parts.append(Part(file.rstrip("\r"), name, self._output, at, length))

    def _end_before(self, address: int) -> None:
        """Cut the last part where the next begins.

        Of strings that were all merged into another section, ld prints the size they had.
        """
        last = self.parts[-1] if self.parts else None
        if last is None or last.output != self._output or address < last.address:
            return
        if last.address + last.size_bytes > address:
            self.parts.pop()
            if address > last.address:
                self.parts.append(replace(last, size_bytes=address - last.address))


def _number(word: str) -> int | None:
    """Return a hexadecimal number, None where the word is none."""
    if not word.startswith("0x") or len(word) > _MOST_DIGITS:
        return None
    try:
        return int(word, 16)
    except ValueError:
        return None
