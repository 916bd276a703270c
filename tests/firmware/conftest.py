# SPDX-License-Identifier: Apache-2.0
"""Firmware that several tests talk to, built once."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.firmware.build import compile_host
from tests.firmware.dialogue import Dialogue, host_process


@pytest.fixture(scope="session")
def host_firmware(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The empty image as a process, with address and undefined-behaviour sanitizers."""
    return compile_host(tmp_path_factory.mktemp("host"))


@pytest.fixture
def board(host_firmware: Path) -> Generator[Dialogue]:
    """A dialogue with a freshly booted host firmware, its boot lines read."""
    with host_process(host_firmware) as (dialogue, _):
        dialogue.lines_until("m-ready")
        yield dialogue
