# SPDX-License-Identifier: Apache-2.0
"""`tinykit fit` from the outside: text, JSON, exit codes, files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.program import Run
from tests.support import ROOT, shared_path

DIGITS = str(ROOT / "models" / "digits_int8.tflite")

# The keys that the contract promises; more may come, none may go.
ARENA_KEYS = {
    "used_bytes",
    "needed_bytes",
    "head_bytes",
    "tail_bytes",
    "lower_bound_bytes",
    "status",
}
RAM_KEYS = {"arena_bytes", "static_bytes", "stack_bytes", "total_bytes", "limit_bytes"}
FLASH_KEYS = {
    "model_bytes",
    "runtime_bytes",
    "firmware_bytes",
    "total_bytes",
    "limit_bytes",
    "status",
}


def test_text_says_the_verdict_first(run: Run) -> None:
    done = run("fit", DIGITS, "--board", "cortex-m7")
    assert done.code == 0
    assert done.out.splitlines()[0] == "digits_int8.tflite on cortex-m7: FITS"
    assert done.err == ""


def test_json_keeps_the_contract(run: Run) -> None:
    document = json.loads(run("fit", DIGITS, "--board", "cortex-m7", "--format", "json").out)
    assert (document["schema"], document["schema_version"]) == ("tinykit.fit", "1.0")
    assert document["inputs"]["model"]["size_bytes"] == Path(DIGITS).stat().st_size
    result = document["result"]
    assert result["verdict"] == "fits"
    assert result["arena"].keys() >= ARENA_KEYS
    assert result["ram"].keys() >= RAM_KEYS
    assert result["flash"].keys() >= FLASH_KEYS
    assert {"index", "name", "macs", "live_bytes"} <= result["operators"][0].keys()
    assert result["ram"]["total_bytes"] == sum(
        result["ram"][k] for k in ("arena_bytes", "static_bytes", "stack_bytes", "reserved_bytes")
    )


def test_same_input_gives_the_same_bytes(run: Run) -> None:
    words = ("fit", DIGITS, "--board", "cortex-m4", "--format", "json")
    assert run(*words).out == run(*words).out


def test_too_small_a_board_is_4_and_says_what_to_change(run: Run) -> None:
    done = run("fit", DIGITS, "--board", "cortex-m7", "--reserve-ram", "319k")
    assert done.code == 4
    assert "DOES NOT FIT" in done.out.splitlines()[0]
    assert "What would make it fit" in done.out
    assert "boards that hold it" in done.out


def test_all_boards_is_a_table_sorted_by_headroom(run: Run) -> None:
    done = run("fit", DIGITS, "--board", "all", "--format", "json")
    fits = json.loads(done.out)["result"]["fits"]
    assert len({row["board"] for row in fits}) == len(fits) >= 38
    text = run("fit", DIGITS, "--board", "all").out.splitlines()
    shares = [int(line.split("%")[0].split()[-1]) for line in text[2:] if " fits " in line]
    assert shares == sorted(shares, reverse=True)


def test_unknown_board_is_usage_with_suggestions(run: Run) -> None:
    done = run("fit", DIGITS, "--board", "cortx-m7")
    assert done.code == 2
    assert "cortex-m7" in done.err


def test_board_of_the_user(run: Run, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_bytes((ROOT / "boards" / "cortex-m4.toml").read_bytes())
    assert run("fit", DIGITS, "--board", str(own)).code == 0
    own.write_text("name = 3\n")
    done = run("fit", DIGITS, "--board", str(own))
    assert done.code == 3
    assert "own.toml" in done.err


@pytest.mark.parametrize("size", ["-1", "1.5", "x", "9999999999999", "0x10", ""])
def test_size_that_is_none_is_usage(run: Run, size: str) -> None:
    assert run("fit", DIGITS, "--board", "cortex-m7", f"--stack={size}").code == 2


def test_output_goes_to_a_file_as_a_whole(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "fit.json"
    words = ("fit", DIGITS, "--board", "cortex-m7", "--format", "json", "-o", str(target))
    done = run(*words)
    assert (done.code, done.out) == (0, "")
    assert json.loads(target.read_text())["schema"] == "tinykit.fit"
    assert [p.name for p in tmp_path.iterdir()] == ["fit.json"]


def test_output_into_a_pipe_does_not_replace_it(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    words = ("fit", DIGITS, "--board", "cortex-m7", "--format", "json", "-o", str(pipe))
    assert run(*words).code == 0
    assert json.loads(os.read(reader, 1 << 20))["schema"] == "tinykit.fit"
    os.close(reader)
    assert pipe.is_fifo()


def test_output_that_cannot_be_written_is_usage(run: Run, tmp_path: Path) -> None:
    done = run("fit", DIGITS, "--board", "cortex-m7", "-o", str(tmp_path / "absent" / "x.json"))
    assert done.code == 2
    assert "cannot write" in done.err


@pytest.mark.parametrize("name", ["absent.tflite", "."])
def test_file_that_is_none_is_bad_input(run: Run, tmp_path: Path, name: str) -> None:
    done = run("fit", str(tmp_path / name), "--board", "cortex-m7")
    assert done.code == 3
    assert done.err.startswith("error: ")


def test_tensor_names_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    data = Path(DIGITS).read_bytes()
    target = tmp_path / "\x1b[31mname.tflite"
    target.write_bytes(data)
    done = run("fit", str(target), "--board", "cortex-m7")
    assert done.code == 0
    assert "\x1b[31mname" not in done.out


# One line of ../shared/facts/problems.md section i each: what happens, and what the text names.
HOSTILE = {
    "buf9999": (3, "9999"),
    "eight": (3, "byte"),
    "empty": (3, "empty"),
    "fuzz0": (3, ""),
    "fuzz1": (3, ""),
    "hugeshape": (3, "tensor"),
    "lfs": (3, "LFS"),
    "negshape": ((3, 4), ""),
    "noident": (3, "TFL3"),
    "noquant_filter": (4, "quantization"),
    "nosubgraph": (3, "subgraph"),
    "offline_truncated": (4, "offline-plan"),
    "opin9999": (3, "9999"),
    "ops_reversed": (4, "read-before-write"),
    "shortweights": (3, "bytes"),
    "trailing": (0, ""),
    "trunc_64": (3, "byte"),
    "trunc_half": (3, "byte"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_refused_with_its_reason(run: Run, name: str) -> None:
    code, word = HOSTILE[name]
    done = run(
        "fit", str(shared_path("models", "hostile", f"{name}.tflite")), "--board", "cortex-m7"
    )
    assert done.code in (code if isinstance(code, tuple) else (code,)), done.out + done.err
    assert word in done.out + done.err
    assert "Traceback" not in done.err
