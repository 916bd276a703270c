# SPDX-License-Identifier: Apache-2.0
"""The empty image on four Cortex-M machines: cross-compiled, run in QEMU, driven over TCP.

QEMU with `-icount shift=6` gives each instruction 64 ns of virtual time. Clocks are held against
that and against a loop whose instructions are counted in the disassembly.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.firmware.build import MACHINES, Machine, compile_machine, run_tool
from tests.firmware.dialogue import Dialogue, qemu_process, tcp_dialogue

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

COUNTING = bytes(range(16))


@pytest.fixture(scope="module", params=MACHINES, ids=lambda m: m.core)
def machine(request: pytest.FixtureRequest) -> Machine:
    assert isinstance(request.param, Machine)
    return request.param


@pytest.fixture(scope="module")
def elf(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_machine(machine, tmp_path_factory.mktemp("elf") / "build")


@pytest.fixture
def board(machine: Machine, elf: Path) -> Generator[Dialogue]:
    with qemu_process(machine, elf) as (port, _), tcp_dialogue(port) as dialogue:
        dialogue.fall_in_step()
        yield dialogue


def window_cycles(board: Dialogue, command: str) -> int:
    board.ask("db load 16")
    assert board.ask(f"db {COUNTING.hex()}") == ["m-load-done"]
    assert board.ask(command)[-1].startswith("m-results-[0.500,0.504,")
    return int(board.ask_keys("tk-cycles")["cycles"])


def test_the_image_is_small_and_pulls_in_no_printf(elf: Path) -> None:
    symbols = run_tool(["arm-none-eabi-nm", elf])
    for name in ("printf", "malloc", "_sbrk", "__aeabi_dmul"):
        assert f" {name}\n" not in symbols
    text, data, bss = map(int, run_tool(["arm-none-eabi-size", elf]).splitlines()[1].split()[:3])
    assert text < 20 * 1024
    assert data + bss - 16 * 1024 < 4 * 1024  # without the stack of 16 KiB


@pytest.mark.qemu
def test_the_line_protocol(machine: Machine, board: Dialogue) -> None:
    assert board.ask("profile")[1] == "m-model-[copy-int8]"
    lines = board.ask("infer 3 1")
    assert lines[:3] == ["m-warmup-start-1", "m-warmup-done", "m-infer-start-3"]
    info = board.ask_keys("tk-info")
    assert info["port"] == machine.port
    assert info["counter"] == "systick"
    assert int(info["counter-hz"]) == machine.clock_hz
    assert board.ask_keys("tk-golden")["golden-passed"] == "1"


@pytest.mark.qemu
def test_stack_use_is_plausible(board: Dialogue) -> None:
    board.ask("tk-golden")
    stack = {k: int(v) for k, v in board.ask_keys("tk-stack").items()}
    assert stack["stack-size-bytes"] == 16 * 1024
    assert 100 < stack["stack-used-bytes"] < 1500
    board.ask("infer 3 1")
    assert int(board.ask_keys("tk-stack")["stack-used-bytes"]) >= stack["stack-used-bytes"]


@pytest.mark.qemu
def test_equal_work_takes_equal_time(machine: Machine, elf: Path) -> None:
    counts = set()
    for _ in range(2):
        with qemu_process(machine, elf) as (port, _), tcp_dialogue(port) as board:
            board.fall_in_step()
            counts |= {window_cycles(board, "infer 5 1"), window_cycles(board, "infer 5 2")}
    assert len(counts) == 1


@pytest.mark.qemu
def test_the_clock_counts_instructions(machine: Machine, elf: Path, board: Dialogue) -> None:
    """10,000 turns of a loop whose instructions are counted in the disassembly."""
    listing = run_tool(["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", elf])
    loop = loop_instructions(listing.split("<burn>:")[1].split("\n\n")[0])
    cycles = window_cycles(board, "infer 1 0")
    instructions = cycles / machine.clock_hz / 64e-9
    assert instructions == pytest.approx(10_000 * loop, rel=0.02)


@pytest.mark.qemu
def test_a_window_that_outlasts_many_wraps(board: Dialogue) -> None:
    one = window_cycles(board, "infer 1 0")
    iterations = 3 * 2**24 // one + 1  # more than three wraps of the 24 bits of SysTick
    many = window_cycles(board, f"infer {iterations} 0")
    assert many == pytest.approx(iterations * one, rel=0.002)
    laps = [line for line in board.ask(f"infer {iterations} 0") if line.startswith("m-lap-us-")]
    start_us, end_us = (int(line.removeprefix("m-lap-us-")) for line in laps)
    hz = int(board.ask_keys("tk-info")["counter-hz"])
    assert (end_us - start_us) * hz / 1e6 == pytest.approx(many, rel=0.001)


def loop_instructions(listing: str) -> int:
    """Return the number of instructions in the only loop of a disassembled function."""
    lines = [line.split("\t") for line in listing.splitlines() if line.startswith(" ")]
    addresses = [int(parts[0].strip().rstrip(":"), 16) for parts in lines]
    spans = []
    for address, parts in zip(addresses, lines, strict=True):
        if parts[1].startswith("b") and not parts[1].startswith(("bl", "bx")):
            target = int(parts[2].split()[0], 16)
            if target in addresses and target <= address:
                spans.append(addresses.index(address) - addresses.index(target) + 1)
    assert len(spans) == 1, listing
    return spans[0]
