# SPDX-License-Identifier: Apache-2.0
"""From what a user typed to a `Board`: curated file, alias, PlatformIO id, or a path.

A curated board costs one file: the others, the aliases and the catalogue are read only on a miss.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tinykit.board.board import Board
from tinykit.board.checks import shown
from tinykit.board.loader import load_board
from tinykit.errors import UsageError
from tinykit.resources import folder

MAX_ID_CHARS = 64
_ID = re.compile(r"[a-z0-9][a-z0-9.-]*")


def find_board(name: str) -> Board:
    """Return the board of that name.

    Args:
        name: an id or alias of a curated board or a PlatformIO board id, upper and lower case
            alike; or the path of a board file: it holds a slash or ends in `.toml`.

    Raises:
        UsageError: no such board or file; the hint offers up to three names that are close.
        BoardError: the file is not a valid board file.
    """
    if "/" in name or "\\" in name or name.casefold().endswith(".toml"):
        return _load_path(name)
    key = name.strip().casefold() if len(name) <= MAX_ID_CHARS else ""
    return _curated(key) or _aliased(key) or _catalogued(name.strip(), key) or _unknown(name)


def list_boards() -> tuple[Board, ...]:
    """Return every curated board, by id."""
    return tuple(load_board(path) for path in _files())


def aliases_of(board_id: str) -> tuple[str, ...]:
    """Return the other names of a curated board, in the order of `boards/aliases.csv`."""
    return tuple(alias for alias, owner in aliases().items() if owner == board_id)


def search_boards(text: str) -> tuple[Board, ...]:
    """Return the boards in whose id, name, vendor, MCU or core every word of `text` occurs.

    Curated boards come first, then those of the PlatformIO catalogue that no curated board covers.
    """
    from tinykit.board.catalogue import catalogue_board, catalogue_ids

    words = text.casefold().split()
    curated = [b for b in list_boards() if _holds(words, b.id, b.name, b.vendor, b.mcu, b.core)]
    taken = aliases().keys() | {path.stem for path in _files()}
    others = (
        catalogue_board(board_id)
        for board_id, (row, *_) in catalogue_ids().items()
        if board_id.casefold() not in taken
        and _holds(words, board_id, row["name"], row["vendor"], row["mcu"], row["core"])
    )
    return (*curated, *(board for board in others if board))


@cache
def aliases() -> dict[str, str]:
    """Return alias, in lower case -> id of a curated board."""
    lines = (folder("boards") / "aliases.csv").read_text(encoding="utf-8").splitlines()[1:]
    return {alias: board_id for alias, _, board_id in (line.partition(",") for line in lines)}


def _files() -> list[Path]:
    """Return the files of the curated boards, by id."""
    return sorted(folder("boards").glob("*.toml"))


def _holds(words: list[str], *texts: str) -> bool:
    """True when each word occurs in one of the texts."""
    text = "\n".join(texts).casefold()
    return all(word in text for word in words)


def _load_path(name: str) -> Board:
    """Return the board of a user's file."""
    path = Path(name)
    try:
        found = path.exists()
    except (OSError, ValueError):  # a name too long for the file system, or with a NUL in it
        found = False
    if not found:
        raise UsageError(
            f"board file {shown(name, 200)} does not exist",
            hint="give the path of a board file, or a name that `tinykit boards` lists",
        )
    return load_board(path)


def _curated(key: str) -> Board | None:
    """Return the curated board of that id."""
    if not _ID.fullmatch(key):
        return None
    path = folder("boards") / f"{key}.toml"
    return load_board(path) if path.is_file() else None


def _aliased(key: str) -> Board | None:
    """Return the curated board of that alias; `_` and `-` count alike."""
    owner = aliases().get(key) or aliases().get(key.replace("_", "-"))
    return _curated(owner or key.replace("_", "-"))


def _catalogued(name: str, key: str) -> Board | None:
    """Return the board of the PlatformIO catalogue: the exact id, else ignoring case."""
    from tinykit.board.catalogue import catalogue_board, catalogue_ids

    if not key:
        return None
    folded = {board_id.casefold(): board_id for board_id in catalogue_ids()}
    return catalogue_board(name) or catalogue_board(folded.get(key, ""))


def _unknown(name: str) -> Board:
    """Raise for a name that nothing answers to."""
    if not name.strip():
        raise UsageError("no board named", hint="`tinykit boards` lists the names")
    close = _close_names(name.strip().casefold()[:MAX_ID_CHARS])
    hint = f"did you mean {', '.join(close)}? " if close else ""
    raise UsageError(
        f"no board is called '{shown(name)}'", hint=f"{hint}`tinykit boards` lists them"
    )


def _close_names(key: str, most: int = 3) -> list[str]:
    """Return up to `most` names like `key`, no two of them for the same curated board.

    Names that begin with the key come first, the shortest first; then those with few differences.
    """
    from difflib import get_close_matches

    from tinykit.board.catalogue import catalogue_ids

    owners = {path.stem: path.stem for path in _files()} | aliases()
    names = [*owners, *(n for n in catalogue_ids() if n.casefold() not in owners)]
    begins = sorted((n for n in names if n.casefold().startswith(key)), key=len)
    found: dict[str, str] = {}
    for name in [*begins, *get_close_matches(key, names, n=4 * most)]:
        found.setdefault(owners.get(name, name), name)
    return list(found.values())[:most]
