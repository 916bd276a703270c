# SPDX-License-Identifier: Apache-2.0
"""The group: help, unknown verbs, the map from error to exit code, JSON errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import Run
from tinykit.cli import main as program
from tinykit.cli.main import VERBS


def test_help_names_every_verb(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    for verb in VERBS:
        assert f"\n  {verb} " in done.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_loads_and_has_help(run: Run, verb: str) -> None:
    done = run(verb, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: tinykit {verb} ")


def test_unknown_verb_is_usage_with_a_suggestion(run: Run) -> None:
    done = run("fitt", "x")
    assert done.code == 2
    assert "Did you mean 'fit'?" in done.err
    assert done.out == ""


def test_escape_codes_in_a_verb_do_not_reach_the_terminal(run: Run) -> None:
    assert "\x1b[2J" not in run("\x1b[2J").err


def test_missing_option_is_usage(run: Run) -> None:
    done = run("fit", "model.tflite")
    assert done.code == 2
    assert "--board" in done.err
    assert "tinykit fit --help" in done.err


def test_error_as_json_goes_to_stdout(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.tflite").touch()
    done = run("inspect", str(tmp_path / "empty.tflite"), "--format", "json")
    assert done.code == 3
    error = json.loads(done.out)
    assert error["schema"] == "tinykit.error"
    assert error["error"]["exit_code"] == 3
    assert "empty" in error["error"]["message"]


def test_a_bug_says_so_without_a_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by hand")

    monkeypatch.setattr(program.cli, "main", broken)
    done = run("boards")
    assert done.code == 1
    assert "unexpected ZeroDivisionError: by hand" in done.err
    assert "--debug" in done.err
    assert "Traceback" not in done.err


def test_ctrl_c_is_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program.cli, "main", interrupted)
    assert run("boards").code == 130


def test_reader_that_goes_away_is_no_error() -> None:
    code = "from tinykit.cli.main import main; main(['boards'])"
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert child.wait(timeout=20) == 0
    assert child.stderr.read() == b""
    child.stderr.close()
