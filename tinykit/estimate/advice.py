# SPDX-License-Identifier: Apache-2.0
"""What a memory shortage or a lonely peak tells the model's author to change, with figures."""

from __future__ import annotations

from dataclasses import dataclass

from tinykit.model.graph import Graph, Tensor
from tinykit.planning.buffers import Buffer
from tinykit.tflm.arena import Arena

LONELY_PEAK_SHARE = 0.25
"""A peak counts as one operator's when everywhere else at least this share of it is free."""


SMALLEST_LONELY_PEAK_BYTES = 1024
"""A smaller peak is not worth changing a model for."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The operator at which the most bytes are live.

    Attributes:
        buffers: live there, largest first.
        live_bytes: their sum.
        elsewhere_bytes: the most that is live at any other step.
    """

    subgraph: int
    operator: int
    buffers: tuple[Buffer, ...]
    live_bytes: int
    elsewhere_bytes: int

    @property
    def lonely(self) -> bool:
        """Return whether this operator alone makes the arena large."""
        worth_it = self.live_bytes >= SMALLEST_LONELY_PEAK_BYTES
        return worth_it and self.elsewhere_bytes <= (1 - LONELY_PEAK_SHARE) * self.live_bytes


@dataclass(frozen=True, slots=True)
class Shrink:
    """A tensor that must lose bytes for the arena to fit."""

    tensor: Tensor
    subgraph: int
    size_bytes: int
    target_bytes: int


def peak(needs: Arena) -> Peak | None:
    """Return the operator with the most live bytes, None for a model without operators."""
    busy = [
        (live, -step, key)
        for step, (live, key) in enumerate(zip(needs.live, needs.steps, strict=True))
        if key
    ]
    if not busy:
        return None
    live_bytes, step, (subgraph, operator) = max(busy)
    live = [b for b in needs.plan.buffers if b.first <= -step < b.end]
    live.sort(key=lambda b: -b.size)
    elsewhere = max((size for s, size in enumerate(needs.live) if s != -step), default=0)
    return Peak(subgraph, operator, tuple(live), live_bytes, elsewhere)


def shrink(graph: Graph, needs: Arena, missing_bytes: int) -> tuple[Shrink, ...]:
    """Return, per step that is too large, the tensor whose shrinking helps the most.

    Args:
        missing_bytes: by how much the arena exceeds what the board has left for it, > 0.

    Returns:
        At most one entry per tensor, the largest loss first; empty when planned buffers are not
        what is too large, or when no single tensor could make up for it.
    """
    allowed = needs.head - missing_bytes
    wanted: dict[tuple[int, int], Shrink] = {}
    for step, live in enumerate(needs.live):
        excess = live - allowed
        if excess <= 0:
            continue
        tensors = [
            b for b in needs.plan.buffers if b.first <= step < b.end and b.tensor is not None
        ]
        largest = max(tensors, key=lambda b: b.size, default=None)
        if largest is None or largest.tensor is None or largest.size <= excess:
            return ()
        key = (largest.subgraph, largest.tensor)
        tensor = graph.subgraphs[largest.subgraph].tensors[largest.tensor]
        target = min(
            largest.size - excess,
            wanted[key].target_bytes if key in wanted else excess + largest.size,
        )
        wanted[key] = Shrink(tensor, largest.subgraph, largest.size, target)
    return tuple(sorted(wanted.values(), key=lambda s: s.target_bytes - s.size_bytes))
