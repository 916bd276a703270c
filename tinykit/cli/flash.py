# SPDX-License-Identifier: Apache-2.0
"""`tinykit flash`: build and upload a generated project."""

from __future__ import annotations

from pathlib import Path

import click

from tinykit.sanitise import printable


@click.command("flash", short_help="Build and upload a generated project.")
@click.argument("project", type=click.Path(path_type=Path))
@click.option(
    "--variant",
    type=click.Choice(["performance", "energy", "profile"]),
    default="performance",
    show_default=True,
)
@click.option("--port", help="Upload port; for a QEMU machine socket://127.0.0.1:PORT.")
@click.option("--online", is_flag=True, help="Let PlatformIO fetch what is not installed.")
@click.option("--verbose", is_flag=True, help="Show what PlatformIO prints.")
def command(project: Path, variant: str, port: str | None, online: bool, verbose: bool) -> int:
    """Build PROJECT and put it on its board; a QEMU machine is started with its serial on TCP.

    Exit code 5 when PlatformIO fails.
    """
    from tinykit.toolchain.platformio import run_platformio

    arguments = ["run", "-e", variant, "-t", "upload"]
    if port is not None:
        arguments += ["--upload-port", port]

    def show(line: str) -> None:
        if verbose:
            click.echo(line, err=True)

    run_platformio(project, arguments, online=online, on_line=show)
    click.echo(f"{printable(str(project))} is on the board ({variant} build)")
    return 0
