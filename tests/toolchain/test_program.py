# SPDX-License-Identifier: Apache-2.0
"""Other programs: their failures become sentences, and none is left behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tinykit.errors import ToolError
from tinykit.toolchain.program import find_program, run_program


def _script(folder: Path, text: str) -> list[str]:
    path = folder / "tool.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def test_output_of_both_streams_in_order(tmp_path: Path) -> None:
    command = _script(tmp_path, "import sys\nprint('a', flush=True)\nprint('b', file=sys.stderr)\n")
    seen: list[str] = []
    out = run_program(command, folder=tmp_path, timeout_seconds=20, on_line=seen.append)
    assert out == "a\nb"
    assert seen == ["a", "b"]


def test_failure_ends_in_the_last_lines_without_escape_codes(tmp_path: Path) -> None:
    command = _script(tmp_path, "print('\\x1b[31merror: no such board')\nraise SystemExit(3)\n")
    with pytest.raises(ToolError, match="ended with status 3") as caught:
        run_program(command, folder=tmp_path, timeout_seconds=20)
    assert "\\x1b[31merror: no such board" in caught.value.message


@pytest.mark.slow
def test_hanging_program_is_killed_with_its_children(tmp_path: Path) -> None:
    child = "import time, pathlib; time.sleep(1.5); pathlib.Path('alive').touch()"
    text = f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {child!r}])\n"
    command = _script(tmp_path, text + "print('started', flush=True)\ntime.sleep(60)\n")
    start = time.monotonic()
    with pytest.raises(ToolError, match="did not end within 1 s") as caught:
        run_program(command, folder=tmp_path, timeout_seconds=1)
    assert time.monotonic() - start < 10
    assert "started" in caught.value.message
    time.sleep(1)
    assert not (tmp_path / "alive").exists()


def test_daemon_that_holds_the_output_is_not_waited_for(tmp_path: Path) -> None:
    child = "import time; time.sleep(30)"
    text = (
        f"import subprocess, sys\nprint('done')\nsubprocess.Popen([sys.executable, '-c', {child!r}]"
    )
    command = _script(tmp_path, text + ", start_new_session=True)\n")
    start = time.monotonic()
    assert run_program(command, folder=tmp_path, timeout_seconds=20) == "done"
    assert time.monotonic() - start < 10


def test_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    command = _script(tmp_path, "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(60)\n")
    pids: list[int] = []

    def interrupt(line: str) -> None:
        pids.append(int(line))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_program(command, folder=tmp_path, timeout_seconds=20, on_line=interrupt)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys\nsys.stdout.buffer.write(b'a' * 300_000)\n", 2000),  # a line without end
        ("for k in range(100_000): print()\n", 0),
        ("import sys\nsys.stdout.buffer.write(b'\\xff\\x00\\xc3\\n')\n", 20),
    ],
    ids=["no-line-end", "many-lines", "no-text"],
)
def test_output_is_bounded(tmp_path: Path, text: str, said: int) -> None:
    seen: list[str] = []
    command = _script(tmp_path, text)
    out = run_program(command, folder=tmp_path, timeout_seconds=30, on_line=seen.append)
    assert max(map(len, seen)) <= said
    assert out.count("\n") <= 20_000
    assert out.replace("\n", "").isprintable()


def test_signal_is_named(tmp_path: Path) -> None:
    command = _script(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    with pytest.raises(ToolError, match="was ended by SIGSEGV") as caught:
        run_program(command, folder=tmp_path, timeout_seconds=20, hint="do this")
    assert caught.value.hint == "do this"


def test_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="not on PATH") as caught:
        find_program("no-such-program-anywhere", "apt install it")
    assert caught.value.hint == "apt install it"
    with pytest.raises(ToolError, match="cannot start"):
        run_program([str(tmp_path / "absent")], folder=tmp_path, timeout_seconds=1)
