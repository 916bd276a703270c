# SPDX-License-Identifier: Apache-2.0
"""The arena against what TFLM reported on an emulated Cortex-M, and against hostile graphs."""

from __future__ import annotations

import csv
import struct
from collections.abc import Iterator
from time import process_time
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import shared_path
from tests.tflm.graphs import ad01, hello_world, kws
from tinykit.errors import PlanError
from tinykit.model.graph import Graph, Operator, Quantization, Subgraph, Tensor, TensorType
from tinykit.model.reader import read_model_file
from tinykit.planning.lifetimes import CALLED_SUBGRAPHS
from tinykit.tflm.arena import OFFLINE_PLAN, Arena, arena
from tinykit.tflm.kernels import Library, kernel_table
from tinykit.tflm.kernels.cmsis_nn_buffers import Isa
from tinykit.tflm.kernels.kernel import CUSTOM
from tinykit.tflm.layout import X86_64

ISA: dict[str, Isa] = {"cortex-m3": "none", "cortex-m4": "dsp", "cortex-m55": "mve"}
LIBRARY: dict[str, Library] = {"reference": "reference", "cmsis-nn": "cmsis-nn"}

# Copied from truth/arena.csv: used, head, tail without the allocator's objects, sum of scratch,
# smallest arena that worked. TFLM 90b983c2, arm-none-eabi-gcc 12.2, QEMU.
MEASURED = [
    ("hello", "cortex-m3", "cmsis-nn", 772, 32, 612, 0, 1168),
    ("hello", "cortex-m4", "reference", 676, 32, 532, 0, 1072),
    ("hello", "cortex-m55", "cmsis-nn", 916, 32, 756, 0, 1312),
    ("ad01", "cortex-m4", "cmsis-nn", 2580, 768, 1684, 0, 3024),
    ("ad01", "cortex-m4", "reference", 2260, 768, 1380, 0, 2704),
    ("ad01", "cortex-m55", "cmsis-nn", 9268, 768, 8372, 0, 9712),
    ("kws", "cortex-m3", "cmsis-nn", 22820, 16000, 6708, 160, 22832),
    ("kws", "cortex-m4", "cmsis-nn", 22820, 16000, 6708, 416, 22832),
    ("kws", "cortex-m4", "reference", 22772, 16000, 6644, 0, 22784),
    ("kws", "cortex-m55", "cmsis-nn", 27348, 20464, 6772, 18048, 27360),
]
GRAPHS = {"hello": hello_world, "ad01": ad01, "kws": kws}


@pytest.mark.parametrize(
    ("model", "core", "library", "used", "head", "tail", "scratch", "needed"), MEASURED
)
def test_graphs_built_here_need_what_was_measured(
    model: str,
    core: str,
    library: str,
    used: int,
    head: int,
    tail: int,
    scratch: int,
    needed: int,
) -> None:
    found = arena(GRAPHS[model](), LIBRARY[library], ISA[core])
    assert (found.used, found.head, found.model_tail) == (used, head, tail)
    assert (found.scratch, found.needed) == (scratch, needed)
    assert found.status == "exact"


def measured_rows() -> Iterator[tuple[dict[str, str], Arena]]:
    """Yield each row of truth/arena.csv with the arena found for it."""
    graphs: dict[str, Graph] = {}
    with shared_path("truth", "arena.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            name = row["model"]
            if name not in graphs:
                graphs[name] = read_model_file(shared_path("models", f"{name}.tflite"))
            yield row, arena(graphs[name], LIBRARY[row["kernels"]], ISA[row["core"]])


def test_all_measured_rows_are_met_to_the_byte() -> None:
    wrong, rows, smallest = [], 0, 0
    for row, found in measured_rows():
        rows += 1
        wanted = [int(row[f"{end}_bytes"]) for end in ("arena_used", "head", "tail")]
        got = [found.used, found.head, found.model_tail]
        if row["scratch_request_bytes"]:
            wanted.append(sum(map(int, row["scratch_request_bytes"].split())))
            got.append(found.scratch)
        if row["smallest_working_arena_bytes"]:
            smallest += 1
            wanted.append(int(row["smallest_working_arena_bytes"]))
            got.append(found.needed)
        if wanted != got or found.doubts:
            wrong.append((row["model"], row["core"], row["kernels"], wanted, got, found.doubts))
    assert wrong == []
    assert (rows, smallest) == (126, 112)


def test_an_arena_names_the_moment_that_decides_its_size() -> None:
    assert arena(hello_world(), "cmsis-nn", "dsp").needed_for == "planning memory"
    assert arena(kws(), "cmsis-nn", "dsp").needed_for == "head and tail together"


def test_the_peak_step_is_the_one_with_most_live_bytes() -> None:
    found = arena(kws(), "reference", "none")
    assert found.live[found.peak_step] == max(found.live) == found.lower_bound == 16000
    assert found.steps[found.peak_step] == (0, 1)  # the first depthwise convolution
    assert len(found.steps) == len(found.live)


def test_a_model_without_operators_needs_only_the_runtime() -> None:
    empty = Graph((Subgraph(0, "", (), (), (), ()),), 3, "", 0)
    found = arena(empty, "reference", "none")
    assert (found.head, found.live, found.peak_step) == (0, (0,), 0)
    assert found.needed >= found.tail


def chain(kinds: int, metadata: dict[str, memoryview] | None = None) -> Graph:
    tensors = tuple(Tensor(k, f"t{k}", "INT8", (1, 32)) for k in range(kinds + 1))
    operators = tuple(Operator(k, "NEG", (k,), (k + 1,)) for k in range(kinds))
    main = Subgraph(0, "", tensors, operators, (0,), (kinds,))
    return Graph((main,), 3, "", 0, metadata=metadata or {})


def skips(count: int) -> Graph:
    """Return a graph whose second half reads all that the first half wrote, last first."""
    half = count // 2
    tensors = tuple(Tensor(k, "", "INT8", (1, 16 + k % 7)) for k in range(2 * half + 1))
    down = [Operator(k, "NEG", (k,), (k + 1,)) for k in range(half)]
    up = [Operator(half + k, "ADD", (half + k, half - 1 - k), (half + k + 1,)) for k in range(half)]
    return Graph((Subgraph(0, "", tensors, (*down, *up), (0,), (2 * half,)),), 3, "", 0)


@pytest.mark.parametrize("graph", [chain(2000), skips(2000)], ids=["chain", "skips"])
def test_two_thousand_operators_are_no_trouble(graph: Graph) -> None:
    start = process_time()
    arena(graph, "cmsis-nn", "dsp")
    assert process_time() - start < 3  # a tenth of it here; the margin is for slow machines


def offline(*offsets: int, count: int | None = None) -> dict[str, memoryview]:
    words = (1, 0, len(offsets) if count is None else count, *offsets)
    return {OFFLINE_PLAN: memoryview(struct.pack(f"<{len(words)}i", *words))}


def test_an_offline_plan_decides_the_head() -> None:
    assert arena(chain(2), "reference", "none").head == 64
    apart = arena(chain(2, offline(0, 64, 128)), "reference", "none")
    assert apart.plan.offsets == (0, 64, 128)
    assert apart.head == 160
    # -1 leaves a tensor to the planner, which puts it into the first gap.
    assert arena(chain(2, offline(0, -1, 128)), "reference", "none").plan.offsets == (0, 32, 128)


@pytest.mark.parametrize(
    "metadata", [offline(0, 64), offline(0, 64, count=3), {OFFLINE_PLAN: memoryview(b"\1")}]
)
def test_an_offline_plan_of_the_wrong_length_is_not_followed(
    metadata: dict[str, memoryview],
) -> None:
    assert arena(chain(2, metadata), "reference", "none").head == 64


def test_an_unknown_operator_makes_the_arena_bounded_and_names_itself() -> None:
    operator = Operator(0, "CUSTOM", (0,), (1,), custom_code="MyOperator")
    tensors = (Tensor(0, "", "INT8", (4,)), Tensor(1, "", "INT8", (4,)))
    found = arena(
        Graph((Subgraph(0, "", tensors, (operator,), (0,), (1,)),), 3, "", 0),
        "reference",
        "none",
    )
    assert found.status == "bounded"
    assert found.doubts == ("operator 0 (MyOperator): its memory is not in the tables",)


def test_a_custom_operator_that_borrows_a_builtin_name_is_not_taken_for_it() -> None:
    operator = Operator(0, "CUSTOM", (0,), (1,), custom_code="NEG")
    tensors = (Tensor(0, "", "INT8", (4,)), Tensor(1, "", "INT8", (4,)))
    graph = Graph((Subgraph(0, "", tensors, (operator,), (0,), (1,)),), 3, "", 0)
    assert arena(graph, "reference", "none").status == "bounded"


def test_a_shape_that_is_not_known_makes_the_arena_bounded() -> None:
    tensors = (Tensor(0, "", "INT8", (-1, 4)), Tensor(1, "", "INT8", (1, 4)))
    operator = Operator(0, "NEG", (0,), (1,))
    graph = Graph((Subgraph(0, "", tensors, (operator,), (0,), (1,)),), 3, "", 0)
    assert arena(graph, "reference", "none").doubts == (
        "1 tensors have a shape known only at run time; they count as empty",
    )


LIBRARIES: tuple[Library, ...] = get_args(Library)
ISAS: tuple[Isa, ...] = get_args(Isa)
NAMES = sorted({name for library in LIBRARIES for name in kernel_table(library, "mve")})
TYPES: tuple[TensorType, ...] = get_args(TensorType)
COMMON: tuple[TensorType, ...] = ("INT8", "INT16", "FLOAT32", "INT4")
OPTIONS = (
    "adj_x", "adj_y", "rank", "time_major", "stride_h", "stride_w", "dilation_h_factor",
    "dilation_w_factor", "depth_multiplier",
)  # fmt: skip


def view(data: bytes) -> memoryview:
    return memoryview(data)


@st.composite
def hostile_graph(draw: st.DrawFn) -> Graph:
    size = st.sampled_from([-1, 0, 1, 2, 3, 4, 5, 16, 255, 2**31 - 1])
    shape = st.lists(size, max_size=5).map(tuple)
    quantization = st.none() | st.builds(
        Quantization,
        st.lists(st.just(0.5), max_size=6).map(tuple),
        st.lists(st.integers(-128, 127), max_size=6).map(tuple),
    )
    data = st.none() | st.binary(min_size=1, max_size=40).map(view)
    kinds = st.sampled_from(COMMON) | st.sampled_from(TYPES)
    count = draw(st.integers(1, 8))
    tensors = tuple(
        Tensor(
            k, "", draw(kinds), draw(shape), quantization=draw(quantization), data=draw(data),
            is_variable=draw(st.booleans()),
        )
        for k in range(count)
    )  # fmt: skip
    indices = st.lists(st.integers(-2, count + 1), max_size=26).map(tuple)
    outputs = st.lists(st.integers(0, count - 1), max_size=4).map(tuple)
    operators = []
    for k in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(NAMES))
        builtin, _, code = name.partition(" ") if name.startswith(CUSTOM) else (name, "", "")
        options = {o: draw(st.integers(-2, 3)) for o in draw(st.sets(st.sampled_from(OPTIONS)))}
        raw = draw(st.none() | st.binary(max_size=30).map(view))
        operators.append(
            Operator(
                k, builtin, draw(indices), draw(outputs), custom_code=code, options=options,
                custom_options=raw,
            )
        )  # fmt: skip
    ends = st.lists(st.integers(0, count - 1), max_size=3).map(tuple)
    main = Subgraph(0, "", tensors, tuple(operators), draw(ends), draw(ends))
    return Graph((main,), 3, "", 0)


@settings(max_examples=120, deadline=None)
@given(hostile_graph(), st.sampled_from(LIBRARIES), st.sampled_from(ISAS))
def test_a_hostile_graph_gives_an_arena_or_a_clear_error(
    graph: Graph, library: Library, isa: Isa
) -> None:
    try:
        found = arena(graph, library, isa, X86_64)
    except PlanError:
        return
    assert found.needed % 16 == 0
    assert found.needed >= found.used == found.head + found.tail
    assert found.head >= found.lower_bound >= 0
    assert min(found.scratch, found.model_tail, *found.live) >= 0


@pytest.mark.parametrize("library", LIBRARIES)
def test_no_kernel_trips_over_a_rank_or_a_type(library: Library) -> None:
    inputs = 24
    for name in set(kernel_table(library, "mve")) - set(CALLED_SUBGRAPHS):
        builtin, _, code = name.partition(" ") if name.startswith(CUSTOM) else (name, "", "")
        operator = Operator(0, builtin, tuple(range(inputs)), (inputs,), custom_code=code)
        for kind in COMMON:
            for rank in (0, 1, 2, 4):
                tensors = tuple(Tensor(k, "", kind, (1,) * rank) for k in range(inputs + 1))
                main = Subgraph(0, "", tensors, (operator,), (0,), (inputs,))
                found = arena(Graph((main,), 3, "", 0), library, "mve")
                assert found.needed > 0
