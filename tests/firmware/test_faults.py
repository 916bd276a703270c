# SPDX-License-Identifier: Apache-2.0
"""A firmware that cannot go on says why, again and again, until someone has read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.firmware.build import FAULTY_IMAGE, MACHINES, Machine, compile_host, compile_machine
from tests.firmware.dialogue import host_process, qemu_process, tcp_dialogue

ARENA_LINE = (
    "e-[tk-fault 3 model 0 detail 4096: "
    "AllocateTensors failed: arena too small or an operator refused its tensors]"
)
INVOKE_LINE = "e-[tk-fault 5 model 0 detail -7: the inference failed]"


@pytest.mark.slow
def test_a_failed_init_is_repeated_for_a_late_host(tmp_path: Path) -> None:
    program = compile_host(tmp_path / "host", FAULTY_IMAGE, defines=["-DFAULTY_INIT=1"])
    with host_process(program) as (board, process):
        board.lines_until(ARENA_LINE)
        assert board.line() == ARENA_LINE
        board.send(b"name%")
        assert board.lines_until(ARENA_LINE) == []
        assert process.wait(timeout=10) == 3


def test_a_failed_inference_stops_the_board(tmp_path: Path) -> None:
    program = compile_host(tmp_path / "host", FAULTY_IMAGE)
    with host_process(program) as (board, process):
        board.lines_until("m-ready")
        board.send(b"infer 1 0%")
        board.lines_until(INVOKE_LINE)
        board.send(b"%")
        assert process.wait(timeout=10) == 5


@pytest.fixture(scope="module", params=MACHINES, ids=lambda m: m.core)
def faulty(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Machine, Path]:
    machine = request.param
    assert isinstance(machine, Machine)
    return machine, compile_machine(
        machine, tmp_path_factory.mktemp("faulty") / "build", FAULTY_IMAGE
    )


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.qemu
@pytest.mark.parametrize("model", [1, 2], ids=["bad-access", "stack-overflow"])
def test_a_fault_of_the_core_is_told(faulty: tuple[Machine, Path], model: int) -> None:
    machine, elf = faulty
    with qemu_process(machine, elf) as (port, process), tcp_dialogue(port) as board:
        board.fall_in_step()
        board.ask(f"tk-select {model}")
        board.send(b"infer 1 0%")
        line = board.line()
        while line is not None and not line.startswith("e-[tk-registers pc "):
            line = board.line()
        line = board.line()
        assert line is not None
        assert line.startswith("e-[tk-fault 21 model -1 detail "), line
        assert line.endswith(": the core took a fault]")
        assert board.line() == line  # a second later, by a clock that still runs
        board.send(b"%")
        assert process.wait(timeout=10) == 21
