# SPDX-License-Identifier: Apache-2.0
"""PlatformIO's core folder, laid out so that it holds what PlatformIO would download.

That is SCons from PyPI as its package `tool-scons`, and tinykit's development platform for QEMU.

Source: PlatformIO 6.2, platformio/dependencies.py and platformio/package/manager/core.py.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module, metadata, util
from pathlib import Path

from tinykit.errors import ToolError
from tinykit.resources import folder
from tinykit.sanitise import printable

INSTALL = "pip install 'tinykit[flash]'"
SET_CACHE = "export TINYKIT_CACHE=FOLDER  # one that you can write"
PLATFORM = "tinykit_qemu"
_MARK = ".tinykit"

_SCONS_MAIN = """\
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).resolve().parent))
from SCons.Script.Main import main
if __name__ == "__main__":
    sys.exit(main())
"""


def cache_folder() -> Path:
    """Return where tools and build results are kept between runs.

    Raises:
        ToolError: this user has no home folder, and no other was named.
    """
    own, base = os.environ.get("TINYKIT_CACHE"), os.environ.get("XDG_CACHE_HOME")
    try:
        if own:
            return Path(own).expanduser().absolute()
        return (Path(base) if base else Path.home() / ".cache").absolute() / "tinykit"
    except RuntimeError as error:
        raise ToolError("there is no home folder for a cache", hint=SET_CACHE) from error


def prepare_core() -> Path:
    """Return PlatformIO's core folder, laid out.

    Raises:
        ToolError: platformio or scons is not installed, they do not fit each other, or the folder
            cannot be written.
    """
    check_installed()
    core = cache_folder() / "platformio"
    try:
        scons = metadata.version("scons")
        _place(core, Path("packages", "tool-scons"), _lay_out_scons, scons)
        source = folder("firmware") / "platformio" / PLATFORM
        _place(core, Path("platforms", PLATFORM), _copier(source), _fingerprint(source))
    except OSError as error:
        name = printable(str(error.filename or core))
        raise ToolError(f"cannot write {name}: {error.strerror}", hint=SET_CACHE) from error
    return core


def check_installed() -> None:
    """Check that platformio and scons are installed and fit each other.

    Raises:
        ToolError: they do not; the hint is the command that helps.
    """
    for module, package in (("platformio", "platformio"), ("SCons", "scons")):
        if util.find_spec(module) is None:
            raise ToolError(f"the Python package {package} is not installed", hint=INSTALL)
    wanted = import_module("platformio.dependencies").get_core_dependencies()["tool-scons"]
    versions = import_module("semantic_version")
    installed = metadata.version("scons")
    package = scons_package_version(installed)
    if not versions.SimpleSpec(wanted).match(versions.Version(package)):
        raise ToolError(
            f"PlatformIO {metadata.version('platformio')} wants tool-scons {wanted}, "
            f"and the installed SCons {printable(installed)} is {package}",
            hint=_install_scons(wanted),
        )


def scons_package_version(version: str) -> str:
    """Return the version of the `tool-scons` package that holds SCons `version`, e.g. 4.11.1."""
    parts = [int(part) for part in re.findall(r"\d+", version)[:3]]
    major, minor, patch = [*parts, 0, 0, 0][:3]
    return f"{major}.{major}{minor:02d}{patch:02d}.0"


def _install_scons(requirement: str) -> str:
    """Return the command that brings the SCons that a requirement such as ~4.41101.0 means."""
    match = re.fullmatch(r"[~^=]*(\d+)\.\1(\d+)(\d\d)\.\d+", requirement)
    if match is None:
        return INSTALL
    return f"pip install 'scons=={match[1]}.{int(match[2])}.{int(match[3])}'"


def _place(core: Path, where: Path, make: Callable[[Path], None], fingerprint: str) -> None:
    """Make a folder anew unless it bears the fingerprint; others may do the same at once.

    It is made elsewhere and then renamed: who reads it sees all of it, the old one or the new.
    """
    target = core / where
    if _bears(target, fingerprint):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with _locked(core / ".tinykit.lock"):
        if _bears(target, fingerprint):
            return  # another process was quicker
        staging = Path(tempfile.mkdtemp(dir=core, prefix=".staging."))
        try:
            new = staging / "new"
            new.mkdir()
            make(new)
            (new / _MARK).write_text(fingerprint)
            if target.exists():
                target.rename(staging / "old")
            new.rename(target)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def _bears(target: Path, fingerprint: str) -> bool:
    try:
        return (target / _MARK).read_text() == fingerprint
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that the system takes back when this process ends, however it ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
