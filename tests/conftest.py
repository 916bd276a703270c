# SPDX-License-Identifier: Apache-2.0
"""Fixtures shared by all tests: a fixed terminal."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _fixed_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pin what the terminal would otherwise decide."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
