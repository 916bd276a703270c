# SPDX-License-Identifier: Apache-2.0
"""What a report says, before any face draws it: a verdict, facts, bars, tables and notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "bad", "warn", "plain"]


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that opens a part of the report."""

    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure: what it is, its value with unit, how far to trust it, and a remark."""

    label: str
    value: str
    status: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that are read together, in columns."""

    rows: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """How full a memory is.

    Attributes:
        parts: (name, bytes) from the bottom up.
        limit_bytes: of the memory; parts may exceed it.
    """

    label: str
    parts: tuple[tuple[str, int], ...]
    limit_bytes: int
    remark: str = ""

    @property
    def used_bytes(self) -> int:
        """Return the sum of the parts."""
        return sum(size for _, size in self.parts)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column heads; columns named in `right` are figures and align right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence, with an optional block of code to paste below it."""

    text: str
    tone: Tone = "plain"
    code: str = ""


Block = Heading | Facts | Bar | Table | Note


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report, verdict first."""

    verdict: str
    tone: Tone
    blocks: tuple[Block, ...]
