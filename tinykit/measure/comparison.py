# SPDX-License-Identifier: Apache-2.0
"""Holds what a board computed against the reference, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """The first byte that differs in one vector's outputs.

    Attributes:
        vector: which input.
        offset: in all output tensors, one after the other.
        bytes: how many differ in all.
    """

    vector: int
    offset: int
    board: int
    reference: int
    bytes: int


def first_difference(vector: int, board: bytes, reference: bytes) -> Difference | None:
    """Return where two outputs part, None when they are the same.

    A missing byte counts as different; it is shown as -1.
    """
    length = max(len(board), len(reference))
    pairs = [
        (board[k] if k < len(board) else -1, reference[k] if k < len(reference) else -1)
        for k in range(length)
    ]
    apart = [k for k, (found, wanted) in enumerate(pairs) if found != wanted]
    if not apart:
        return None
    return Difference(vector, apart[0], *pairs[apart[0]], len(apart))
