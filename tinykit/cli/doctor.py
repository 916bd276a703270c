# SPDX-License-Identifier: Apache-2.0
"""`tinykit doctor`: what is installed, what is missing, and the command that brings it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tinykit.cli.options import deliver, format_option, output_option

if TYPE_CHECKING:
    from tinykit.toolchain.inventory import Purpose

EXIT_NO = 4


@click.command("doctor", short_help="What is installed, what is missing.")
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["fit", "build", "flash", "verify", "measure"]),
    help="Judge only what this needs.",
)
@format_option
@output_option
def command(purpose: Purpose | None, face: str, output: Path | None) -> int:
    """Say what is installed of what tinykit runs, and the command that brings what is not.

    With --for, exit code 4 when something is missing that it needs.
    """
    from tinykit.report.doctor import doctor_document, doctor_json
    from tinykit.report.text import text
    from tinykit.tflm import COMMIT
    from tinykit.toolchain.inventory import lacking, survey

    items = survey(COMMIT)
    if face == "json":
        deliver(doctor_json(items, purpose), output)
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        deliver(text(doctor_document(items, purpose), width), output)
    return EXIT_NO if purpose is not None and lacking(items, purpose) else 0
