# SPDX-License-Identifier: Apache-2.0
"""Turns names from strangers into C: identifiers, string literals and comments that cannot escape.

A model or tensor may be called anything, quotes, newlines and `*/` included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_KEYWORDS = frozenset(
    """
    alignas alignof and asm auto bool break case catch char class const constexpr continue
    default delete do double else enum explicit export extern false final float for friend goto
    if inline int long main mutable namespace new not nullptr operator or private protected
    public register return short signed sizeof static struct switch template this throw true try
    typedef typename union unsigned using virtual void volatile while xor
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_MOST_CHARS = 32


def identifiers(names: Iterable[str]) -> list[str]:
    """Return a C identifier for each name, all different, in lower case."""
    taken: set[str] = set()
    found = []
    for name in names:
        word = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:_MOST_CHARS].strip("_")
        if not word or word[0].isdigit() or word in _KEYWORDS:
            word = f"model_{word}".strip("_")
        unique, count = word, 2
        while unique in taken:
            unique, count = f"{word}_{count}", count + 1
        taken.add(unique)
        found.append(unique)
    return found


def c_string(text: str, *, limit: int = 200) -> str:
    """Return a C string literal; bytes beyond printable ASCII become octal escapes.

    Octal escapes end after three digits, so that no digit behind them joins in; `?` is escaped
    because two of them begin a trigraph.
    """
    out = []
    for byte in text[:limit].encode("utf-8", "backslashreplace"):
        c = chr(byte)
        out.append(c if 0x20 <= byte < 0x7F and c not in '"\\?' else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def comment(text: str, *, limit: int = 80) -> str:
    """Return `text` as it may stand in a comment of either kind, which it cannot end."""
    kept = (c if c.isascii() and c.isprintable() and c not in "\\*?" else "." for c in text[:limit])
    return "".join(kept)
