# SPDX-License-Identifier: Apache-2.0
"""`tinykit boards`: list the boards, search them, or show one with the source of each fact."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from tinykit.cli.options import deliver, format_option, output_option

EXIT_NO = 4


@click.command("boards", short_help="List, search and show boards.")
@click.argument("words", nargs=-1)
@click.option("--show", is_flag=True, help="Show one board with the source of each fact.")
@format_option
@output_option
def command(words: tuple[str, ...], show: bool, face: str, output: Path | None) -> int:
    """List the boards that tinykit knows, or those in which all WORDS occur.

    A search also looks through the PlatformIO boards, which are marked "not checked". Exit code 4
    when nothing matches.
    """
    from tinykit.board import find_board, list_boards, search_boards
    from tinykit.report import boards as report
    from tinykit.report.text import text

    width = shutil.get_terminal_size((100, 24)).columns
    if show:
        if len(words) != 1:
            raise click.UsageError("--show takes the name of one board")
        board = find_board(words[0])
        one = (
            report.board_json(board)
            if face == "json"
            else text(report.board_document(board), width)
        )
        deliver(one, output)
        return 0
    found = search_boards(" ".join(words)) if words else list_boards()
    if face == "json":
        deliver(report.boards_json(words, found), output)
    else:
        deliver(text(report.boards_document(words, found), width), output)
    return 0 if found else EXIT_NO
