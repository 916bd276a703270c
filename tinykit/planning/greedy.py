# SPDX-License-Identifier: Apache-2.0
"""TFLM's own memory planner, offset for offset.

1. Buffers with a fixed offset come first, in the order given; the others follow by size, largest
   first, and of equal sizes the one given last comes first.
2. Each buffer goes into the first gap, from low addresses up, between the placed buffers that are
   live at the same time as it; else behind the last of them.

It is not optimal: the size of a plan can exceed the lower bound.

Source: tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc at `tinykit.tflm.COMMIT`.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence

from tinykit.errors import PlanError
from tinykit.planning.buffers import Buffer, Plan

_Placed = tuple[int, int, int, int, int]  # offset, order of placement, end offset, first, end

_LONG_STEPS = 32
_MOST_BUFFERS = 10_000


def greedy_plan(buffers: Sequence[Buffer]) -> Plan:
    """Return the plan that TFLM's GreedyMemoryPlanner makes of `buffers`.

    The cost grows with the number of buffers, times the number of those that live long.

    Raises:
        PlanError: there are more than 10,000 buffers.
    """
    if len(buffers) > _MOST_BUFFERS:
        raise PlanError(f"{len(buffers):,} buffers to plan, more than {_MOST_BUFFERS:,}")
    fixed = [k for k, b in enumerate(buffers) if b.fixed_offset is not None]
    free = [k for k, b in enumerate(buffers) if b.fixed_offset is None]
    free.sort(key=lambda k: (-buffers[k].size, -k))
    offsets = [0] * len(buffers)
    placed = _PlacedBuffers(max((b.end for b in buffers), default=0))
    for order, k in enumerate(fixed + free):
        buffer = buffers[k]
        offset = buffer.fixed_offset
        if offset is None:
            offset = _first_gap(buffer.size, placed.live_with(buffer))
        offsets[k] = offset
        placed.add(buffer, offset, order)
    return Plan(tuple(buffers), tuple(offsets))


def _first_gap(size: int, live: Iterable[_Placed]) -> int:
    candidate = 0
    for offset, _, end, _, _ in live:
        if offset - candidate >= size:
            break
        candidate = max(candidate, end)
    return candidate


class _PlacedBuffers:
    """The placed buffers in order of offset: the short-lived ones by step, the others in a list."""

    def __init__(self, steps: int) -> None:
        # Step -1 holds the tensors that no operator touches; they only meet each other.
        self._by_step: list[list[_Placed]] = [[] for _ in range(steps + 2)]
        self._long: list[_Placed] = []
        self._all: list[_Placed] = []

    def add(self, buffer: Buffer, offset: int, order: int) -> None:
        entry = (offset, order, offset + buffer.size, buffer.first, buffer.end)
        insort(self._all, entry)
        if buffer.end - buffer.first > _LONG_STEPS:
            insort(self._long, entry)
        else:
            for step in self._by_step[buffer.first + 1 : buffer.end + 1]:
                step.append(entry)

    def live_with(self, buffer: Buffer) -> list[_Placed]:
        """Return what is live at some step of the buffer's life, by offset."""
        first, end = buffer.first, buffer.end
        is_long = end - first > _LONG_STEPS
        found = [p for p in (self._all if is_long else self._long) if p[3] < end and first < p[4]]
        if is_long:
            return found
        for step in self._by_step[first + 1 : end + 1]:
            found += step
        return sorted(set(found))
