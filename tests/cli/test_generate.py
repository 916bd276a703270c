# SPDX-License-Identifier: Apache-2.0
"""`tinykit generate` from the outside."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.program import Run
from tests.support import ROOT, shared_path

DIGITS = str(ROOT / "models" / "digits_int8.tflite")


@pytest.fixture(autouse=True)
def _no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TINYKIT_TFLM", raising=False)


def _read(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def test_same_input_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        done = run("generate", DIGITS, "--board", "qemu-cortex-m4", "-o", str(tmp_path / name))
        assert done.code == 0, done.err
    assert _read(tmp_path / "a") == _read(tmp_path / "b")


def test_arena_is_what_fit_needs(run: Run, tmp_path: Path) -> None:
    fit = json.loads(run("fit", DIGITS, "--board", "qemu-cortex-m4", "--format", "json").out)
    needed = fit["result"]["arena"]["needed_bytes"]
    assert (
        run("generate", DIGITS, "--board", "qemu-cortex-m4", "-o", str(tmp_path / "fw")).code == 0
    )
    image = (tmp_path / "fw" / "src" / "image.cc").read_text()
    assert f"kArenaBytes = {needed};" in image


def test_resolver_has_exactly_the_operators_of_the_model(run: Run, tmp_path: Path) -> None:
    model = str(shared_path("models", "kws_ref_model.tflite"))
    assert run("generate", model, "--board", "qemu-cortex-m4", "-o", str(tmp_path / "fw")).code == 0
    resolver = (tmp_path / "fw" / "src" / "op_resolver.h").read_text()
    # CONV 5, DW 4, AVGPOOL, RESHAPE, FC, SOFTMAX (facts of the model), INT8 throughout.
    assert re.findall(r"resolver\.(Add\w+)\(([^()]*)", resolver) == [
        ("AddAveragePool2D", "tflite::Register_AVERAGE_POOL_2D_INT8"),
        ("AddConv2D", "tflite::Register_CONV_2D_INT8"),
        ("AddDepthwiseConv2D", "tflite::Register_DEPTHWISE_CONV_2D_INT8"),
        ("AddFullyConnected", "tflite::Register_FULLY_CONNECTED_INT8"),
        ("AddReshape", ""),
        ("AddSoftmax", "tflite::Register_SOFTMAX_INT8"),
    ]


def test_missing_tree_is_a_warning_that_says_how_to_get_it(run: Run, tmp_path: Path) -> None:
    done = run("generate", DIGITS, "--board", "qemu-cortex-m4", "-o", str(tmp_path / "fw"))
    assert done.code == 0
    assert "TINYKIT_TFLM" in done.err


def test_model_that_cannot_run_writes_nothing(run: Run, tmp_path: Path) -> None:
    model = str(shared_path("models", "problems", "k2_b_topk.tflite"))
    done = run("generate", model, "--board", "qemu-cortex-m4", "-o", str(tmp_path / "fw"))
    assert done.code == 4
    assert "TOPK_V2" in done.out
    assert not (tmp_path / "fw").exists()


def test_model_that_does_not_fit_writes_nothing(run: Run, tmp_path: Path) -> None:
    model = str(shared_path("models", "mcunet_detection.tflite"))
    done = run("generate", model, "--board", "nano33ble", "-o", str(tmp_path / "fw"))
    assert done.code == 4
    assert "does not fit" in done.out
    assert not (tmp_path / "fw").exists()


def test_two_models_share_one_arena(run: Run, tmp_path: Path) -> None:
    other = str(shared_path("models", "hello_world_int8.tflite"))
    done = run("generate", DIGITS, other, "--board", "qemu-cortex-m4", "-o", str(tmp_path / "fw"))
    assert done.code == 0
    image = (tmp_path / "fw" / "src" / "image.cc").read_text()
    assert image.count("uint8_t arena_memory[") == 1
    assert "&digits_int8,\n    &hello_world_int8,\n" in image


def test_hostile_file_name_stays_in_the_folder(run: Run, tmp_path: Path) -> None:
    name = tmp_path / 'a"b\\c\n*.tflite'
    shutil.copy(DIGITS, name)
    done = run("generate", str(name), "--board", "qemu-cortex-m4", "-o", str(tmp_path / "fw"))
    assert done.code == 0
    assert {p.name for p in tmp_path.iterdir()} == {"fw", name.name}
    assert "a_b_c" in (tmp_path / "fw" / "src" / "image.cc").read_text()


def test_board_without_a_port_says_so(run: Run, tmp_path: Path) -> None:
    done = run("generate", DIGITS, "--board", "ek-ra6m4", "-o", str(tmp_path / "fw"))
    assert done.code == 2
    assert "ek-ra6m4" in done.err
