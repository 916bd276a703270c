# SPDX-License-Identifier: Apache-2.0
"""`tinykit build`: compile a generated project and hold what was linked against the prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from tinykit.errors import InputError, ToolError
from tinykit.sanitise import printable

EXIT_NO = 4
_FLASH_TOLERANCE = 0.02


@click.command("build", short_help="Build a generated project, check its sizes.")
@click.argument("project", type=click.Path(path_type=Path))
@click.option(
    "--variant",
    type=click.Choice(["performance", "energy", "profile"]),
    default="performance",
    show_default=True,
    help="Which of the project's builds; profile counts the cycles of each operator.",
)
@click.option("--online", is_flag=True, help="Let PlatformIO fetch what is not installed.")
@click.option("--verbose", is_flag=True, help="Show what the compiler prints.")
def command(project: Path, variant: str, online: bool, verbose: bool) -> int:
    """Build PROJECT with PlatformIO and compare flash, static RAM and kernels with the prediction.

    Exit code 5 when the build fails, 4 when the linked image is not what was predicted.
    """
    manifest = _manifest(project)
    image = build_image(project, variant, online=online, verbose=verbose)
    from tinykit.toolchain.elf import read_image

    linked = read_image(image)
    return _compare(manifest, linked.flash_bytes, linked.static_ram_bytes, linked.symbols, variant)


def build_image(project: Path, variant: str, *, online: bool, verbose: bool) -> Path:
    """Build a project and return the linked firmware.

    Raises:
        ToolError: PlatformIO failed, or left no firmware.
    """
    from tinykit.toolchain.platformio import run_platformio

    compiled = 0

    def progress(line: str) -> None:
        nonlocal compiled
        if verbose:
            click.echo(line, err=True)
        elif line.startswith("Compiling"):
            compiled += 1
            click.echo(f"\rcompiling {compiled} files", nl=False, err=True)

    try:
        run_platformio(project, ["run", "-e", variant], online=online, on_line=progress)
    finally:
        if compiled:
            click.echo("", err=True)
    folder = project / ".pio" / "build" / variant
    for name in ("firmware.elf", "program"):
        if (folder / name).is_file():
            return folder / name
    raise ToolError(f"PlatformIO left no firmware in {printable(str(folder))}")


def _manifest(project: Path) -> dict[str, Any]:
    path = project / "tinykit.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] == "tinykit.project" and document["predicted"]:
            return dict(document)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise InputError(
        f"{printable(str(project))} is no project of tinykit's",
        hint="tinykit generate MODEL --board BOARD -o DIR writes one",
    )


def _compare(
    manifest: dict[str, Any], flash: int, static: int, symbols: frozenset[str], variant: str
) -> int:
    predicted = manifest["predicted"]
    wanted = int(predicted["flash_bytes"])
    off = flash / wanted - 1
    arena = int(manifest["arena"]["needed_bytes"])
    click.echo(f"{'':14}{'predicted':>12}{'linked':>12}")
    click.echo(f"{'flash':14}{wanted:>12,}{flash:>12,}   {off:+.1%}")
    own = int(predicted["static_bytes"])
    click.echo(f"{'static RAM':14}{own:>12,}{static - arena:>12,}   besides the arena")
    click.echo(f"{'arena':14}{arena:>12,}{arena:>12,}   checked on the board by tk-info")
    code = 0
    if variant == "performance" and abs(off) > _FLASH_TOLERANCE:
        click.echo(f"flash is {abs(off):.1%} from the prediction, more than {_FLASH_TOLERANCE:.0%}")
        code = EXIT_NO
    marks = predicted["symbols"]
    missing = [mark for mark in marks if not any(name.startswith(mark) for name in symbols)]
    if missing:
        click.echo(
            f"{manifest['kernels']} kernels were asked for, but none of {missing} was linked"
        )
        code = EXIT_NO
    if code == 0:
        click.echo("as predicted")
    return code
