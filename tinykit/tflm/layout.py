# SPDX-License-Identifier: Apache-2.0
"""Sizes of the C++ structures that TFLM places in the arena, for any C ABI.

A structure is written as its list of C field types, so that one table serves every ABI: the size
follows from the ABI's pointer, enum and alignment rules as a compiler would lay it out. The tables
here are those of the runtime itself; those of the kernels stand beside each kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

ARENA_ALIGNMENT = 16
"""Alignment in bytes of every buffer that TFLM plans or hands to a kernel.

Source: tensorflow/lite/micro/micro_arena_constants.h.
"""

MAX_SCRATCH_PER_OPERATOR = 12
"""Scratch requests that the arena keeps room for during each operator's Prepare.

Source: kMaxScratchBuffersPerOp in tensorflow/lite/micro/micro_allocator.cc.
"""


def align_up(value: int, alignment: int) -> int:
    """Return the smallest multiple of `alignment` (a power of two) that is >= `value`."""
    return (value + alignment - 1) & -alignment


@dataclass(frozen=True, slots=True)
class Struct:
    """Size and alignment of one C structure, in bytes."""

    size: int
    alignment: int


@dataclass(frozen=True, slots=True)
class Abi:
    """How a compiler lays out structures.

    Attributes:
        pointer: bytes of a pointer, `size_t` and `intptr_t`.
        enum: bytes of a small enum (1 under `-fshort-enums`).
    """

    name: str
    pointer: int
    enum: int

    def struct(self, fields: str) -> Struct:
        """Return size and alignment of the structure with the given `fields`.

        Args:
            fields: C types in order, separated by spaces: `b` bool or 8-bit, `h` 16-bit, `i` int,
                `q` 64-bit, `f` float, `d` double, `p` pointer or size_t, `e` enum; `3i` repeats,
                `(...)` nests.
        """
        return _struct(self.pointer, self.enum, fields)


ARM32 = Abi("arm32", pointer=4, enum=1)
"""arm-none-eabi (AAPCS), where short enums are the default."""

X86_64 = Abi("x86-64", pointer=8, enum=4)
"""System V x86-64, the ABI of the tflite-micro wheel; lets CI hold the simulation to it."""

_TOKEN = re.compile(r"\s*(\d*)([bhiqfdpe()])")


@lru_cache(maxsize=1024)
def _struct(pointer: int, enum: int, fields: str) -> Struct:
    scalar = {"b": 1, "h": 2, "i": 4, "f": 4, "q": 8, "d": 8, "p": pointer, "e": enum}
    open_structs: list[tuple[int, int, int]] = []  # size, alignment, repeats of the enclosing one
    size, alignment, repeats = 0, 1, 1
    for repeat, code in _TOKEN.findall(fields):
        if code == "(":
            open_structs.append((size, alignment, repeats))
            size, alignment, repeats = 0, 1, int(repeat or 1)
            continue
        if code == ")":
            member = Struct(align_up(size, alignment), alignment)
            times = repeats
            size, alignment, repeats = open_structs.pop()
        else:
            member = Struct(scalar[code], scalar[code])
            times = int(repeat or 1)
        size = align_up(size, member.alignment) + member.size * times
        alignment = max(alignment, member.alignment)
    return Struct(align_up(size, alignment), alignment)


@dataclass(frozen=True, slots=True)
class RuntimeLayout:
    """The runtime's own structures in one ABI.

    Attributes:
        abi: of the target.
        changes: C fields of structures that differ in another build of the runtime, by name.
        variables_in_arena: the table of resource variables is taken from the model's own arena
            and not from memory beside it.

    Source: the headers of tensorflow/lite/micro at the commit of `tinykit.tflm.COMMIT`, built with
    TF_LITE_STATIC_MEMORY and without compression.
    """

    abi: Abi
    changes: Mapping[str, str] = field(default_factory=dict)
    variables_in_arena: bool = False
    tensor: Struct = field(init=False)
    eval_tensor: Struct = field(init=False)
    node_and_registration: Struct = field(init=False)
    affine_quantization: Struct = field(init=False)
    subgraph_allocations: Struct = field(init=False)
    scratch_handle: Struct = field(init=False)
    scratch_request: Struct = field(init=False)
    allocation_info: Struct = field(init=False)
    arena_allocator: Struct = field(init=False)
    micro_allocator: Struct = field(init=False)
    builtin_data_allocator: Struct = field(init=False)
    greedy_planner: Struct = field(init=False)
    planner_record: Struct = field(init=False)
    resource_variables: Struct = field(init=False)
    resource_variable: Struct = field(init=False)

    def __post_init__(self) -> None:
        for name, fields in {**_RUNTIME, **self.changes}.items():
            object.__setattr__(self, name, self.abi.struct(fields))

    def int_array(self, length: int) -> int:
        """Return the bytes of a `TfLiteIntArray` (and `TfLiteFloatArray`) of `length` items."""
        return 4 + 4 * length


_RUNTIME = {
    # TfLiteTensor: TfLiteQuantization, TfLiteQuantizationParams, data, dims, bytes, type,
    # allocation_type, is_variable
    "tensor": "(e p) (f i) p p p e e b",
    "eval_tensor": "p p e",  # data, dims, type
    # TfLiteNode (inputs, outputs, intermediates, user_data, builtin_data, custom_initial_data and
    # its size), registration
    "node_and_registration": "(3p 2p p i) p",
    "affine_quantization": "p p i",
    "subgraph_allocations": "2p",
    "scratch_handle": "p",
    "scratch_request": "p 2i",
    "allocation_info": "p p 2i i b",
    # SingleArenaBufferAllocator: two vtables, five pointers, checksum, count
    "arena_allocator": "2p 5p p i",
    # MicroAllocator: vtable, four pointers, flag, request count, head, high-water mark
    "micro_allocator": "p 4p b p p p",
    "builtin_data_allocator": "2p",
    # GreedyMemoryPlanner: vtable, counts, working arrays, entry indices, offsets, flag
    "greedy_planner": "p 2i 4p 2i p b",
    # per buffer while planning: BufferRequirements, sorted sizes and ids, ListEntry, offset
    "planner_record": "(4i) 2i (3i) i",
    # MicroResourceVariables: array, capacity, count
    "resource_variables": "p 2i",
    "resource_variable": "4p b",  # container, name, buffer, bytes, default value
}
