# SPDX-License-Identifier: Apache-2.0
"""Keeps what strangers wrote (names in models, board files, paths) from steering the terminal."""

from __future__ import annotations


def printable(text: str, *, limit: int = 200) -> str:
    r"""Return `text` with control characters escaped and cut to `limit` characters.

    Escape codes, newlines, carriage returns and the marks that reverse text direction come out
    as `\x1b` and the like; ordinary letters of any script stay.
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"
