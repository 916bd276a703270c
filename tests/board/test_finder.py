# SPDX-License-Identifier: Apache-2.0
"""From a name to a board: ids, aliases, PlatformIO ids, paths, and names that nothing owns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tinykit.board import aliases_of, find_board, list_boards, search_boards
from tinykit.board.catalogue import catalogue_ids
from tinykit.errors import BoardError, UsageError
from tinykit.resources import folder


@pytest.mark.parametrize(
    ("name", "board_id"),
    [
        ("nano33ble", "nano33ble"),
        ("NANO33BLE", "nano33ble"),
        (" pico ", "pico"),
        ("nucleo_l4r5zi", "nucleo-l4r5zi"),
        ("disco_f746ng", "disco-f746ng"),
        ("esp32dev", "esp32-devkit"),
        ("SparkFun_Edge_Development_Board", "sparkfun-edge"),
        ("rpipico2", "pico2"),
        ("qemu_cortex_m4", "qemu-cortex-m4"),
        ("bluepill_f103c8", "bluepill_f103c8"),
        ("BLUEPILL_F103C8", "bluepill_f103c8"),
        ("genericstm32f407vet6", "genericSTM32F407VET6"),
    ],
)
def test_names(name: str, board_id: str) -> None:
    assert find_board(name).id == board_id


def test_a_path_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes((folder("boards") / "pico.toml").read_bytes())
    assert find_board(str(path)).id == "mine"


def test_a_broken_file_is_a_board_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("name = 1", encoding="utf-8")
    with pytest.raises(BoardError):
        find_board(str(path))


@pytest.mark.parametrize(
    "name",
    ["", "  ", "../pico", "x" * 100_000, "a\0b", "a\0/b", "/x" * 5000, "\ud800", ".toml", "..", "é",
     "pico\n", "index.toml", "a/" + "b" * 5000, "README", "aliases.csv", "con:"],
)  # fmt: skip
def test_hostile_names(name: str) -> None:
    if name == "pico\n":
        assert find_board(name).id == "pico"
        return
    with pytest.raises(UsageError) as caught:
        find_board(name)
    assert caught.value.exit_code == 2
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 300
    assert len(caught.value.hint or "") < 300


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("nucleo_l4r5z", "nucleo_l4r5zi"),
        ("nano33", "nano33ble"),
        ("cortexm4", "cortex-m4"),
        ("teensy4.1", "teensy-4.1"),
        ("disco-f764ng", "disco-f746ng"),
        ("esp32-c6", "esp32-c6-devkitc-1"),
    ],
)
def test_did_you_mean(name: str, suggestion: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_board(name)
    hint = caught.value.hint or ""
    assert f"did you mean {suggestion}" in hint or f", {suggestion}" in hint
    assert hint.count(",") <= 2


def test_a_curated_board_reads_no_other_file(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    open_path = Path.open

    def spy(self: Path, *args: object, **kwargs: object) -> object:
        opened.append(self.name)
        return open_path(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", spy)
    find_board("cortex-m7")
    assert opened == ["cortex-m7.toml"]


def test_list_is_sorted_and_names_itself() -> None:
    ids = [board.id for board in list_boards()]
    assert ids == sorted(ids)
    assert len(ids) >= 39
    assert all(find_board(board_id).id == board_id for board_id in ids)


def test_aliases_of() -> None:
    assert aliases_of("nucleo-l4r5zi")[0] == "nucleo_l4r5zi"
    assert aliases_of("ek-ra6m4") == ()


def test_search_takes_every_word_and_puts_curated_boards_first() -> None:
    found = search_boards("Cortex-M7 ST")
    assert all(board.core == "cortex-m7" for board in found)
    checked = [board.checked for board in found]
    assert checked == sorted(checked, reverse=True)
    assert {"disco-f746ng", "nucleo_h753zi"} <= {board.id for board in found}
    assert search_boards("no such thing at all") == ()


def test_search_of_nothing_covers_everything_once() -> None:
    ids = [board.id.casefold() for board in search_boards("")]
    assert len(ids) == len(set(ids))
    covered = sum(not find_board(i).checked for i in catalogue_ids())
    assert len(ids) == len(list_boards()) + covered
