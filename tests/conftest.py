# SPDX-License-Identifier: Apache-2.0
"""A fixed terminal for every test, and the rule that CI does not skip what its set-up brings."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

from tests.support import MAY_BE_MISSING


@pytest.fixture(autouse=True)
def _fixed_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pin what the terminal would otherwise decide."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure in CI, unless what is missing is not the set-up's to bring."""
    report = yield
    if os.environ.get("CI") and report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith(MAY_BE_MISSING):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped in CI: {reason}"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes golden files anew."""
    parser.addoption("--update-golden", action="store_true", help="write golden files anew")
