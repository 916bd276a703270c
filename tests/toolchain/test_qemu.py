# SPDX-License-Identifier: Apache-2.0
"""Machines start with their line open, and end with the block, whatever happens in it."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.firmware.build import MACHINES as COMPILED
from tests.firmware.build import Machine, compile_machine, need_program
from tinykit.errors import ToolError, UsageError
from tinykit.measure.link import open_link
from tinykit.measure.protocol import Dut
from tinykit.toolchain import qemu
from tinykit.toolchain.qemu import MACHINES, machine


def _fake(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a shell script in the place of QEMU."""
    path = folder / "bin" / "qemu-system-arm"
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\necho $$ > {folder}/pid\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")


def _runs(folder: Path) -> bool:
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def test_machines_are_those_the_firmware_is_compiled_for() -> None:
    assert {f"qemu-{m.core}": m.qemu for m in COMPILED} == dict(MACHINES)


@pytest.mark.qemu
@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("target", COMPILED, ids=lambda m: m.core)
def test_firmware_answers_and_time_is_deterministic(target: Machine, tmp_path: Path) -> None:
    need_program("qemu-system-arm", "qemu-system-arm")
    elf = compile_machine(target, tmp_path / "build")

    def cycles(_: int) -> list[str]:
        with (
            machine(f"qemu-{target.core}", elf, icount_shift=6) as running,
            open_link(running.url) as link,
        ):
            dut = Dut(link)
            dut.hello(20)
            dut.ask("infer 10 0")
            return dut.ask("tk-cycles")

    with ThreadPoolExecutor(2) as pool:  # two at once: each has a port of its own
        first, second = pool.map(cycles, range(2))
    assert first == second


def test_unknown_board() -> None:
    with pytest.raises(UsageError, match="is not an emulated board"), machine("x\n", Path("f")):
        pass


@pytest.mark.qemu
def test_what_qemu_says_is_in_the_error(tmp_path: Path) -> None:
    need_program("qemu-system-arm", "qemu-system-arm")
    missing = tmp_path / "missing.elf"
    with (
        pytest.raises(ToolError, match=r"missing\.elf: No such file or directory"),
        machine("qemu-cortex-m4", missing),
    ):
        pass


def test_escape_codes_of_a_failure_are_shown_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(tmp_path, "printf '\\033[31mno machine' >&2; exit 1", monkeypatch)
    with (
        pytest.raises(ToolError, match=r"\\x1b\[31mno machine"),
        machine("qemu-cortex-m4", tmp_path),
    ):
        pass


def test_qemu_that_hangs_at_the_start_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake(tmp_path, "exec sleep 60", monkeypatch)
    monkeypatch.setattr(qemu, "_START_SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(ToolError, match="did not start"), machine("qemu-cortex-m4", tmp_path):
        pass
    assert time.monotonic() - start < 10
    assert not _runs(tmp_path)


def test_machine_that_ignores_sigterm_ends_with_its_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "trap '' TERM; echo '{\"return\": {}}'; while :; do sleep 0.05; done"
    _fake(tmp_path, text, monkeypatch)
    monkeypatch.setattr(qemu, "_STOP_SECONDS", 0.3)

    def fails_inside() -> None:
        with machine("qemu-cortex-m4", tmp_path):
            assert _runs(tmp_path)
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        fails_inside()
    assert not _runs(tmp_path)
