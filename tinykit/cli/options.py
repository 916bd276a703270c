# SPDX-License-Identifier: Apache-2.0
"""Options that mean the same for every verb, and the one way a result leaves the program."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tinykit.errors import UsageError
from tinykit.sanitise import printable

Command = TypeVar("Command", bound=Callable[..., Any])

model_argument = click.argument("model", type=click.Path(path_type=Path))
format_option = click.option(
    "--format",
    "face",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for a person, JSON for a program.",
)
output_option = click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write to this file, not the terminal."
)
lenient_option = click.option(
    "--lenient",
    is_flag=True,
    help="Read on past a wrong file identifier or schema version, with a warning.",
)


def byte_count(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """Return the bytes that `value` states: a whole number, alone or with k, KiB, M or MiB."""
    text = value.strip().lower().removesuffix("b").removesuffix("i").strip()
    factor = {"k": 1024, "m": 1024 * 1024}.get(text[-1:], 1)
    digits = text[:-1] if factor > 1 else text
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 12):
        raise click.BadParameter(
            f"{printable(value, limit=40)!r} is not a size such as 4096 or 16k"
        )
    return int(digits) * factor


def _write_whole(output: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(output)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def deliver(text: str, output: Path | None) -> None:
    """Print `text`, or write it to `output` as a whole or not at all.

    Raises:
        UsageError: the file cannot be written there.
    """
    if output is None:
        try:
            click.echo(text.removesuffix("\n"))
        except BrokenPipeError:
            # The reader went away (`| head`): no error, and nothing for Python to flush at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except OSError as error:
            raise UsageError(f"cannot write the result: {error.strerror}") from error
        return
    plain = click.unstyle(text).removesuffix("\n") + "\n"
    try:
        if output.exists() and not output.is_file() and not output.is_dir():
            # A device or a pipe: written into, never replaced by a file.
            with output.open("w", encoding="utf-8") as device:
                device.write(plain)
        else:
            _write_whole(output, plain)
    except OSError as error:
        name = printable(str(output))
        raise UsageError(
            f"cannot write {name}: {error.strerror}", hint="name a file in a folder you can write"
        ) from error
