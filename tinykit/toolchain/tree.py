# SPDX-License-Identifier: Apache-2.0
"""Writes a generated project to disk without harming what somebody else put there.

A folder that tinykit wrote holds a manifest with the hash of each of its files. Only a file that is
listed there, and still has that hash, is ever replaced or removed.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath

from tinykit.errors import UsageError
from tinykit.sanitise import printable

_MOST_MANIFEST_BYTES = 4 << 20


def write_tree(files: Mapping[str, bytes], target: Path, manifest: str, *, force: bool) -> None:
    """Write `files` below `target`, all of them or none where the folder is new.

    Args:
        files: POSIX paths relative to the folder -> bytes; the manifest is one of them.
        manifest: path of the manifest, with a `files` table of hashes.
        force: replace what an earlier run wrote there.

    Raises:
        UsageError: the folder is not empty and not tinykit's, or a file in it is somebody's work,
            or nothing can be written there.
    """
    for path in files:
        _check(path)
    try:
        if not target.exists() or (target.is_dir() and not any(target.iterdir())):
            _write_new(files, target)
        else:
            _replace(files, target, manifest, force)
    except OSError as error:
        name = printable(str(error.filename or target))
        raise UsageError(
            f"cannot write {name}: {error.strerror}", hint="name a folder that you can write"
        ) from error


def _check(path: str) -> None:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or not pure.parts:
        raise UsageError(f"{printable(path)!r} would lie outside the project folder")


def _write_new(files: Mapping[str, bytes], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        for path, data in files.items():
            _write(staging, path, data)
        staging.chmod(0o755)
        if target.exists():
            target.rmdir()
        staging.rename(target)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _replace(files: Mapping[str, bytes], target: Path, manifest: str, force: bool) -> None:
    name = printable(str(target))
    owned = _owned(target / manifest)
    if owned is None:
        raise UsageError(
            f"{name} is not empty and tinykit did not write it", hint="name a new folder with -o"
        )
    if not force:
        raise UsageError(
            f"{name} holds a project already", hint="--force replaces the files that tinykit wrote"
        )
    stale = [path for path in owned if path not in files]
    for path in [*files, *stale]:
        if path != manifest and _is_somebodys(target, path, owned):
            raise UsageError(
                f"{printable(path)} in {name} was changed or is not tinykit's",
                hint="move it away, or generate into a new folder",
            )
    for path in stale:
        (target / path).unlink(missing_ok=True)
    for path, data in files.items():
        _write(target, path, data)


def _owned(manifest: Path) -> dict[str, str] | None:
    """Return path -> hash of what tinykit wrote, None where there is no manifest to say so."""
    try:
        if manifest.is_symlink() or manifest.stat().st_size > _MOST_MANIFEST_BYTES:
            return None
        document = json.loads(manifest.read_text(encoding="utf-8"))
        files = document["files"] if document["schema"] == "tinykit.project" else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(files, dict) or not all(isinstance(v, str) for v in files.values()):
        return None
    for path in files:
        _check(path)
    return files


def _is_somebodys(target: Path, path: str, owned: Mapping[str, str]) -> bool:
    """Return whether a file is there that must not be touched."""
    for parent in [target / p for p in PurePosixPath(path).parents if p.parts]:
        if parent.is_symlink():
            return True
    file = target / path
    if not (file.exists() or file.is_symlink()):
        return False
    if file.is_symlink() or not file.is_file():
        return True
    return sha256(file.read_bytes()).hexdigest() != owned.get(path)


def _write(root: Path, path: str, data: bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
