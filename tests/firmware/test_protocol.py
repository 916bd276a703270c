# SPDX-License-Identifier: Apache-2.0
"""The line protocol, spoken with a host build of the empty image.

What MLPerf Tiny's commands must answer is taken from its reference firmware
(mlcommons/tiny 1afd2c98, benchmark/api/internally_implemented.cpp).
"""

from __future__ import annotations

import math
import os
import random
import re
import struct
import subprocess
import time
import zlib
from pathlib import Path

import pytest

from tests.firmware.build import compile_host
from tests.firmware.dialogue import Dialogue, host_process, tcp_dialogue

COUNTING = bytes(range(16))


def load(board: Dialogue, data: bytes) -> None:
    """Load a model input as the public runner does, 26 bytes a command."""
    assert board.ask(f"db load {len(data)}") == [f"m-[Expecting {len(data)} bytes]"]
    for at in range(0, len(data), 26):
        answer = board.ask(f"db {data[at : at + 26].hex()}")
    assert answer == ["m-load-done"]


def test_boot_of_a_performance_build(host_firmware: Path) -> None:
    with host_process(host_firmware) as (board, _):
        mode, lap, done = board.lines_until("m-ready")
    assert mode == "m-timestamp-mode-performance"
    assert re.fullmatch(r"m-lap-us-\d+", lap)
    assert done == "m-init-done"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("name", ["m-name-dut-[tinykit]"]),
        ("profile", ["m-profile-[ULPMark for tinyML Firmware V0.0.1]", "m-model-[copy-int8]"]),
        ("", []),
        ("bogus", ["e-[Unknown command: bogus]"]),
        ("namex", ["e-[Unknown command: namex]"]),
        ("db", ["e-[Command 'db' requires a subcommand]"]),
        ("db load", ["e-[Command 'db load' requires the # of bytes]"]),
        ("db load 0", ["e-[Command 'db load' must be >0 bytes]"]),
        ("db load -3", ["e-[Command 'db load' must be >0 bytes]"]),
        ("db load 99999999999999999999", ["e-[Command 'db load' must be >0 bytes]"]),
        ("db load 65", ["Supplied buffer size 65 exceeds maximum of 64"]),
        ("db load 16", ["m-[Expecting 16 bytes]"]),
        ("db 00", ["e-[Command 'db load' must come first]"]),
        ("infer 0", ["e-[Inference iterations must be >0]"]),
        ("infer -1 0", ["e-[Inference iterations must be >0]"]),
        ("infer x", ["e-[Inference iterations must be >0]"]),
        ("infer 1 -1", ["e-[Inference warmup must be >=0]"]),
        ("tk-select 4", ["e-[Command 'tk-select' requires a model, 0 to 3]"]),
        ("tk-select", ["e-[Command 'tk-select' requires a model, 0 to 3]"]),
    ],
)
def test_one_command(board: Dialogue, command: str, answer: list[str]) -> None:
    assert board.ask(command) == answer


def test_help_names_every_command(board: Dialogue) -> None:
    text = "\n".join(board.ask("help"))
    assert text.startswith("ULPMark for tinyML Firmware V0.0.1\n")
    for word in ("name", "timestamp", "profile", "db", "infer", "results", "tk-info", "tk-select"):
        assert re.search(rf"^{word}\b", text, re.MULTILINE)


def test_load_in_pieces_and_print(board: Dialogue) -> None:
    assert board.ask("db load 10") == ["m-[Expecting 10 bytes]"]
    assert board.ask("db 00FFabCD") == []
    assert board.ask("db 0") == ["e-[Insufficent number of hex digits]"]
    assert board.ask("db 0g") == ["e-[Invalid hex digit '0g']"]
    assert board.ask("db 0102030405060708090a") == ["m-load-done"]  # four too many, dropped
    assert board.ask("db print") == ["m-buffer-00-ff-ab-cd-01-02-03-04", "m-buffer-05-06"]


@pytest.mark.parametrize(("n", "w"), [(1, 0), (1, 3), (4, 0), (5, 2)])
def test_infer_prints_the_sequence_of_mlperf_tiny(board: Dialogue, n: int, w: int) -> None:
    load(board, COUNTING)
    lines = board.ask(f"infer {n} {w}")
    assert lines[:3] == [f"m-warmup-start-{w}", "m-warmup-done", f"m-infer-start-{n}"]
    laps = [int(line.removeprefix("m-lap-us-")) for line in lines[3:5]]
    assert laps[0] <= laps[1]
    assert lines[5] == "m-infer-done"
    # Copied bytes 0..15 at scale 1/256 and zero point -128 are (128 + b) / 256.
    values = [float(v) for v in lines[6].removeprefix("m-results-[").removesuffix("]").split(",")]
    assert values == pytest.approx([(128 + b) / 256 for b in COUNTING], abs=0.0005)
    assert len(lines) == 7
    assert board.ask("results") == [lines[6]]
    assert board.ask_keys("tk-cycles")["iterations"] == str(n)


def test_warmups_default_to_ten(board: Dialogue) -> None:
    assert board.ask("infer")[:3] == ["m-warmup-start-10", "m-warmup-done", "m-infer-start-1"]


def test_a_wrong_number_of_bytes_is_not_run(board: Dialogue) -> None:
    load(board, b"\1" * 15)
    assert board.ask("infer 1 0") == ["e-[Loaded 15 bytes, the model takes 16]"]


def test_output_bytes_and_their_crc(board: Dialogue) -> None:
    data = bytes(random.Random(1).randbytes(16))
    load(board, data)
    board.ask("infer 2 1")
    assert board.ask_keys("tk-output") == {
        "output-0-0": data.hex(),
        "output-crc32": f"{zlib.crc32(data):08x}",
    }


def test_info(board: Dialogue) -> None:
    info = board.ask_keys("tk-info")
    assert info["port"] == "host"
    assert info["models"] == "4"
    assert info["mode"] == "performance"
    assert len(info["model-sha256"]) == 64
    assert info["input-0"] == "int8 16 3d4ccccd -3"  # 0.05 as IEEE 754 is 3d4ccccd
    assert info["output-0"] == "int8 16 3b800000 -128"
    assert int(info["counter-measured-hz"]) == pytest.approx(1e9, rel=0.05)


def test_operators_add_up(board: Dialogue) -> None:
    ops = board.ask_keys("tk-ops")
    parts = [ops["op-0"].split(), ops["op-1"].split()]
    assert [name for name, _ in parts] == ["BURN", "COPY"]
    assert sum(int(cycles) for _, cycles in parts) <= int(ops["ops-cycles"])


def test_golden_names_the_first_difference(board: Dialogue) -> None:
    assert board.ask_keys("tk-golden") == {
        "golden-0": "pass",
        "golden-1": "fail bytes 1 first 5 got 05 expected 63",
        "golden-count": "2",
        "golden-passed": "1",
    }


def test_select_changes_the_model(board: Dialogue) -> None:
    load(board, COUNTING)
    assert board.ask_keys("tk-select 1") == {"selected": "1", "model": "copy-int16"}
    load(board, (1000).to_bytes(2, "little") + (-2).to_bytes(2, "little", signed=True) + bytes(8))
    results = board.ask("infer 1 0")[-1]
    assert results == "m-results-[100.000,-0.200,0.000,0.000,0.000,0.000]"  # scale 0.1
    assert board.ask("profile")[1] == "m-model-[copy-int16]"
    assert board.ask_keys("tk-select 0") == {"selected": "0", "model": "copy-int8"}


def test_floats_are_quantised_as_the_reference_of_ad01_does(board: Dialogue) -> None:
    """Round half away from zero, add the zero point, saturate; scale 0.05, zero point -3."""
    board.ask("tk-select 2")
    assert board.ask_keys("tk-info")["input-encoding"] == "float32"
    values = [0.0, 1.0, -1.0, 0.024, 0.026, -0.024, -0.026, 6.5, 6.55, 100.0, -6.25, -6.3, -1e30]
    values += [math.inf, -math.inf, math.nan]
    load(board, struct.pack("<16f", *values))
    board.ask("infer 1 0")
    expected = [-3, 17, -23, -3, -2, -3, -4, 127, 127, 127, -128, -128, -128, 127, -128, -128]
    assert board.ask_keys("tk-output")["output-0-0"] == struct.pack("16b", *expected).hex()


def test_pixels_become_int8_by_subtracting_128(board: Dialogue) -> None:
    board.ask("tk-select 3")
    load(board, bytes([0, 1, 127, 128, 129, 255]) + bytes(10))
    board.ask("infer 1 0")
    expected = struct.pack("16b", -128, -127, -1, 0, 1, 127, *[-128] * 10)
    assert board.ask_keys("tk-output")["output-0-0"] == expected.hex()


def test_line_ends_between_commands_do_not_matter(board: Dialogue) -> None:
    board.send(b"\r\nname%\r\n\0name\r\n%")
    assert board.lines_until("m-ready") == ["m-name-dut-[tinykit]"]
    assert board.lines_until("m-ready") == ["m-name-dut-[tinykit]"]


def test_a_line_of_ten_thousand_characters(board: Dialogue) -> None:
    assert board.ask("x" * 10_000) == ["e-[Command of 10000 characters, at most 1024]"]
    assert board.ask("db " + "0" * 10_000) == ["e-[Command of 10003 characters, at most 1024]"]
    assert board.ask("name") == ["m-name-dut-[tinykit]"]


def test_unprintable_bytes_are_not_echoed(board: Dialogue) -> None:
    assert board.ask("\x1b[2J\xff") == ["e-[Unknown command: ?[2J?]"]
    assert board.ask("y" * 100) == [f"e-[Unknown command: {'y' * 40}]"]


@pytest.mark.slow
def test_every_one_of_two_thousand_random_lines_is_answered(host_firmware: Path) -> None:
    noise = random.Random(20240)
    words = ["db", "load", "print", "infer", "tk-select", "tk-info", "results", "0", "1", "16", "-"]
    with host_process(host_firmware) as (board, process):
        board.lines_until("m-ready")
        for _ in range(2000):
            if noise.random() < 0.5:
                line = noise.randbytes(noise.randrange(200)).replace(b"%", b"")
            else:
                line = " ".join(noise.choices(words, k=noise.randrange(1, 6))).encode()
            board.send(line + b"%")
            board.lines_until("m-ready")
        assert board.ask("name") == ["m-name-dut-[tinykit]"]
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=10) == 0, process.stderr and process.stderr.read()


@pytest.mark.slow
def test_a_host_that_connects_late_sees_that_the_board_lives(host_firmware: Path) -> None:
    with host_process(host_firmware) as (board, _):
        time.sleep(1.3)
        lines = board.lines_until("tk-waiting-[host]")
        assert lines[-1] == "m-ready"
        # No second m-ready: the public runners would take it for the end of the next answer.
        assert board.ask("name") == ["m-name-dut-[tinykit]"]
        time.sleep(1.3)
        assert board.ask("name") == ["m-name-dut-[tinykit]"]


@pytest.mark.slow
def test_an_energy_build_prints_no_times_and_never_speaks_unasked(tmp_path: Path) -> None:
    program = compile_host(tmp_path / "energy", defines=["-DTK_ENERGY_MODE=1"])
    with host_process(program) as (board, _):
        time.sleep(1.3)
        assert board.lines_until("m-ready") == ["m-timestamp-mode-energy", "m-init-done"]
        assert board.ask("timestamp") == []
        assert not any("lap" in line for line in board.ask("infer 2 1"))
        assert board.ask_keys("tk-info")["mode"] == "energy"


def test_serial_on_tcp(host_firmware: Path) -> None:
    command = [str(host_firmware), "--tcp", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = int(process.stdout.readline().removeprefix("listening on 127.0.0.1:"))
        with tcp_dialogue(port) as board:
            board.lines_until("m-ready")
            assert board.ask("name") == ["m-name-dut-[tinykit]"]
        assert process.wait(timeout=10) == 0  # the host has left


def test_serial_on_a_pseudo_terminal(host_firmware: Path) -> None:
    with subprocess.Popen([host_firmware, "--pty"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        name = process.stdout.readline().removeprefix("serial is ").strip()
        terminal = os.open(name, os.O_RDWR | os.O_NOCTTY)
        try:
            board = Dialogue(terminal, terminal)
            board.fall_in_step()
            assert board.ask("name") == ["m-name-dut-[tinykit]"]
        finally:
            os.close(terminal)
            process.kill()
