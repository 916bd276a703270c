# SPDX-License-Identifier: Apache-2.0
"""An engine in C++ on the bare-metal start-up code: constructors, FPU, external RAM, stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.firmware.build import CXX_IMAGE, MACHINES, Machine, compile_machine
from tests.firmware.dialogue import qemu_process, tcp_dialogue

pytestmark = [pytest.mark.toolchain, pytest.mark.qemu, pytest.mark.slow]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.core)
def test_cxx_engine(machine: Machine, tmp_path: Path) -> None:
    elf = compile_machine(machine, tmp_path / "build", CXX_IMAGE)
    with qemu_process(machine, elf) as (port, _), tcp_dialogue(port) as board:
        board.fall_in_step()
        used = []
        for blocks in (0, 40):
            board.ask("db load 8")
            board.ask(f"db {bytes([blocks, 10, 20, 30, 4, 5, 6, 7]).hex()}")
            # v * (i + 1) / 2 + 1, cut to an integer
            first = blocks // 2 + 1
            values = [first, 11, 31, 61, 11, 16, 22, 29]
            results = board.ask("infer 1 0")[-1]
            assert results == f"m-results-[{','.join(f'{v}.000' for v in values)}]"
            used.append(int(board.ask_keys("tk-stack")["stack-used-bytes"]))
        # 40 blocks of 256 bytes; the first run had its own, shallower high-water mark
        assert 40 * 256 < used[1] < 40 * 256 + used[0] + 64
