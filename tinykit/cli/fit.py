# SPDX-License-Identifier: Apache-2.0
"""`tinykit fit`: does a model fit a board, and if not, what to change."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tinykit.cli.options import (
    byte_count,
    deliver,
    format_option,
    lenient_option,
    model_argument,
    output_option,
)

if TYPE_CHECKING:
    from tinykit.estimate.fit import Analysis, Fit, Setup

EXIT_NO = 4


@click.command("fit", short_help="Say whether a model fits a board.")
@model_argument
@click.option(
    "--board",
    required=True,
    help="Name of a board (see `tinykit boards`), path of a board file, or `all` for a table.",
)
@click.option(
    "--kernels",
    type=click.Choice(["auto", "reference", "cmsis-nn", "esp-nn"]),
    default="auto",
    show_default=True,
    help="Kernel library of the firmware; auto takes the one that suits the core.",
)
@click.option(
    "--build",
    type=click.Choice(["release", "default"]),
    default="release",
    show_default=True,
    help="release strips error strings and assertions (NDEBUG, TF_LITE_STRIP_ERROR_STRINGS).",
)
@click.option(
    "--registrations",
    type=click.Choice(["int8", "generic"]),
    default="int8",
    show_default=True,
    help="int8 links INT8-only kernels where the model's types allow.",
)
@click.option(
    "--stack",
    default="4096",
    show_default=True,
    callback=byte_count,
    metavar="BYTES",
    help="Stack that the firmware sets aside.",
)
@click.option(
    "--reserve-ram",
    default="0",
    callback=byte_count,
    metavar="BYTES",
    help="RAM that the rest of the application needs.",
)
@click.option(
    "--reserve-flash",
    default="0",
    callback=byte_count,
    metavar="BYTES",
    help="Flash that the rest of the application needs.",
)
@lenient_option
@format_option
@output_option
def command(
    model: Path,
    board: str,
    kernels: Literal["auto", "reference", "cmsis-nn", "esp-nn"],
    build: Literal["release", "default"],
    registrations: Literal["int8", "generic"],
    stack: int,
    reserve_ram: int,
    reserve_flash: int,
    lenient: bool,
    face: str,
    output: Path | None,
) -> int:
    """Say whether MODEL fits a board: arena to allocate, flash, the peak, what to change.

    Exit code 0 when it fits, 4 when it does not fit or cannot run, 3 when the file is damaged.
    """
    from tinykit.board import find_board
    from tinykit.estimate.fit import Analysis, Setup, fit_analysis
    from tinykit.model.reader import read_model_file

    setup = Setup(kernels, build, registrations, stack, reserve_ram, reserve_flash)
    known = None if board == "all" else find_board(board)
    analysis = Analysis.of(read_model_file(model, lenient=lenient))
    for note in analysis.graph.notes:
        click.echo(f"note: {note}", err=True)
    if known is None:
        return _table(model.name, analysis, setup, face, output)
    result = fit_analysis(analysis, known, setup)
    if face == "json":
        from tinykit.report.fit_json import fit_json

        deliver(fit_json(model.name, result), output)
    else:
        from tinykit.report.fit import fit_document
        from tinykit.report.text import text

        others = _to_buy(_elsewhere(analysis, setup)) if result.verdict == "does-not-fit" else []
        width = shutil.get_terminal_size((100, 24)).columns
        deliver(text(fit_document(model.name, result, others), width), output)
    return 0 if result.verdict == "fits" else EXIT_NO


def _elsewhere(analysis: Analysis, setup: Setup) -> list[Fit]:
    """Return the fits of the model on every board of the collection."""
    from tinykit.board import list_boards
    from tinykit.estimate.fit import fit_analysis

    return [fit_analysis(analysis, board, setup) for board in list_boards()]


def _to_buy(boards: list[Fit]) -> list[Fit]:
    """Return the fits on real boards: nobody ships a product on an emulator."""
    return [f for f in boards if f.board.core != "host" and not f.board.id.startswith("qemu-")]


def _table(name: str, analysis: Analysis, setup: Setup, face: str, output: Path | None) -> int:
    fits = _elsewhere(analysis, setup)
    if face == "json":
        from tinykit.report.fit_json import table_json

        deliver(table_json(name, analysis.graph, fits), output)
    else:
        from tinykit.report.fit import table_document
        from tinykit.report.text import text

        deliver(
            text(table_document(name, fits), shutil.get_terminal_size((100, 24)).columns), output
        )
    return 0 if any(f.verdict == "fits" for f in fits) else EXIT_NO
