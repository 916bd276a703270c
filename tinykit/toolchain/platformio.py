# SPDX-License-Identifier: Apache-2.0
"""Runs PlatformIO so that it never waits for a registry that is not there.

A core folder of our own holds what PlatformIO would download: SCons from PyPI as its `tool-scons`,
and tinykit's development platform for QEMU. All builds share one cache.

Source: PlatformIO 6.2, platformio/dependencies.py and platformio/package/manager/core.py.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from configparser import ConfigParser, Error
from hashlib import sha256
from importlib import metadata, util
from pathlib import Path

from tinykit.errors import ToolError, UsageError
from tinykit.resources import folder
from tinykit.sanitise import printable
from tinykit.toolchain.program import run_program

INSTALL = "pip install 'tinykit[flash]'"
PLATFORM = "tinykit_qemu"
_MARK = ".tinykit"

_QUIET = {
    "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
    "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
    "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "36500",
    "PLATFORMIO_SETTING_CHECK_PRUNE_SYSTEM_THRESHOLD": "0",
    "PLATFORMIO_NO_ANSI": "true",
    "PLATFORMIO_DISABLE_PROGRESSBAR": "true",
}

_SCONS_MAIN = """\
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).resolve().parent))
from SCons.Script.Main import main
if __name__ == "__main__":
    sys.exit(main())
"""


def cache_folder() -> Path:
    """Return where tools and build results are kept between runs."""
    own = os.environ.get("TINYKIT_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache").absolute() / "tinykit"


def run_platformio(
    project: Path,
    arguments: Sequence[str],
    *,
    timeout_seconds: float = 1800,
    online: bool = False,
    on_line: Callable[[str], None] | None = None,
) -> str:
    """Run `pio` in a project folder and return what it printed.

    Args:
        online: let PlatformIO fetch platforms and packages that are not installed.

    Raises:
        UsageError: the folder holds no project.
        ToolError: PlatformIO or a piece that it would have to download is missing, or it failed.
    """
    core = prepare_core()
    if not online:
        _check_platforms(project, core)
    environment = {
        **_QUIET,
        "PLATFORMIO_CORE_DIR": str(core),
        "PLATFORMIO_BUILD_CACHE_DIR": str(core.parent / "objects"),
    }
    return run_program(
        [sys.executable, "-m", "platformio", *arguments],
        folder=project,
        environment=environment,
        timeout_seconds=timeout_seconds,
        on_line=on_line,
    )


def prepare_core() -> Path:
    """Return PlatformIO's core folder, holding what it would otherwise download.

    Raises:
        ToolError: platformio or scons is not installed, or they do not fit each other.
    """
    for module, package in (("platformio", "platformio"), ("SCons", "scons")):
        if util.find_spec(module) is None:
            raise ToolError(f"{package} is not installed", hint=INSTALL)
    core = cache_folder() / "platformio"
    try:
        _place(core / "packages" / "tool-scons", _lay_out_scons, metadata.version("scons"))
        source = folder("firmware") / "platformio" / PLATFORM
        _place(core / "platforms" / PLATFORM, _copier(source), _fingerprint(source))
    except OSError as error:
        name = printable(str(error.filename or core))
        raise ToolError(
            f"cannot write {name}: {error.strerror}", hint="set TINYKIT_CACHE to another folder"
        ) from error
    return core


def scons_package_version(version: str) -> str:
    """Return the version of the `tool-scons` package that holds SCons `version`, e.g. 4.11.1."""
    major, minor, patch = ([int(p) for p in version.split(".")[:3]] + [0, 0])[:3]
    return f"{major}.{major}{minor:02d}{patch:02d}.0"


def _place(target: Path, make: Callable[[Path], None], fingerprint: str) -> None:
    """Make a folder anew unless it bears the fingerprint; others may do the same at once."""
    mark = target / _MARK
    if mark.is_file() and mark.read_text() == fingerprint:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        make(staging)
        (staging / _MARK).write_text(fingerprint)
        staging.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old."))
            target.rename(old / "old")
            shutil.rmtree(old, ignore_errors=True)
        staging.rename(target)
    except FileExistsError:
        pass  # another process was quicker with the same content
    except OSError:
        if not mark.is_file():
            raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _lay_out_scons(target: Path) -> None:
    spec = util.find_spec("SCons")
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, target / "SCons")
    (target / "scons.py").write_text(_SCONS_MAIN)
    version = scons_package_version(metadata.version("scons"))
    package = {"name": "tool-scons", "version": version, "description": "SCons from PyPI"}
    # Without the owner PlatformIO does not take the package for its own and starts a download.
    spec_fields = {"owner": "platformio", "name": "tool-scons"}
    installed = {"type": "tool", "name": "tool-scons", "version": version, "spec": spec_fields}
    (target / "package.json").write_text(json.dumps(package))
    (target / ".piopm").write_text(json.dumps(installed))
    (target / ".piokeep").touch()


def _copier(source: Path) -> Callable[[Path], None]:
    def copy(target: Path) -> None:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignore)

    return copy


def _fingerprint(source: Path) -> str:
    digest = sha256()
    for path in sorted(source.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(source).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _check_platforms(project: Path, core: Path) -> None:
    """Refuse before PlatformIO spends a minute on looking for a platform in a registry."""
    ini = project / "platformio.ini"
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(ini.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        name = printable(str(project))
        hint = "tinykit generate writes one"
        raise UsageError(f"{name} holds no platformio.ini", hint=hint) from error
    except (OSError, ValueError, Error) as error:
        raise UsageError(f"cannot read {printable(str(ini))}: {printable(str(error))}") from error
    for section in parser.sections():
        if section != "env" and not section.startswith("env:"):
            continue
        value = parser.get(section, "platform", fallback=PLATFORM)
        name = value.split("@")[0].strip()
        if not (core / "platforms" / name).is_dir():
            raise ToolError(
                f"the PlatformIO platform {printable(name)!r} is not installed",
                hint="run with --online where a registry can be reached",
            )
