# SPDX-License-Identifier: Apache-2.0
"""What a memory planner plans: buffers with a size and a lifetime, and where they end up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory that must not be shared with any other buffer live at the same step.

    Attributes:
        size: bytes, already rounded up to the arena's alignment.
        first: the step that writes it.
        end: one past the last step that reads it; lifetimes are half-open, `[first, end)`.
        subgraph: where it belongs.
        tensor: index of the tensor in its subgraph, None for a scratch buffer.
        operator: index of the operator whose scratch this is, None for a tensor.
        fixed_offset: place given by an offline plan, None when the planner is free.
    """

    size: int
    first: int
    end: int
    subgraph: int = 0
    tensor: int | None = None
    operator: int | None = None
    fixed_offset: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Buffers with an offset for each.

    Attributes:
        offsets: bytes from the start of the arena, one for each buffer.
        size: bytes from the start of the arena to the end of the highest buffer.
    """

    buffers: tuple[Buffer, ...]
    offsets: tuple[int, ...]

    @property
    def size(self) -> int:
        """Return the bytes that the plan spans."""
        return max((o + b.size for o, b in zip(self.offsets, self.buffers, strict=True)), default=0)


def live_bytes(buffers: Sequence[Buffer]) -> list[int]:
    """Return the bytes live at each step, from step 0 to the last.

    Tensors that no operator touches (they live before step 0) are left out.
    """
    steps = max((b.end for b in buffers), default=0)
    change = [0] * (steps + 1)
    for buffer in buffers:
        if buffer.end > 0:
            change[max(buffer.first, 0)] += buffer.size
            change[buffer.end] -= buffer.size
    total, live = 0, []
    for delta in change[:steps]:
        total += delta
        live.append(total)
    return live


def lower_bound(buffers: Sequence[Buffer]) -> int:
    """Return the most bytes live at any one step: no plan without overlaps can be smaller."""
    return max(live_bytes(buffers), default=0)
