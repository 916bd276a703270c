# SPDX-License-Identifier: Apache-2.0
"""Runs the real program in this process and hands back its exit code and streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tinykit.cli.main import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a run left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


def runner(capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs `tinykit` with the given words."""

    def run(*words: str) -> Done:
        capfd.readouterr()
        with pytest.raises(SystemExit) as leave:
            main([str(word) for word in words])
        assert isinstance(leave.value.code, int)
        streams = capfd.readouterr()
        return Done(leave.value.code, streams.out, streams.err)

    return run
