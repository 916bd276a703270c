# SPDX-License-Identifier: Apache-2.0
"""Gets a file's bytes without being led astray: no devices, no pipes, no surprises in size."""

from __future__ import annotations

import stat
from pathlib import Path

from tinykit.errors import ModelError
from tinykit.sanitise import printable

LARGEST_FILE_BYTES = 1 << 30
"""Larger files are refused: no microcontroller holds them, and reading them takes the memory."""


def read_bytes(path: Path, *, most: int = -1) -> bytes:
    """Return the bytes of a regular file, no more than `most` of them where that is given.

    Raises:
        ModelError: it does not exist, is no regular file, is too large, or cannot be read.
    """
    name = f"'{printable(str(path))}'"
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            hint = "name the .tflite file in it"
            raise ModelError(f"{name} is a folder, not a model file", hint=hint)
        if not stat.S_ISREG(status.st_mode):
            raise ModelError(f"{name} is not a regular file", hint="name a .tflite file")
        if status.st_size > LARGEST_FILE_BYTES:
            raise ModelError(
                f"{name} has {status.st_size:,} bytes; the limit is {LARGEST_FILE_BYTES:,}"
            )
        # Not read at all: some files below /proc say 0 bytes and never end.
        if not status.st_size:
            return b""
        with path.open("rb") as file:
            return file.read(most)
    except FileNotFoundError as error:
        raise ModelError(f"there is no file {name}", hint="check the path") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"cannot read {name}: {reason}", hint="check the path") from error
