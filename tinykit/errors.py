# SPDX-License-Identifier: Apache-2.0
"""Every error that tinykit raises on purpose; nothing of tinykit above this file.

An error owns its exit code, so the mapping from failure to process status lives here alone. The
message names the thing at fault and, where two figures disagree, both with their unit; the hint is
one next action.
"""

from __future__ import annotations

from typing import ClassVar


class TinykitError(Exception):
    """Root of every error with a known cause.

    Args:
        message: one or two sentences that name the thing at fault.
        hint: one next action for the reader, or None.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(TinykitError):
    """The call itself is wrong: an unknown board, an option out of its range."""

    code = "usage"
    exit_code = 2


class InputError(TinykitError):
    """A file or a stream from outside is not what it must be."""

    code = "bad-input"
    exit_code = 3


class ModelError(InputError):
    """A `.tflite` file is damaged or breaks the format.

    Args:
        message: names the table and field at fault.
        offset: byte offset in the file, or None where there is no single place.
        hint: one next action.
    """

    code = "bad-model"

    def __init__(self, message: str, *, offset: int | None = None, hint: str | None = None) -> None:
        place = "" if offset is None else f" (at byte {offset})"
        super().__init__(f"{message}{place}", hint=hint)
        self.offset = offset


class BoardError(InputError):
    """A board file is damaged, incomplete or contradicts itself."""

    code = "bad-board"


class PlanError(InputError):
    """Buffers or a memory plan break their own rules."""

    code = "bad-plan"


class ToolError(TinykitError):
    """Another program is missing or failed."""

    code = "tool"
    exit_code = 5


class BoardSilentError(TinykitError):
    """A board did not answer, or not what the protocol says."""

    code = "board-silent"
    exit_code = 6
