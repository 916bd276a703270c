# SPDX-License-Identifier: Apache-2.0
"""PlatformIO's core folder: whole or not there, and a SCons that PlatformIO will take."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from tinykit.errors import ToolError
from tinykit.toolchain.core_folder import (
    cache_folder,
    check_installed,
    prepare_core,
    scons_package_version,
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if find_spec("platformio") is None or find_spec("SCons") is None:
        pytest.skip("platformio or scons missing (pip install '.[flash]')")
    monkeypatch.setenv("TINYKIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


# As PlatformIO 6.2 maps SCons a.b.c (platformio/dependencies.py).
@pytest.mark.parametrize(
    ("scons", "package"), [("4.11.1", "4.41101.0"), ("4.8.1", "4.40801.0"), ("5.0", "5.50000.0")]
)
def test_version_of_the_scons_package(scons: str, package: str) -> None:
    assert scons_package_version(scons) == package


def _pretend(monkeypatch: pytest.MonkeyPatch, wanted: str, scons: str) -> None:
    """Let PlatformIO want a tool-scons, and another SCons be installed."""
    dependencies = ModuleType("platformio.dependencies")
    vars(dependencies)["get_core_dependencies"] = lambda: {"tool-scons": wanted}
    monkeypatch.setitem(sys.modules, "platformio.dependencies", dependencies)
    installed = {"scons": scons, "platformio": "6.9.0"}
    monkeypatch.setattr(metadata, "version", lambda name: installed.get(name, "1.0"))


@pytest.mark.platformio
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(
    ("wanted", "scons", "hint"),
    [
        ("~4.41101.0", "4.8.1", "pip install 'scons==4.11.1'"),
        ("~4.40801.0", "4.11.1", "pip install 'scons==4.8.1'"),
        ("~5.50100.0", "4.11.1", "pip install 'scons==5.1.0'"),
        ("~4.41101.0", "5.11.1", "pip install 'scons==4.11.1'"),
        (">=7", "4.11.1", "pip install 'tinykit[flash]'"),
    ],
)
def test_scons_that_does_not_fit_is_refused_with_the_one_that_does(
    wanted: str, scons: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, wanted, scons)
    with pytest.raises(ToolError, match="wants tool-scons") as caught:
        check_installed()
    assert caught.value.hint == hint


@pytest.mark.platformio
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(("wanted", "scons"), [("~4.41101.0", "4.11.1"), ("~4.40801.0", "4.8.1")])
def test_scons_that_fits(wanted: str, scons: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend(monkeypatch, wanted, scons)
    check_installed()


@pytest.mark.parametrize("module", ["platformio", "SCons"])
def test_missing_package_is_named_with_its_command(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {"platformio", "SCons"} - {module}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in there or None)
    with pytest.raises(ToolError, match=f"{module.lower()} is not installed") as caught:
        check_installed()
    assert caught.value.hint == "pip install 'tinykit[flash]'"


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TINYKIT_CACHE", raising=False)
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path("/home/u/.cache/tinykit")
    monkeypatch.setenv("XDG_CACHE_HOME", "/big/cache")
    assert cache_folder() == Path("/big/cache/tinykit")
    monkeypatch.setenv("TINYKIT_CACHE", "~/mine")
    assert cache_folder() == Path("/home/u/mine")


@pytest.mark.platformio
def test_core_folder_holds_what_would_be_downloaded(cache: Path) -> None:
    core = prepare_core()
    assert core == cache / "platformio"
    installed = json.loads((core / "packages" / "tool-scons" / ".piopm").read_text())
    assert installed["spec"]["owner"] == "platformio"
    assert (core / "packages" / "tool-scons" / "SCons" / "Script" / "Main.py").is_file()
    platform = json.loads((core / "platforms" / "tinykit_qemu" / "platform.json").read_text())
    assert platform["name"] == "tinykit_qemu"


@pytest.mark.platformio
@pytest.mark.usefixtures("cache")
@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"another version", b"\xff\xfe", None])
def test_other_content_is_laid_out_anew(damage: bytes | None) -> None:
    platform = prepare_core() / "platforms" / "tinykit_qemu"
    (platform / "platform.py").unlink()
    mark = platform / ".tinykit"
    mark.unlink() if damage is None else mark.write_bytes(damage)
    prepare_core()
    assert (platform / "platform.py").is_file()
    assert [p for p in platform.parent.parent.iterdir() if p.name.startswith(".staging")] == []


def _core_of_a_process(cache: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TINYKIT_CACHE", cache)
        return str(prepare_core())


@pytest.mark.platformio
@pytest.mark.slow
def test_many_processes_at_once_leave_one_good_folder(cache: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        cores = pool.map(_core_of_a_process, [str(cache)] * 8)
    assert set(cores) == {str(cache / "platformio")}
    core = Path(cores[0])
    assert (core / "platforms" / "tinykit_qemu" / "platform.json").is_file()
    assert (core / "packages" / "tool-scons" / "SCons" / "__init__.py").is_file()
    assert sorted(p.name for p in core.rglob("*") if p.parent.parent in (core, core.parent)) == [
        ".tinykit.lock",
        "packages",
        "platforms",
        "tinykit_qemu",
        "tool-scons",
    ]


@pytest.mark.platformio
def test_cache_that_cannot_be_written_is_said(cache: Path) -> None:
    cache.write_text("a file, no folder")
    with pytest.raises(ToolError, match="cannot write") as caught:
        prepare_core()
    assert "TINYKIT_CACHE" in str(caught.value.hint)
