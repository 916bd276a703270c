# SPDX-License-Identifier: Apache-2.0
"""`tinykit generate`: a PlatformIO project that runs models on a board."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tinykit.errors import UsageError
from tinykit.sanitise import printable

if TYPE_CHECKING:
    from tinykit.board import Board
    from tinykit.codegen.project import Golden, Model
    from tinykit.estimate.fit import Fit, Setup
    from tinykit.tflm.shared import SharedArena

EXIT_NO = 4


@click.command("generate", short_help="Write a PlatformIO firmware project.")
@click.argument("models", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--board", required=True, help="Name of a board, or path of a board file.")
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder of the project."
)
@click.option(
    "--kernels",
    type=click.Choice(["auto", "reference", "cmsis-nn"]),
    default="auto",
    show_default=True,
    help="Kernel library; auto takes the one that suits the core.",
)
@click.option(
    "--build", type=click.Choice(["release", "default"]), default="release", show_default=True
)
@click.option(
    "--registrations",
    type=click.Choice(["int8", "generic"]),
    default="int8",
    show_default=True,
    help="int8 links INT8-only kernels where the models' types allow.",
)
@click.option(
    "--tflm",
    type=click.Path(path_type=Path),
    help="TFLM source tree to write into platformio.ini; TINYKIT_TFLM comes first when building.",
)
@click.option("--force", is_flag=True, help="Replace the files that tinykit wrote there before.")
def command(
    models: tuple[Path, ...],
    board: str,
    output: Path,
    kernels: Literal["auto", "reference", "cmsis-nn"],
    build: Literal["release", "default"],
    registrations: Literal["int8", "generic"],
    tflm: Path | None,
    force: bool,
) -> int:
    """Write a PlatformIO project that runs MODELS on a board; several share one arena.

    Exit code 4 when a model cannot run or does not fit; nothing is written then.
    """
    from tinykit.estimate.fit import Setup

    setup = Setup(kernels=kernels, build=build, registrations=registrations)
    tree = _tree_path(tflm)
    arena, refused = write_project(models, board, output, setup, tree, force=force)
    if arena is None:
        for line in refused:
            click.echo(line)
        return EXIT_NO
    where = printable(str(output))
    click.echo(f"wrote a project to {where}")
    click.echo(f"arena {arena.needed:,} B (arena_used_bytes() will report {arena.used:,} B)")
    click.echo(f"next: tinykit build {where}")
    return 0


def write_project(
    models: Sequence[Path], board: str, output: Path, setup: Setup, tree: str, *, force: bool
) -> tuple[SharedArena | None, list[str]]:
    """Write a project and return its arena; or None and the reasons why there is none.

    Raises:
        TinykitError: a model, a board or the folder is not what it must be.
    """
    from tinykit.board import find_board
    from tinykit.codegen.ports import find_port
    from tinykit.codegen.project import MANIFEST, project
    from tinykit.toolchain.tree import write_tree

    target = find_board(board)
    port = find_port(target)
    made = [_model(path, target, setup) for path in models]
    arena = _arena(made)
    refused = _refusals(made, arena)
    if refused or arena is None:
        return None, refused
    write_tree(project(target, port, made, arena, tree), output, MANIFEST, force=force)
    return arena, []


def _model(path: Path, board: Board, setup: Setup) -> Model:
    from tinykit.codegen.project import Model
    from tinykit.estimate.fit import fit
    from tinykit.model.reader import read_model
    from tinykit.model.source import read_bytes

    data = read_bytes(path)
    graph = read_model(data)
    result = fit(graph, board, setup)
    return Model(path.stem, data, result, _golden(data, result))


def _golden(data: bytes, result: Fit) -> tuple[Golden, ...]:
    """Return one test vector, none where no reference is at hand or the model does not run."""
    from tinykit.codegen.project import Golden
    from tinykit.codegen.vectors import seeded_input
    from tinykit.toolchain.reference import (
        MISSING,
        ReferenceFailedError,
        available,
        reference_outputs,
    )

    if result.verdict == "cannot-run" or result.arena is None:
        return ()
    if not available():
        click.echo(f"note: no golden vector: {MISSING}", err=True)
        return ()
    graph, vector = result.graph, seeded_input(result.graph, 1)
    main = graph.main
    try:
        (wanted,) = reference_outputs(
            data,
            [vector],
            inputs=len(main.inputs),
            outputs=len(main.outputs),
            arena_bytes=result.arena.needed,
        )
    except ReferenceFailedError as error:
        click.echo(f"note: no golden vector: {printable(str(error))}", err=True)
        return ()
    return (Golden(vector, wanted),)


def _arena(models: list[Model]) -> SharedArena | None:
    from tinykit.tflm.shared import shared_arena

    first = models[0].result
    if any(m.result.arena is None for m in models):
        return None
    return shared_arena([m.result.graph for m in models], first.kernels, first.board.cmsis_nn_isa)


def _refusals(models: list[Model], arena: SharedArena | None) -> list[str]:
    """Return why there is nothing to generate, [] when there is."""
    from tinykit.estimate.firmware import firmware_cost

    lines = []
    for model in models:
        name, result = model.name, model.result
        if result.verdict == "cannot-run":
            errors = [f for f in result.findings if f.severity == "error"]
            lines.append(f"{printable(name)} cannot run: {printable(errors[0].message, limit=300)}")
        elif result.verdict == "does-not-fit":
            lines.append(f"{printable(name)} does not fit {result.board.id}: see tinykit fit")
    board, ram = models[0].result.board, models[0].result.ram
    if not lines and arena is not None and ram is not None:
        buffer = firmware_cost([m.result.graph for m in models], 0).input_buffer_bytes
        total = ram.total_bytes - ram.arena_bytes + arena.needed + buffer
        if total > ram.bank.size_bytes:
            lines.append(
                f"the firmware needs {total:,} B of RAM, {buffer:,} B of it for the inputs that a "
                f"host loads; {board.id} has {ram.bank.size_bytes:,} B in one bank"
            )
    return lines


def _tree_path(tflm: Path | None) -> str:
    """Return the path for platformio.ini; warn where no tree is named anywhere.

    Raises:
        UsageError: the path is no folder, or cannot stand in an ini file.
    """
    if tflm is None:
        if not os.environ.get("TINYKIT_TFLM"):
            click.echo(
                "warning: no TFLM source tree is named; building needs one: set TINYKIT_TFLM to a "
                "checkout of tensorflow/tflite-micro with its third-party downloads",
                err=True,
            )
        return ""
    path = str(tflm.absolute())
    if not tflm.is_dir():
        raise UsageError(f"{printable(path)} is not a folder", hint="name a TFLM source tree")
    if not path.isprintable() or any(c in path for c in ";#$\n"):
        raise UsageError("the path of the TFLM tree cannot stand in platformio.ini")
    return path
