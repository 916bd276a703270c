# SPDX-License-Identifier: Apache-2.0
"""PlatformIO is never given the chance to wait for a registry."""

from __future__ import annotations

import json
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tinykit.errors import ToolError, UsageError
from tinykit.toolchain.platformio import run_platformio

pytestmark = [pytest.mark.platformio, pytest.mark.usefixtures("cache")]

NOWHERE_NEAR_A_STALL_SECONDS = 20.0  # one lasts a minute
OURS = "[env:x]\nplatform = tinykit_qemu\nboard = qemu_mps2_an386\n"


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("platformio") is None or find_spec("SCons") is None:
        pytest.skip("platformio or scons missing (pip install '.[flash]')")
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TINYKIT_CACHE", str(shared_cache))
    return shared_cache


def _project(folder: Path, ini: str) -> Path:
    (folder / "platformio.ini").write_text(ini)
    (folder / "src").mkdir()
    (folder / "src" / "main.c").write_text("int main(void) { return 0; }\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ini", "named"),
    [
        ("[env:x]\nplatform = ststm32@^19\nboard = y\n", r"platform ststm32 @ \^19"),
        ("[env:x]\nplatform = tinykit_qemu@^9\nboard = y\n", r"platform tinykit_qemu @ \^9"),
        ("[env:x]\nplatform = https://localhost:9/p.zip\n", r"platform https://localhost:9/p\.zip"),
        (f"{OURS}lib_deps = bblanchon/ArduinoJson@^7\n", r"library bblanchon/ArduinoJson @ \^7"),
        (f"{OURS}lib_deps =\n    ArduinoJson@^7\n    a/b ; why\n", "library a/b"),
        (f"{OURS}lib_deps = https://localhost:9/l.git\n", "library git.https://localhost:9/l"),
        (f"{OURS}platform_packages = me/toolchain-x@^1\n", r"tool me/toolchain-x @ \^1"),
        (f"{OURS}lib_deps = symlink://lib1\n", "library else/where"),
    ],
    ids=["platform", "version", "url", "library", "second", "git", "tool", "of-library"],
)
def test_what_is_missing_is_said_at_once(tmp_path: Path, ini: str, named: str) -> None:
    project = _project(tmp_path, ini)
    library = {"name": "lib1", "version": "1.0.0", "dependencies": {"else/where": "^1"}}
    (project / "lib1").mkdir()
    (project / "lib1" / "library.json").write_text(json.dumps(library))
    start = time.monotonic()
    with pytest.raises(ToolError, match=named) as caught:
        run_platformio(project, ["run"], timeout_seconds=50)
    assert time.monotonic() - start < NOWHERE_NEAR_A_STALL_SECONDS
    assert "--online" in str(caught.value.hint)


def test_request_of_any_other_kind_is_refused(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(ToolError, match="which is not installed"):
        run_platformio(_project(tmp_path, OURS), ["pkg", "search", "json"], timeout_seconds=50)
    assert time.monotonic() - start < NOWHERE_NEAR_A_STALL_SECONDS


def test_folder_without_a_project(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no platformio\.ini"):
        run_platformio(tmp_path, ["run"], timeout_seconds=5)


def test_error_of_platformio_is_passed_on(tmp_path: Path) -> None:
    project = _project(tmp_path, OURS.replace("an386", "an999"))
    with pytest.raises(ToolError, match="Unknown board ID 'qemu_mps2_an999'"):
        run_platformio(project, ["run"], timeout_seconds=50)


@pytest.mark.parametrize("online", [False, True])
def test_files_of_the_project_and_settings_of_the_user_do_not_get_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, online: bool
) -> None:
    for variable in ("CORE_DIR", "PLATFORMS_DIR", "PACKAGES_DIR", "BUILD_DIR"):
        monkeypatch.setenv(f"PLATFORMIO_{variable}", str(tmp_path / "elsewhere"))
    project = _project(tmp_path, f"{OURS}; comment\n")
    for name in ("json.py", "click.py", "platformio.py", "requests.py"):
        (project / name).write_text("raise SystemExit('shadowed')\n")
    lines: list[str] = []
    said = run_platformio(
        project,
        ["boards", "--installed"],
        online=online,
        timeout_seconds=50,
        on_line=lines.append,
    )
    assert "qemu_mps3_an547" in said
    assert said.splitlines() == lines
    assert not (tmp_path / "elsewhere").exists()
