# SPDX-License-Identifier: Apache-2.0
"""Verdicts and budgets, against figures recorded from TFLM on emulated cores."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from tests.support import shared_path
from tinykit.board import Board, find_board
from tinykit.estimate.fit import Fit, Setup, fit
from tinykit.model.graph import Graph
from tinykit.model.reader import read_model_file


@cache
def _read(name: str) -> Graph:
    return read_model_file(shared_path("models", f"{name}.tflite"))


def _fit(name: str, board: str | Board = "cortex-m7", setup: Setup = Setup()) -> Fit:
    return fit(_read(name), find_board(board) if isinstance(board, str) else board, setup)


def _arena(result: Fit) -> int:
    assert result.arena is not None
    return result.arena.needed


# The smallest arenas that worked, found by stepping down until allocation failed (TFLM 90b983c2).
@pytest.mark.parametrize(
    ("model", "board", "kernels", "smallest"),
    [
        ("hello_world_int8", "cortex-m4", "cmsis-nn", 1168),
        ("ad01_int8", "cortex-m4", "cmsis-nn", 3024),
        ("ad01_int8", "cortex-m55", "cmsis-nn", 9712),
        ("keyword_scrambled_8bit", "cortex-m4", "cmsis-nn", 10560),
        ("hello_world_int8", "cortex-m55", "cmsis-nn", 1312),
    ],
)
def test_needed_is_the_smallest_arena_that_works(
    model: str, board: str, kernels: str, smallest: int
) -> None:
    result = _fit(model, board)
    assert result.kernels == kernels
    assert _arena(result) == smallest


def test_ram_is_arena_static_stack_and_reserve() -> None:
    result = _fit("kws_ref_model", setup=Setup(stack_bytes=2048, reserve_ram_bytes=1000))
    assert result.ram is not None
    # 22,820 B used on a core with DSP, rounded up to 16.
    assert result.ram.arena_bytes == 22_832
    assert result.ram.total_bytes == 22_832 + result.ram.static_bytes + 2048 + 1000
    assert result.ram.bank.size_bytes == 320 * 1024


def test_reserve_turns_the_verdict() -> None:
    free = -(_fit("kws_ref_model").ram or pytest.fail("no RAM")).missing_bytes
    assert _fit("kws_ref_model", setup=Setup(reserve_ram_bytes=free)).verdict == "fits"
    assert _fit("kws_ref_model", setup=Setup(reserve_ram_bytes=free + 1)).verdict == "does-not-fit"
    spare = -_fit("kws_ref_model").flash.missing_bytes
    assert _fit("kws_ref_model", setup=Setup(reserve_flash_bytes=spare)).verdict == "fits"
    over = Setup(reserve_flash_bytes=spare + 1)
    assert _fit("kws_ref_model", setup=over).verdict == "does-not-fit"


def test_arena_larger_than_the_bank_does_not_fit() -> None:
    # 379,968 B of arena on a core with DSP against 327,680 B of SRAM.
    result = _fit("mcunet_detection")
    assert result.verdict == "does-not-fit"
    assert result.ram is not None
    assert result.ram.missing_bytes == 379_968 + result.ram.static_bytes + 4096 - 327_680


@pytest.mark.parametrize(
    ("model", "code"),
    [
        ("problems/k2_b_43386_dynrange_1024dense", "hybrid-operator"),
        ("problems/k2_b_argmax_i64", "unsupported-type"),
        ("problems/k2_b_topk", "missing-operator"),
        ("problems/k2_b_2587_fp16", "float16-weights"),
    ],
)
def test_model_that_tflm_refuses_cannot_run(model: str, code: str) -> None:
    result = _fit(model)
    assert result.verdict == "cannot-run"
    assert code in [f.code for f in result.findings if f.severity == "error"]


def test_a_finding_for_one_kernel_library_holds_there_only() -> None:
    codes = {f.code for f in _fit("kws_ref_model", "esp32-s3-devkitc").findings}
    others = {f.code for f in _fit("kws_ref_model").findings}
    assert not any(code.startswith("esp-nn") for code in others)
    assert codes - others == {code for code in codes - others if code.startswith("esp-nn")}


def test_esp_nn_is_bounded_and_says_why() -> None:
    result = _fit("kws_ref_model", "esp32-s3-devkitc")
    assert result.arena is not None
    assert result.arena.status == "bounded"
    assert "ESP-NN" in result.arena.doubts[0]


def test_headroom_is_the_scarcer_memory() -> None:
    board = find_board("cortex-m7")
    tight = replace(board, regions=tuple(
        replace(r, size_bytes=400_000, reserved_bytes=0) if r.kind == "flash" else r
        for r in board.regions
    ))  # fmt: skip
    result = _fit("vww_96_int8", tight)
    assert result.headroom == pytest.approx(-result.flash.missing_bytes / 400_000)


def test_build_and_registrations_change_flash_only() -> None:
    small = _fit("kws_ref_model", "cortex-m4")
    large = _fit("kws_ref_model", "cortex-m4", Setup(build="default", registrations="generic"))
    assert _arena(small) == _arena(large)
    # Linked firmwares: 113,848 B of code by default, 54,764 B released with INT8 registrations.
    runtime = large.flash.runtime.runtime_bytes - small.flash.runtime.runtime_bytes
    assert runtime == pytest.approx(113_848 - 54_764, rel=0.03)
