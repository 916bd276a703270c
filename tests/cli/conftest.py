# SPDX-License-Identifier: Apache-2.0
"""The fixture `run`: the program itself."""

from __future__ import annotations

import pytest

from tests.cli.program import Run, runner


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs `tinykit` with the given words."""
    return runner(capfd)
