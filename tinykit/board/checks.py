# SPDX-License-Identifier: Apache-2.0
"""Reads one value out of a parsed TOML table, or says which key is wrong and what belongs there.

Knows types and limits, nothing of boards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tinykit.errors import BoardError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

HINT = "boards/README.md describes each key of a board file"

MAX_TEXT = 400
"""Longest text in a board file, in characters; a source line needs no more."""

Choice = TypeVar("Choice", bound=str)


def shown(value: object, limit: int = 60) -> str:
    """Return a value from outside as short text without control characters."""
    text = value if isinstance(value, str) else type(value).__name__
    if isinstance(value, bool | int | float):
        # An integer of thousands of digits costs quadratic time to print.
        huge = isinstance(value, int) and value.bit_length() > 128
        text = "a number of more than 128 bits" if huge else repr(value)
    text = text[: limit + 1]
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= limit else f"{text[:limit]}..."


@dataclass(frozen=True, slots=True)
class Table:
    """A TOML table with its place in the file, for messages.

    Attributes:
        file: as named in messages.
        path: of the table inside the file, "" for the top level, else e.g. `region[2].`.
    """

    file: str
    path: str
    values: Mapping[str, object]

    def error(self, key: str, problem: str, hint: str = HINT) -> BoardError:
        """Return the error for a key of this table."""
        return BoardError(f"{self.file}: `{self.path}{key}` {problem}", hint=hint)

    def reject_unknown_keys(self, known: Collection[str]) -> None:
        """Raise for a key that is not in `known`: a typo must not pass as a default."""
        for key in self.values:
            if key not in known:
                names = ", ".join(sorted(known))
                raise self.error(shown(key), "is not a key of a board file", f"known here: {names}")

    def required(self, key: str) -> object:
        """Return the value of a key that must be there."""
        if key not in self.values:
            raise self.error(key, "is missing")
        return self.values[key]

    def text(self, key: str, default: str | None = None, limit: int = MAX_TEXT) -> str:
        """Return printable text of 1 to `limit` characters; `default` where the key is absent."""
        if default is not None and key not in self.values:
            return default
        value = self.required(key)
        if not isinstance(value, str):
            raise self.error(key, f"is {shown(value)}, it must be text in quotes")
        if not value.strip() or len(value) > limit:
            raise self.error(
                key, f"has {len(value):,} characters, it must have 1 to {limit}, not all blank"
            )
        if not value.isprintable():
            raise self.error(key, f"holds a control character: {shown(value)}")
        return value

    def texts(self, key: str, most: int = 16) -> tuple[str, ...]:
        """Return a list of at most `most` texts, empty where the key is absent."""
        items = self.values.get(key, [])
        if not isinstance(items, list) or len(items) > most:
            raise self.error(key, f"must be a list of at most {most} texts")
        rows = {f"{key}[{i}]": item for i, item in enumerate(items)}
        return tuple(Table(self.file, self.path, rows).text(row) for row in rows)

    def choice(
        self, key: str, allowed: Collection[Choice], default: Choice | None = None
    ) -> Choice:
        """Return the one of `allowed` that the key names."""
        value = self.values.get(key, default) if default is not None else self.required(key)
        for name in allowed:
            if value == name:
                return name
        raise self.error(key, f"is {shown(value)}, it must be one of: {', '.join(sorted(allowed))}")

    def integer(self, key: str, low: int, high: int, unit: str, default: int | None = None) -> int:
        """Return a whole number in [low, high], or `default` where the key is absent."""
        if default is not None and key not in self.values:
            return default
        value = self.required(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, f"is {shown(value)}, it must be a whole number of {unit}")
        if not low <= value <= high:
            raise self.error(
                key, f"is {shown(value)}, it must lie between {low:,} and {high:,} {unit}"
            )
        return value

    def number(self, key: str, high: float, unit: str) -> float:
        """Return a finite number in (0, high]."""
        value = self.required(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, f"is {shown(value)}, it must be a number of {unit}")
        if not 0 < value <= high or not math.isfinite(value):
            raise self.error(key, f"is {shown(value)}, it must lie above 0, up to {high:g} {unit}")
        return float(value)

    def table(self, key: str) -> Table:
        """Return the table under a key, an empty one where the key is absent."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.error(key, f"must be a table: write [{self.path}{key}]")
        return Table(self.file, f"{self.path}{key}.", value)

    def tables(self, key: str, most: int) -> tuple[Table, ...]:
        """Return the tables of an array, numbered from 1 in messages; () where it is absent."""
        items = self.values.get(key, [])
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self.error(key, f"must be a list of tables: write [[{self.path}{key}]]")
        if len(items) > most:
            raise self.error(key, f"has {len(items):,} entries, at most {most} are read")
        return tuple(
            Table(self.file, f"{self.path}{key}[{i}].", item) for i, item in enumerate(items, 1)
        )
