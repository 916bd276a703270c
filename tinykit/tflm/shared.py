# SPDX-License-Identifier: Apache-2.0
"""One arena for several models of an image: their heads overlap, their tails add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinykit.tflm.arena import Arena


@dataclass(frozen=True, slots=True)
class SharedArena:
    """The arena of all models of an image together, bytes."""

    used: int
    needed: int


def shared_arena(arenas: Sequence[Arena]) -> SharedArena:
    """Return the arena that holds all models."""
    (only,) = arenas
    return SharedArena(only.used, only.needed)
