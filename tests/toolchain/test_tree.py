# SPDX-License-Identifier: Apache-2.0
"""Writing a project: whole or not at all, and never over somebody's work."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tinykit.errors import UsageError
from tinykit.toolchain.tree import write_tree

MANIFEST = "tinykit.json"


def _files(**contents: str) -> dict[str, bytes]:
    """Return files with a manifest; `a__b` stands for `a/b`."""
    files = {name.replace("__", "/"): text.encode() for name, text in contents.items()}
    hashes = {path: sha256(data).hexdigest() for path, data in files.items()}
    files[MANIFEST] = json.dumps({"schema": "tinykit.project", "files": hashes}).encode()
    return files


def _content(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): p.read_text()
        for p in folder.rglob("*")
        if p.is_file() and p.name != MANIFEST
    }


def test_new_folder_holds_exactly_the_files(tmp_path: Path) -> None:
    write_tree(_files(a="1", src__b="2"), tmp_path / "fw", MANIFEST, force=False)
    assert _content(tmp_path / "fw") == {"a": "1", "src/b": "2"}
    assert [p.name for p in tmp_path.iterdir()] == ["fw"]


def test_second_run_needs_force(tmp_path: Path) -> None:
    write_tree(_files(a="1"), tmp_path / "fw", MANIFEST, force=False)
    with pytest.raises(UsageError, match="holds a project already"):
        write_tree(_files(a="2"), tmp_path / "fw", MANIFEST, force=False)
    write_tree(_files(a="2"), tmp_path / "fw", MANIFEST, force=True)
    assert _content(tmp_path / "fw") == {"a": "2"}


def test_force_keeps_what_is_not_ours_and_drops_what_is_stale(tmp_path: Path) -> None:
    folder = tmp_path / "fw"
    write_tree(_files(a="1", old="x"), folder, MANIFEST, force=False)
    (folder / "mine").write_text("notes")
    write_tree(_files(a="2"), folder, MANIFEST, force=True)
    assert _content(folder) == {"a": "2", "mine": "notes"}


def test_edited_file_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "fw"
    write_tree(_files(a="1", b="1"), folder, MANIFEST, force=False)
    (folder / "b").write_text("edited")
    with pytest.raises(UsageError, match=r"b in .* was changed"):
        write_tree(_files(a="2", b="2"), folder, MANIFEST, force=True)
    assert _content(folder) == {"a": "1", "b": "edited"}


def test_foreign_folder_is_refused_even_by_force(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for force in (False, True):
        with pytest.raises(UsageError, match="tinykit did not write it"):
            write_tree(_files(a="1"), tmp_path, MANIFEST, force=force)


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a\\b", ""])
def test_paths_stay_in_the_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError, match="outside"):
        write_tree({path: b"x"}, tmp_path / "fw", MANIFEST, force=False)
    assert list(tmp_path.iterdir()) == []


def test_manifest_that_points_outside_deletes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "fw"
    write_tree(_files(a="1"), folder, MANIFEST, force=False)
    victim = tmp_path / "victim"
    victim.write_text("x")
    stated = {"../victim": sha256(b"x").hexdigest()}
    (folder / MANIFEST).write_text(json.dumps({"schema": "tinykit.project", "files": stated}))
    with pytest.raises(UsageError):
        write_tree(_files(a="2"), folder, MANIFEST, force=True)
    assert victim.read_text() == "x"


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "fw", tmp_path / "outside"
    write_tree(_files(src__a="1"), folder, MANIFEST, force=False)
    (folder / "src").rename(outside)
    (folder / "src").symlink_to(outside)
    with pytest.raises(UsageError):
        write_tree(_files(src__a="2"), folder, MANIFEST, force=True)
    assert (outside / "a").read_text() == "1"


def test_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot write"):
        write_tree(_files(a="1"), tmp_path / "file" / "fw", MANIFEST, force=False)
