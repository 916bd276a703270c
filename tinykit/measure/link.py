# SPDX-License-Identifier: Apache-2.0
"""A serial line to a board, by whatever name pyserial knows: a device, `socket://`, `rfc2217://`."""

from __future__ import annotations

import time
from typing import Any

from tinykit.errors import BoardSilentError
from tinykit.sanitise import printable

MOST_LINE_BYTES = 1 << 16
"""A line that is longer is noise: no answer of the protocol is."""


class Link:
    """Lines to and from a board; every wait has an end."""

    def __init__(self, port: Any, name: str) -> None:
        self._port = port
        self._name = name
        self._pending = b""

    def close(self) -> None:
        """Give the line back."""
        self._port.close()

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, text: str) -> None:
        """Send ASCII text.

        Raises:
            BoardSilentError: the line broke.
        """
        try:
            self._port.write(text.encode("ascii"))
            self._port.flush()
        except OSError as error:
            raise BoardSilentError(f"the line to {self._name} broke: {error}") from error

    def line(self, deadline: float) -> str:
        """Return the next line without its end.

        Args:
            deadline: in `time.monotonic()` seconds.

        Raises:
            BoardSilentError: no line came in time, the line broke, or what comes is no text.
        """
        while b"\n" not in self._pending:
            if len(self._pending) > MOST_LINE_BYTES:
                raise BoardSilentError(
                    f"{self._name} sends {len(self._pending):,} bytes without a line end",
                    hint="check the baud rate",
                )
            self._fill(deadline)
        raw, _, self._pending = self._pending.partition(b"\n")
        return raw.rstrip(b"\r").decode("ascii", "backslashreplace")

    def _fill(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            heard = printable(self._pending.decode("ascii", "backslashreplace"), limit=60)
            rest = f" (last heard: {heard!r})" if heard else ""
            raise BoardSilentError(
                f"{self._name} did not answer in time{rest}",
                hint="check that the firmware runs, the port and the baud rate",
            )
        try:
            self._port.timeout = min(left, 0.5)
            self._pending += self._port.read(max(1, self._port.in_waiting))
        except OSError as error:
            raise BoardSilentError(f"the line to {self._name} broke: {error}") from error


def open_link(url: str, *, baud: int = 115_200) -> Link:
    """Open a serial line.

    Args:
        url: a device path or a pyserial URL.

    Raises:
        BoardSilentError: it cannot be opened.
    """
    import serial

    name = printable(url, limit=80)
    try:
        return Link(serial.serial_for_url(url, baudrate=baud, timeout=0.5), name)
    except (OSError, ValueError) as error:  # SerialException is an OSError
        reason = printable(str(error), limit=200)
        raise BoardSilentError(f"cannot open {name}: {reason}", hint="name the port") from error
