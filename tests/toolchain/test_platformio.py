# SPDX-License-Identifier: Apache-2.0
"""PlatformIO's core folder and the checks that keep it from waiting for a registry."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from tinykit.errors import ToolError, UsageError
from tinykit.toolchain.platformio import prepare_core, run_platformio, scons_package_version


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


def test_core_folder_holds_what_would_be_downloaded(cache: Path) -> None:
    core = prepare_core()
    assert core == cache / "platformio"
    installed = json.loads((core / "packages" / "tool-scons" / ".piopm").read_text())
    assert installed["spec"]["owner"] == "platformio"
    assert (core / "packages" / "tool-scons" / "SCons" / "Script" / "Main.py").is_file()
    platform = json.loads((core / "platforms" / "tinykit_qemu" / "platform.json").read_text())
    assert platform["name"] == "tinykit_qemu"


def test_damaged_platform_is_laid_out_anew(cache: Path) -> None:
    core = prepare_core()
    mark = core / "platforms" / "tinykit_qemu" / ".tinykit"
    mark.write_text("another version")
    (core / "platforms" / "tinykit_qemu" / "platform.py").unlink()
    prepare_core()
    assert (cache / "platformio" / "platforms" / "tinykit_qemu" / "platform.py").is_file()


def test_many_at_once_leave_one_good_folder(cache: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        cores = list(pool.map(lambda _: prepare_core(), range(4)))
    assert len(set(cores)) == 1
    assert (cores[0] / "platforms" / "tinykit_qemu" / "platform.json").is_file()
    left = [p.name for p in (cache / "platformio" / "platforms").iterdir()]
    assert left == ["tinykit_qemu"]


@pytest.mark.usefixtures("cache")
def test_missing_platform_is_refused_before_any_registry_is_asked(tmp_path: Path) -> None:
    (tmp_path / "platformio.ini").write_text("[env:x]\nplatform = ststm32@^19\nboard = y\n")
    with pytest.raises(ToolError, match="'ststm32' is not installed") as caught:
        run_platformio(tmp_path, ["run"], timeout_seconds=5)
    assert "--online" in str(caught.value.hint)


@pytest.mark.usefixtures("cache")
def test_folder_without_a_project(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no platformio\.ini"):
        run_platformio(tmp_path, ["run"], timeout_seconds=5)
