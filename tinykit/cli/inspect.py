# SPDX-License-Identifier: Apache-2.0
"""`tinykit inspect`: what a model holds and what will go wrong with it on a device."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from tinykit.cli.options import (
    deliver,
    format_option,
    lenient_option,
    model_argument,
    output_option,
)

EXIT_NO = 4


@click.command("inspect", short_help="Show operators, tensors, quantization and findings.")
@model_argument
@click.option("--tensors", is_flag=True, help="List every tensor, not only inputs and outputs.")
@lenient_option
@format_option
@output_option
def command(model: Path, tensors: bool, lenient: bool, face: str, output: Path | None) -> int:
    """Show the operators, tensors and quantization of MODEL and what will go wrong on a device.

    Exit code 0 when TensorFlow Lite Micro can run it, 4 when it cannot, 3 when it is damaged.
    """
    from tinykit.model.cost import count_cost
    from tinykit.model.findings import find_problems
    from tinykit.model.reader import read_model_file

    graph = read_model_file(model, lenient=lenient)
    for note in graph.notes:
        click.echo(f"note: {note}", err=True)
    findings, cost = find_problems(graph), count_cost(graph)
    if face == "json":
        from tinykit.report.inspect_json import inspect_json

        deliver(inspect_json(model.name, graph, cost, findings), output)
    else:
        from tinykit.report.inspect import inspect_document
        from tinykit.report.text import text

        report = inspect_document(model.name, graph, cost, findings, tensors=tensors)
        deliver(text(report, shutil.get_terminal_size((100, 24)).columns), output)
    return EXIT_NO if any(f.severity == "error" and f.holds_with("") for f in findings) else 0
