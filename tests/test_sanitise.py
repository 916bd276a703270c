# SPDX-License-Identifier: Apache-2.0
"""What strangers wrote must not steer the terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinykit.sanitise import printable


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("dense/kernel:0", "dense/kernel:0"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\r\nb", "a\\r\\nb"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("Größe 层", "Größe 层"),
    ],
)
def test_control_characters_are_escaped(raw: str, shown: str) -> None:
    assert printable(raw) == shown


@given(st.text(), st.integers(1, 50))
def test_result_is_printable_and_short(raw: str, limit: int) -> None:
    shown = printable(raw, limit=limit)
    assert len(shown) <= limit
    assert shown.isprintable()
