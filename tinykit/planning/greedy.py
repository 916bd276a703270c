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

from collections.abc import Sequence

from tinykit.planning.buffers import Buffer, Plan

_Placed = tuple[int, int, int]  # offset, order of placement, end offset


def greedy_plan(buffers: Sequence[Buffer]) -> Plan:
    """Return the plan that TFLM's GreedyMemoryPlanner makes of `buffers`.

    The cost grows with the number of buffers and the length of their lifetimes, not with the
    square of the number of buffers.
    """
    fixed = [k for k, b in enumerate(buffers) if b.fixed_offset is not None]
    free = [k for k, b in enumerate(buffers) if b.fixed_offset is None]
    free.sort(key=lambda k: (-buffers[k].size, -k))
    offsets = [0] * len(buffers)
    # Step -1 holds the tensors that no operator touches; they only meet each other.
    placed: list[list[_Placed]] = [[] for _ in range(2 + max((b.end for b in buffers), default=0))]
    for order, k in enumerate(fixed + free):
        buffer = buffers[k]
        steps = placed[buffer.first + 1 : buffer.end + 1]
        offset = buffer.fixed_offset
        if offset is None:
            offset = _first_gap(buffer.size, steps)
        offsets[k] = offset
        entry = (offset, order, offset + buffer.size)
        for step in steps:
            step.append(entry)
    return Plan(tuple(buffers), tuple(offsets))


def _first_gap(size: int, steps: Sequence[list[_Placed]]) -> int:
    live = sorted(steps[0] if len(steps) == 1 else {entry for step in steps for entry in step})
    candidate = 0
    for offset, _, end in live:
        if offset - candidate >= size:
            break
        candidate = max(candidate, end)
    return candidate
