# SPDX-License-Identifier: Apache-2.0
"""`tinykit doctor`."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.cli.program import Run


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with nothing on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TINYKIT_TFLM", raising=False)
    monkeypatch.setenv("TINYKIT_CACHE", str(tmp_path / "cache"))


def test_without_a_purpose_it_reports_and_does_not_judge(run: Run) -> None:
    done = run("doctor")
    assert done.code == 0
    assert done.out.startswith("READY for fit")
    for name in ("arm-none-eabi-gcc", "qemu-system-arm", "PlatformIO", "SCons", "TFLM tree"):
        assert name in done.out


@pytest.mark.usefixtures("bare")
def test_what_build_lacks_is_4_with_the_commands(run: Run) -> None:
    done = run("doctor", "--for", "build")
    assert done.code == 4
    assert done.out.startswith("NOT READY for build: arm-none-eabi-gcc, ")
    assert "      sudo apt install gcc-arm-none-eabi\n" in done.out
    assert "export TINYKIT_TFLM=$PWD" in done.out
    assert "qemu-system-arm" not in done.out.partition("what to do")[2]


@pytest.mark.usefixtures("bare")
def test_fit_needs_nothing(run: Run) -> None:
    done = run("doctor", "--for", "fit")
    assert (done.code, done.out.splitlines()[0]) == (0, "READY for fit")


@pytest.mark.usefixtures("bare")
def test_json(run: Run, tmp_path: Path) -> None:
    done = run("doctor", "--for", "verify", "--format", "json")
    assert done.code == 4
    document = json.loads(done.out)
    assert (document["schema"], document["inputs"]) == ("tinykit.doctor", {"for": "verify"})
    result = document["result"]
    assert result["ready"]["fit"] is True
    assert result["ready"]["verify"] is False
    assert "newlib" in result["lacking"]
    qemu = next(item for item in result["items"] if item["name"] == "qemu-system-arm")
    assert qemu["command"] == "sudo apt install qemu-system-arm"
    assert qemu["needed_for"] == ["flash", "verify"]
    assert list(tmp_path.iterdir()) == []  # it looks, it makes nothing


def test_it_is_quick(run: Run) -> None:
    run("doctor")  # imports
    start = time.perf_counter()
    run("doctor")
    assert time.perf_counter() - start < 1


def test_unknown_purpose_is_2(run: Run) -> None:
    assert run("doctor", "--for", "coffee").code == 2
