# SPDX-License-Identifier: Apache-2.0
"""The empty image as a PlatformIO project on tinykit's own platform, with no registry in reach."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware.build import (
    EMPTY_IMAGE,
    FIRMWARE,
    MACHINES,
    Machine,
    lay_out,
    linker_script,
    need_arm_gcc,
    need_program,
)
from tests.firmware.dialogue import free_port, tcp_dialogue

pytestmark = [pytest.mark.platformio, pytest.mark.slow]

NOBODY = "http://127.0.0.1:9"  # the discard port: a download that was tried fails at once
STALL_S = 50.0  # PlatformIO waits a minute for a registry; nothing here may come near that


@pytest.fixture(scope="session")
def core_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PlatformIO's own folder, holding SCons from PyPI as its tool-scons and our platform."""
    for module, package in (("platformio", "platformio"), ("SCons", "scons")):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"program missing: {package} (pip install platformio==6.2.* scons==4.11.1)")
    core = tmp_path_factory.mktemp("pio")
    lay_tool_scons(core / "packages" / "tool-scons")
    shutil.copytree(FIRMWARE / "platformio" / "tinykit_qemu", core / "platforms" / "tinykit_qemu")
    return core


def lay_tool_scons(target: Path) -> None:
    """Lay out the installed SCons as the one package without which PlatformIO does nothing."""
    spec = importlib.util.find_spec("SCons")
    assert spec is not None
    assert spec.origin is not None
    major, minor, patch = (int(p) for p in importlib.metadata.version("scons").split("."))
    version = f"{major}.{major}{minor:02d}{patch:02d}.0"
    target.mkdir(parents=True)
    (target / "SCons").symlink_to(Path(spec.origin).parent)
    (target / "scons.py").write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "sys.path.insert(0, str(Path(__file__).resolve().parent))\n"
        "from SCons.Script.Main import main\n"
        "if __name__ == '__main__':\n"
        "    sys.exit(main())\n"
    )
    package = {"name": "tool-scons", "version": version, "description": "SCons from PyPI"}
    (target / "package.json").write_text(json.dumps(package))
    owner = {"owner": "platformio", "name": "tool-scons"}
    installed = {"type": "tool", "name": "tool-scons", "version": version, "spec": owner}
    (target / ".piopm").write_text(json.dumps(installed))


def pio(core: Path, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run PlatformIO with every way to the network closed."""
    environment = os.environ | {
        "PLATFORMIO_CORE_DIR": str(core),
        "PLATFORMIO_BUILD_CACHE_DIR": str(core / "cache"),
        "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
        "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
        "PLATFORMIO_NO_ANSI": "true",
        "PLATFORMIO_DISABLE_PROGRESSBAR": "true",
        "HTTP_PROXY": NOBODY,
        "HTTPS_PROXY": NOBODY,
    }
    return subprocess.run(
        [sys.executable, "-m", "platformio", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=STALL_S,
        check=False,
    )


def make_project(machine: Machine, project: Path, port: int) -> Path:
    """Write a project as `tinykit generate` would, the empty image in the place of a model."""
    lay_out(machine.port, project / "lib" / "tinykit")
    (project / "src").mkdir()
    shutil.copy(EMPTY_IMAGE, project / "src")
    (project / "platformio.ini").write_text(
        f"[env:{machine.board}]\n"
        "platform = tinykit_qemu\n"
        f"board = {machine.board}\n"
        "framework = bare\n"
        f"board_build.ldscript = lib/tinykit/port/{linker_script(machine)}\n"
        "build_flags = -Wall -Wextra -Wconversion -Werror\n"
        f"upload_port = socket://127.0.0.1:{port}\n"
    )
    return project


@pytest.mark.toolchain
@pytest.mark.qemu
@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.core)
def test_build_upload_talk_stop(machine: Machine, core_folder: Path, tmp_path: Path) -> None:
    need_arm_gcc()
    need_program("qemu-system-arm", "qemu-system-arm")
    port = free_port()
    project = make_project(machine, tmp_path / "project", port)
    built = pio(core_folder, project, "run", "-t", "upload")
    try:
        assert built.returncode == 0, built.stdout + built.stderr
        with tcp_dialogue(port) as board:
            board.fall_in_step()
            assert board.ask("name") == ["m-name-dut-[tinykit]"]
            assert board.ask_keys("tk-info")["port"] == machine.port
            assert board.ask("infer 2 0")[-1].startswith("m-results-[")
    finally:
        stopped = pio(core_folder, project, "run", "-t", "stop")
    assert stopped.returncode == 0, stopped.stdout + stopped.stderr
    folder = project / ".pio" / "build" / machine.board
    assert not (folder / "qemu.pid").exists()
    assert "tk_protocol_take" in (folder / "firmware.map").read_text()


def test_every_board_says_what_the_machine_has(core_folder: Path, tmp_path: Path) -> None:
    """Sizes and clocks from QEMU 7.2, hw/arm/mps2.c and hw/arm/mps2-tz.c."""
    listed = pio(core_folder, tmp_path, "boards", "--installed", "--json-output")
    boards = {b["id"]: b for b in json.loads(listed.stdout)}
    assert {b: (v["rom"], v["ram"], v["fcpu"]) for b, v in boards.items()} == {
        "qemu_mps2_an385": (4 << 20, 4 << 20, 25_000_000),
        "qemu_mps2_an386": (4 << 20, 4 << 20, 25_000_000),
        "qemu_mps2_an500": (4 << 20, 4 << 20, 25_000_000),
        "qemu_mps3_an547": (512 << 10, 512 << 10, 32_000_000),
    }


def test_a_project_without_linker_script_is_told_so(core_folder: Path, tmp_path: Path) -> None:
    need_arm_gcc()
    project = make_project(MACHINES[0], tmp_path / "project", 1)
    ini = project / "platformio.ini"
    ini.write_text(ini.read_text().replace("board_build.ldscript", "; board_build.ldscript"))
    done = pio(core_folder, project, "run")
    assert done.returncode == 1
    assert "framework bare needs `board_build.ldscript = FILE`" in done.stderr


def test_a_port_that_is_no_socket_is_refused(core_folder: Path, tmp_path: Path) -> None:
    need_arm_gcc()
    project = make_project(MACHINES[0], tmp_path / "project", 1)
    ini = project / "platformio.ini"
    ini.write_text(ini.read_text().replace("socket://127.0.0.1:1", "/dev/ttyACM0"))
    done = pio(core_folder, project, "run", "-t", "upload")
    assert done.returncode == 1
    assert "upload_port = /dev/ttyACM0 is not socket://HOST:PORT" in done.stderr
