# SPDX-License-Identifier: Apache-2.0
"""`tinykit boards`."""

from __future__ import annotations

import json

from tests.cli.program import Run


def test_list_names_the_generic_cores(run: Run) -> None:
    done = run("boards")
    assert done.code == 0
    for core in ("m0plus", "m3", "m4", "m7", "m33", "m55", "m85"):
        assert f"cortex-{core}" in done.out


def test_search_marks_the_catalogue(run: Run) -> None:
    found = json.loads(run("boards", "1bitsy", "--format", "json").out)["result"]["boards"]
    assert [(b["name"], b["checked"]) for b in found] == [("1bitsy_stm32f415rgt", False)]


def test_nothing_found_is_4(run: Run) -> None:
    done = run("boards", "no-such-board-anywhere")
    assert done.code == 4
    assert "no board with" in done.out


def test_show_names_a_source_per_memory(run: Run) -> None:
    board = json.loads(run("boards", "cortex-m7", "--show", "--format", "json").out)["result"]
    assert sum(r["size_bytes"] for r in board["regions"] if r["kind"] == "flash") == 1024 * 1024
    assert board["largest_ram_bytes"] == 320 * 1024
    assert all(r["source"] for r in board["regions"])


def test_show_of_an_unknown_board_suggests(run: Run) -> None:
    done = run("boards", "cortex-m77", "--show")
    assert done.code == 2
    assert "cortex-m7" in done.err
