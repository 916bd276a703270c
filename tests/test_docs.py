# SPDX-License-Identifier: Apache-2.0
"""Every command that the documentation shows exists and runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.program import runner
from tests.support import ROOT
from tinykit.cli.main import VERBS

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += sorted(ROOT.glob("*/README.md"))
STANDS_FOR = {
    "MODEL": "models/digits_int8.tflite",
    "model.tflite": "models/digits_int8.tflite",
    "BOARD": "cortex-m7",
    "./myboard.toml": "boards/cortex-m4.toml",
    "fw/": "fw",
}


NEEDS_TREE = ("build", "flash", "verify")
"""Verbs that compile TFLM: their options are checked, they do not run."""


def _commands(program: str) -> list[str]:
    """Return the commands in code spans and blocks that start with `program`."""
    found: dict[str, None] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        spans = re.findall(rf"`({program} [^`\n]+)`", text)
        blocks = re.findall(
            rf"^(?: {{4,}}|```\n|\t)(?:\$ )?({program} [^\n#]+)", text, re.MULTILINE
        )
        found |= dict.fromkeys(command.strip() for command in spans + blocks)
    return list(found)


@pytest.mark.parametrize("command", _commands("tinykit"))
def test_command_runs(
    command: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if command.split()[1:] in [[verb] for verb in VERBS]:
        return  # names the verb, no more
    if command.split()[1] in NEEDS_TREE or "--tflm" in command or "a.tflite" in command:
        shown = runner(capfd)(command.split()[1], "--help").out
        assert [w for w in command.split() if w.startswith("--") and w not in shown] == []
        return
    words = [STANDS_FOR.get(word, word) for word in shlex.split(command)[1:]]
    words = [str(ROOT / w) if w.startswith(("models/", "boards/")) else w for w in words]
    monkeypatch.chdir(tmp_path)
    done = runner(capfd)(*words)
    assert done.code in (0, 4), done.err


@pytest.mark.parametrize("command", _commands("make"))
def test_make_target_exists(command: str) -> None:
    if " -f " in command:
        return  # somebody else's Makefile
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in shlex.split(command)[1:]:
        assert re.search(rf"^{re.escape(target)}:", rules, re.MULTILINE), command


def test_every_verb_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"tinykit {verb}" not in readme] == []


def test_changelog_names_every_verb() -> None:
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"`tinykit {verb}`" not in log] == []
