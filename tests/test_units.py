# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them."""

from __future__ import annotations

import pytest

from tinykit.units import capacity, si, size


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0 B"), (1023, "1,023 B"), (1536, "1.5 KiB"), (327_680, "320 KiB"), (1 << 20, "1 MiB")],
)
def test_capacity(value: int, shown: str) -> None:
    assert capacity(value) == shown


def test_size_is_to_the_byte() -> None:
    assert size(22_820) == "22,820 B"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(480e6, "Hz", "480 MHz"), (7_489_664, "MAC", "7.49 MMAC"), (0, "MAC", "0 MAC")],
)
def test_si(value: float, unit: str, shown: str) -> None:
    assert si(value, unit) == shown
