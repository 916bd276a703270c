# SPDX-License-Identifier: Apache-2.0
"""Sizes of structures: against a compiler's, printed for both ABIs, and against ctypes."""

from __future__ import annotations

import ctypes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinykit.tflm.layout import ARM32, X86_64, RuntimeLayout, align_up

# sizeof of TFLM's structures at commit 90b983c2: arm-none-eabi-gcc 12.2 | g++ on x86-64.
COMPILED = {
    "tensor": (32, 64),
    "eval_tensor": (12, 24),
    "node_and_registration": (32, 64),
    "affine_quantization": (12, 24),
    "subgraph_allocations": (8, 16),
    "scratch_handle": (4, 8),
    "scratch_request": (12, 16),
    "allocation_info": (24, 32),
    "arena_allocator": (36, 72),
    "micro_allocator": (36, 72),
    "builtin_data_allocator": (8, 16),
    "greedy_planner": (44, 72),
    "planner_record": (40, 40),
}


@pytest.mark.parametrize(("name", "sizes"), COMPILED.items())
def test_runtime_structures_have_the_compilers_size(name: str, sizes: tuple[int, int]) -> None:
    found = tuple(getattr(RuntimeLayout(abi), name).size for abi in (ARM32, X86_64))
    assert found == sizes


def test_a_nested_structure_keeps_its_tail_padding() -> None:
    assert X86_64.struct("(p b) b").size == 24
    assert ARM32.struct("(p b) b").size == 12
    assert ARM32.struct("2(h b) q").size == 16


def test_arm_enums_are_short() -> None:
    assert (ARM32.struct("3e").size, X86_64.struct("3e").size) == (3, 12)


def test_another_build_can_change_a_structure() -> None:
    changed = RuntimeLayout(X86_64, changes={"subgraph_allocations": "3p"})
    assert changed.subgraph_allocations.size == 24
    assert changed.tensor == RuntimeLayout(X86_64).tensor


def test_int_arrays_hold_their_length_first() -> None:
    assert RuntimeLayout(ARM32).int_array(8) == 36


@given(st.integers(0, 1 << 70), st.sampled_from([1, 2, 4, 8, 16]))
def test_align_up_gives_the_next_multiple(value: int, alignment: int) -> None:
    aligned = align_up(value, alignment)
    assert aligned % alignment == 0
    assert 0 <= aligned - value < alignment


HOST = {
    "b": ctypes.c_int8, "h": ctypes.c_int16, "i": ctypes.c_int32, "q": ctypes.c_int64,
    "f": ctypes.c_float, "d": ctypes.c_double, "p": ctypes.c_uint64, "e": ctypes.c_int,
}  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(sorted(HOST)), min_size=1, max_size=6), max_size=4))
def test_x86_64_structures_are_laid_out_as_the_hosts_are(members: list[list[str]]) -> None:
    fields: list[tuple[str, type[ctypes.Structure]]] = []
    for k, codes in enumerate(members):
        inner = [(f"f{n}", HOST[code]) for n, code in enumerate(codes)]
        fields.append((f"m{k}", type(f"M{k}", (ctypes.Structure,), {"_fields_": inner})))
    outer = type("Outer", (ctypes.Structure,), {"_fields_": fields})
    struct = X86_64.struct(" ".join(f"({' '.join(codes)})" for codes in members))
    assert struct.size == ctypes.sizeof(outer)
    assert struct.alignment == ctypes.alignment(outer)
