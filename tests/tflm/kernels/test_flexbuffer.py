# SPDX-License-Identifier: Apache-2.0
"""Custom options against maps written by the flatbuffers package, and against damaged bytes."""

from __future__ import annotations

import contextlib

import pytest
from flatbuffers import flexbuffers
from hypothesis import given
from hypothesis import strategies as st

from tinykit.tflm.kernels.flexbuffer import FlexBufferError, scalars

names = st.text(st.characters(codec="ascii", exclude_characters="\0"), min_size=1, max_size=12)
numbers = st.integers(-(2**63), 2**63 - 1) | st.booleans()


@given(st.dictionaries(names, numbers, max_size=12))
def test_integers_and_booleans_are_read_back(values: dict[str, int]) -> None:
    assert scalars(bytes(flexbuffers.Dumps(values))) == values


@given(
    st.dictionaries(names, st.floats(width=32, allow_nan=False) | st.integers(-9, 9), max_size=8)
)
def test_floats_are_read_back(values: dict[str, float]) -> None:
    assert scalars(bytes(flexbuffers.Dumps(values))) == values


def test_values_that_are_no_scalars_are_left_out() -> None:
    data = flexbuffers.Dumps({"a": 1, "text": "x", "list": [1, 2], "map": {"b": 2}})
    assert scalars(bytes(data)) == {"a": 1}


@pytest.mark.parametrize("data", [b"", b"\0\0", b"\1\4\1", bytes(flexbuffers.Dumps(7))])
def test_what_is_not_a_map_is_refused(data: bytes) -> None:
    with pytest.raises(FlexBufferError):
        scalars(data)


@given(st.binary(max_size=64))
def test_damaged_bytes_give_a_clear_error_or_a_map(data: bytes) -> None:
    with contextlib.suppress(FlexBufferError):
        scalars(data)


@given(st.data())
def test_a_changed_byte_gives_a_clear_error_or_a_map(data: st.DataObject) -> None:
    raw = bytearray(flexbuffers.Dumps({"fft_length": 512, "T": 7, "scale": 0.5, "on": True}))
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FlexBufferError):
        scalars(bytes(raw))
