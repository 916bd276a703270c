# SPDX-License-Identifier: Apache-2.0
"""The `tinykit` program: a group whose verbs load on demand, and the one map from error to exit.

Exit codes: 0 ok, 1 a bug, 2 usage, 3 bad input, 4 a valid question whose answer is no, 5 another
program failed, 6 the board did not answer, 7 the numbers are not trustworthy, 130 Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise

import click

from tinykit._version import __version__
from tinykit.errors import TinykitError
from tinykit.sanitise import printable

VERBS = {
    "fit": "Say whether a model fits a board: arena, flash, the peak, what to change.",
    "inspect": "Show operators, tensors, quantization and what will go wrong on a device.",
    "generate": "Write a PlatformIO firmware project with everything sized to the model.",
    "build": "Build a generated project and hold the image against the prediction.",
    "flash": "Build a generated project and put it on its board.",
    "verify": "Hold a board's outputs against the reference, bit for bit.",
    "boards": "List, search and show the boards that tinykit knows.",
    "doctor": "Say what is installed, what is missing and the command that brings it.",
}
"""Verb -> the line that `tinykit --help` prints; each lives in `tinykit/cli/<verb>.py`."""

EXIT_BUG = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


class _LazyGroup(click.Group):
    """Imports a verb's module only when that verb runs, so that `--help` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"tinykit.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {printable(args[0])!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tinykit")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
def cli(debug: bool) -> None:
    """Take a trained INT8 .tflite model to a microcontroller, with numbers that can be trusted."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and leave the process with its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]  # it may stand before or after the verb
    try:
        result = cli.main(words, prog_name="tinykit", standalone_mode=False)
        if sys.stdout is not None:  # None when the caller closed it
            sys.stdout.flush()
        code = result if isinstance(result, int) else 0
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except click.ClickException as error:
        code = _fail("usage", error.format_message(), _usage_hint(error), EXIT_USAGE, words)
    except TinykitError as error:
        code = _fail(error.code, error.message, error.hint, error.exit_code, words)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        code = EXIT_INTERRUPTED
    except Exception as error:
        if debug:
            raise
        text = f"unexpected {type(error).__name__}: {error}"
        code = _fail(
            "bug", text, "run again with --debug and report the traceback", EXIT_BUG, words
        )
    sys.exit(code)


def _usage_hint(error: click.ClickException) -> str | None:
    context = getattr(error, "ctx", None)
    return f"see '{context.command_path} --help'" if context is not None else None


def _fail(code: str, message: str, hint: str | None, exit_code: int, words: list[str]) -> int:
    """Report an error on stderr, and as JSON on stdout where JSON was asked for."""
    # Line by line: what another program printed last stays readable.
    message = "\n".join(printable(line, limit=2000) for line in message.splitlines()[:40])
    hint = printable(hint, limit=500) if hint else None
    if _wants_json(words):
        from tinykit.report.json import error_document

        click.echo(error_document(code, message, hint, exit_code))
    else:
        click.echo(click.style("error: ", fg="red", bold=True) + message, err=True)
        if hint:
            click.echo(f"  try: {hint}", err=True)
    return exit_code


def _wants_json(words: list[str]) -> bool:
    pairs = pairwise(words)
    return "--format=json" in words or ("--format", "json") in pairs
