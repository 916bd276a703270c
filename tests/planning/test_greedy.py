# SPDX-License-Identifier: Apache-2.0
"""The greedy planner against a plain quadratic one, and against what every plan must hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinykit.errors import PlanError
from tinykit.planning.buffers import Buffer, live_bytes, lower_bound
from tinykit.planning.greedy import greedy_plan


@st.composite
def one_buffer(draw: st.DrawFn, *, may_be_fixed: bool = True) -> Buffer:
    first = draw(st.integers(-1, 50))
    life = 1 if first < 0 else draw(st.sampled_from([1, 1, 2, 3, 5, 31, 32, 33, 60]))
    offsets = st.none() | st.integers(0, 8).map(lambda k: 16 * k)
    fixed = draw(offsets) if may_be_fixed else None
    return Buffer(16 * draw(st.integers(0, 9)), first, first + life, fixed_offset=fixed)


def overlap(a: Buffer, b: Buffer) -> bool:
    return a.first < b.end and b.first < a.end


def naive_offsets(buffers: list[Buffer]) -> list[int]:
    """Plan by going through all placed buffers for each buffer, as an independent reading."""
    order = sorted(
        range(len(buffers)),
        key=lambda k: (0, k) if buffers[k].fixed_offset is not None else (1, -buffers[k].size, -k),
    )
    places: dict[int, int] = {}
    for k in order:
        buffer = buffers[k]
        at = buffer.fixed_offset
        if at is None:
            at = 0
            rivals = [n for n in places if overlap(buffer, buffers[n])]
            # A stable sort: of equal offsets the one placed first comes first.
            for n in sorted(rivals, key=places.__getitem__):
                if places[n] - at >= buffer.size:
                    break
                at = max(at, places[n] + buffers[n].size)
        places[k] = at
    return [places[k] for k in range(len(buffers))]


@settings(max_examples=200)
@given(st.lists(one_buffer(), max_size=40))
def test_offsets_are_those_of_the_plain_planner(buffers: list[Buffer]) -> None:
    assert list(greedy_plan(buffers).offsets) == naive_offsets(buffers)


@given(st.lists(one_buffer(), max_size=40))
def test_fixed_offsets_are_kept(buffers: list[Buffer]) -> None:
    for buffer, offset in zip(buffers, greedy_plan(buffers).offsets, strict=True):
        assert buffer.fixed_offset in (None, offset)


@given(st.lists(one_buffer(may_be_fixed=False), max_size=30))
def test_no_two_live_buffers_share_memory(buffers: list[Buffer]) -> None:
    plan = greedy_plan(buffers)
    placed = list(zip(buffers, plan.offsets, strict=True))
    for k, (a, at) in enumerate(placed):
        for b, bt in placed[:k]:
            assert not overlap(a, b) or at + a.size <= bt or bt + b.size <= at
    assert plan.size >= lower_bound(buffers)


@given(st.lists(one_buffer(may_be_fixed=False), max_size=30))
def test_live_bytes_are_counted_step_by_step(buffers: list[Buffer]) -> None:
    steps = range(max((b.end for b in buffers), default=0))
    assert live_bytes(buffers) == [
        sum(b.size for b in buffers if b.first <= step < b.end) for step in steps
    ]


def test_a_smaller_buffer_fills_the_gap_that_an_earlier_one_left() -> None:
    # By size: 96 at 0, 64 behind it; the 48 of step 2 fits where the 96 was, the 32 behind it.
    buffers = [Buffer(96, 0, 2), Buffer(64, 1, 3), Buffer(48, 2, 3), Buffer(32, 2, 4)]
    plan = greedy_plan(buffers)
    assert plan.offsets == (0, 96, 0, 48)
    assert plan.size == 160


def test_of_equal_sizes_the_last_given_is_placed_first() -> None:
    assert greedy_plan([Buffer(16, 0, 1), Buffer(16, 0, 1)]).offsets == (16, 0)


def test_an_empty_plan_spans_nothing() -> None:
    assert greedy_plan([]).size == 0


def test_a_plan_of_countless_buffers_is_refused() -> None:
    with pytest.raises(PlanError, match="10,001 buffers"):
        greedy_plan([Buffer(16, 0, 1)] * 10_001)
