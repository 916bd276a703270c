# SPDX-License-Identifier: Apache-2.0
"""The chain on real TFLM: generated, built, run in QEMU, and held against every prediction.

Needs a TFLM source tree (TINYKIT_TFLM) at the pinned commit, and minutes.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest

from tests.firmware.build import need_arm_gcc, need_program
from tests.support import shared_path, tflm_tree
from tinykit.cli.build import build_image
from tinykit.cli.generate import write_project
from tinykit.codegen.vectors import seeded_input
from tinykit.estimate.fit import Setup
from tinykit.measure.link import open_link
from tinykit.measure.protocol import Dut
from tinykit.model.reader import read_model_file
from tinykit.toolchain.elf import read_image
from tinykit.toolchain.qemu import machine
from tinykit.toolchain.reference import reference_outputs

pytestmark = [pytest.mark.tflm, pytest.mark.slow]

MODELS = (
    "kws_ref_model",
    "vww_96_int8",
    "pretrainedResnet_quant",
    "ad01_int8",
    "str_ww_ref_model",
    "person_detect",
    "micro_speech_quantized",
    "hello_world_int8",
    "keyword_scrambled_8bit",
    "mltk_kws_on_off_v3",
)
BOARDS = ("qemu-cortex-m4", "qemu-cortex-m7", "qemu-cortex-m55")
CASES = [(name, board) for board in BOARDS for name in MODELS]
# 533,264 B of model do not fit the 512 KiB that the an547 has for code.
CASES[CASES.index(("mltk_kws_on_off_v3", "qemu-cortex-m55"))] = (
    "tinymaix_mnist_resnet_q",
    "qemu-cortex-m55",
)
ICOUNT_SHIFT = 6
INSTRUCTION_NS = 1 << ICOUNT_SHIFT
VECTORS = 3


@cache
def _instructions(model: str, core: str) -> int | None:
    """Return the recorded instructions of one inference with CMSIS-NN."""
    with shared_path("truth", "instructions.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["model"], row["core"], row["kernels"]) == (model, core, "cmsis-nn"):
                return int(row["invoke_instructions"])
    return None


@pytest.mark.parametrize(("name", "board"), CASES)
def test_board_does_what_was_predicted(name: str, board: str, tmp_path: Path) -> None:
    tree = tflm_tree()
    need_arm_gcc()
    need_program("qemu-system-arm", "qemu-system-arm")
    path = shared_path("models", f"{name}.tflite")
    arena, refused = write_project(
        [path], board, tmp_path / "fw", Setup(), str(tree.resolve()), force=False
    )
    assert arena is not None, refused
    program = build_image(tmp_path / "fw", "performance", online=False, verbose=False)

    predicted = json.loads((tmp_path / "fw" / "tinykit.json").read_text())["predicted"]
    linked = read_image(program)
    assert linked.flash_bytes == pytest.approx(predicted["flash_bytes"], rel=0.02)

    graph = read_model_file(path)
    given = [seeded_input(graph, k) for k in range(VECTORS)]
    wanted = reference_outputs(
        path.read_bytes(),
        given,
        inputs=len(graph.main.inputs),
        outputs=len(graph.main.outputs),
        arena_bytes=arena.needed,
    )
    with (
        machine(board, program, icount_shift=ICOUNT_SHIFT) as running,
        open_link(running.url) as link,
    ):
        dut = Dut(link)
        dut.hello(120)
        info = dut.info()
        assert int(info["arena-used-bytes"]) == arena.used
        assert int(info["arena-size-bytes"]) == arena.needed
        for vector, reference in zip(given, wanted, strict=True):
            dut.load(vector)
            dut.infer(600)
            assert dut.outputs() == reference
        dut.ask("infer 1 0", 600)
        cycles = dict(line[3:-1].split("-[") for line in dut.ask("tk-cycles"))
        assert dut.ask("tk-golden", 600)[-1] == "tk-golden-passed-[1]"
    core = board.removeprefix("qemu-")
    recorded = _instructions(name, core)
    if recorded is not None:
        counted = int(cycles["cycles"]) * 1e9 / int(info["counter-hz"]) / INSTRUCTION_NS
        # Recorded in a default build: a release has no assertions, which small models notice.
        assert counted == pytest.approx(recorded, rel=0.01, abs=3000)
