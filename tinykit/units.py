# SPDX-License-Identifier: Apache-2.0
"""Numbers for people: bytes, counts, seconds and frequencies with their unit, printed one way."""

from __future__ import annotations


def count(value: int) -> str:
    """Return an integer with a comma at each thousand, e.g. `22,820`."""
    return f"{value:,}"


def size(value: int) -> str:
    """Return bytes in full with the unit, e.g. `22,820 B`: arenas are compared to the byte."""
    return f"{value:,} B"


def capacity(value: int) -> str:
    """Return a memory's size the way data sheets print it: `320 KiB`, `1 MiB`, else bytes."""
    for unit, step in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= step and value % step == 0:
            return f"{value // step} {unit}"
    if value >= 1 << 10:
        return f"{value / 1024:.1f} KiB"
    return size(value)


def si(value: float, unit: str) -> str:
    """Return three significant digits with an SI prefix, e.g. `7.49 MMAC`, `480 MHz`."""
    magnitude = abs(value)
    for prefix, step in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if magnitude >= step:
            return f"{value / step:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"
