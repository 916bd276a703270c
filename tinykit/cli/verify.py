# SPDX-License-Identifier: Apache-2.0
"""`tinykit verify`: a board's outputs against the reference, bit for bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from tinykit.cli.options import deliver, format_option, model_argument
from tinykit.errors import ToolError, UsageError
from tinykit.sanitise import printable

if TYPE_CHECKING:
    from tinykit.measure.comparison import Difference
    from tinykit.measure.protocol import Dut
    from tinykit.model.graph import Graph

EXIT_NO = 4
_ICOUNT_SHIFT = 6
_INFERENCE_SECONDS = 300.0


@click.command("verify", short_help="Board against reference, bit for bit.")
@model_argument
@click.option("--board", help="An emulated board: builds the model's firmware and runs it in QEMU.")
@click.option("--port", help="A board that runs the model's firmware: device path or pyserial URL.")
@click.option("--baud", type=click.IntRange(1200, 12_000_000), default=115_200, show_default=True)
@click.option("--vectors", type=click.IntRange(1, 1000), default=5, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the input vectors.")
@click.option("--tflm", type=click.Path(path_type=Path), help="TFLM source tree to build from.")
@format_option
def command(
    model: Path,
    board: str | None,
    port: str | None,
    baud: int,
    vectors: int,
    seed: int,
    tflm: Path | None,
    face: str,
) -> int:
    """Run MODEL on a board with seeded inputs and hold its outputs against tflite-micro.

    Exit code 0 when every byte is the same, 4 when one differs, 6 when the board is silent.
    """
    from tinykit.codegen.vectors import seeded_input
    from tinykit.model.reader import read_model
    from tinykit.model.source import read_bytes

    if (board is None) == (port is None):
        raise click.UsageError("name either --board or --port")
    data = read_bytes(model)
    graph = read_model(data)
    given = [seeded_input(graph, seed + k) for k in range(vectors)]
    wanted = _reference(data, graph, given)
    with _device(model, board, port, baud, tflm) as dut:
        info = dut.info()
        _check_model(info.get("model-sha256", ""), graph.sha256)
        apart = _compare(dut, given, wanted)
    return _report(model.name, board or port or "", vectors, apart, info, face)


def _reference(data: bytes, graph: Graph, given: list[bytes]) -> list[bytes]:
    from tinykit.toolchain.reference import (
        MISSING,
        ReferenceFailedError,
        available,
        reference_outputs,
    )

    if not available():
        raise ToolError(MISSING)
    main = graph.main
    try:
        return reference_outputs(
            data,
            given,
            inputs=len(main.inputs),
            outputs=len(main.outputs),
            arena_bytes=8 << 20,
        )
    except ReferenceFailedError as error:
        raise ToolError(printable(str(error), limit=400)) from error


@contextmanager
def _device(
    model: Path, board: str | None, port: str | None, baud: int, tflm: Path | None
) -> Iterator[Dut]:
    """Hand out a board that answers: the one at a port, or an emulated one made for the model."""
    from tinykit.measure.link import open_link
    from tinykit.measure.protocol import Dut

    if port is not None:
        with open_link(port, baud=baud) as link:
            dut = Dut(link)
            dut.hello()
            yield dut
        return
    assert board is not None
    from tinykit.toolchain.qemu import MACHINES, machine

    if board not in MACHINES:
        raise UsageError(
            f"{printable(board)} is not an emulated board",
            hint=f"one of {', '.join(MACHINES)}; a real board is reached by --port",
        )
    with TemporaryDirectory(prefix="tinykit-") as folder:
        program = _build(model, board, tflm, Path(folder) / "project")
        with (
            machine(board, program, icount_shift=_ICOUNT_SHIFT) as running,
            open_link(running.url) as link,
        ):
            dut = Dut(link)
            dut.hello(60)
            yield dut


def _build(model: Path, board: str, tflm: Path | None, project: Path) -> Path:
    from tinykit.cli.build import build_image
    from tinykit.cli.generate import write_project
    from tinykit.estimate.fit import Setup

    tree = tflm or (Path(os.environ["TINYKIT_TFLM"]) if os.environ.get("TINYKIT_TFLM") else None)
    if tree is None:
        raise UsageError(
            "building the firmware needs a TFLM source tree", hint="set TINYKIT_TFLM or --tflm"
        )
    arena, refused = write_project([model], board, project, Setup(), str(tree), force=False)
    if arena is None:
        raise UsageError(f"no firmware for {board}: {'; '.join(refused)}")
    return build_image(project, "performance", online=False, verbose=False)


def _check_model(found: str, wanted: str) -> None:
    if found != wanted:
        raise UsageError(
            f"the board runs another model (sha256 {printable(found)[:12]}…, not {wanted[:12]}…)",
            hint="flash the firmware of this model",
        )


def _compare(dut: Dut, given: list[bytes], wanted: list[bytes]) -> list[Difference]:
    from tinykit.measure.comparison import first_difference

    apart = []
    for k, (vector, reference) in enumerate(zip(given, wanted, strict=True)):
        dut.load(vector)
        dut.infer(_INFERENCE_SECONDS)
        difference = first_difference(k, dut.outputs(), reference)
        if difference is not None:
            apart.append(difference)
        click.echo(f"\rvector {k + 1} of {len(given)}", nl=False, err=True)
    click.echo("", err=True)
    return apart


def _report(
    name: str,
    where: str,
    vectors: int,
    apart: list[Difference],
    info: object,
    face: str,
) -> int:
    from dataclasses import asdict

    if face == "json":
        from tinykit.report.json import document

        result = {
            "same": not apart,
            "vectors": vectors,
            "differences": [asdict(d) for d in apart],
            "board": info,
        }
        deliver(document("tinykit.verify", {"model": {"name": name}, "board": where}, result), None)
    elif not apart:
        click.echo(f"{printable(name)} on {printable(where)}: SAME BITS, {vectors} vectors")
    else:
        click.echo(f"{printable(name)} on {printable(where)}: DIFFERENT in {len(apart)} vectors")
        for d in apart[:5]:
            click.echo(
                f"  vector {d.vector}: {d.bytes} bytes differ, first at {d.offset}: "
                f"board {d.board:02x}, reference {d.reference:02x}"
            )
    return EXIT_NO if apart else 0
