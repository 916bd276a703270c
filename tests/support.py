# SPDX-License-Identifier: Apache-2.0
"""Finds what a test needs from outside, or skips the test and says what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

MAY_BE_MISSING = ("reference data missing", "TFLM tree missing")
"""How the reasons of skips begin that are no fault even in CI: no set-up brings these."""


def tflm_tree() -> Path:
    """Return the TFLM source tree that TINYKIT_TFLM names, or skip the test that needs it."""
    path = Path(os.environ.get("TINYKIT_TFLM", ""))
    if not (path / "tensorflow" / "lite" / "micro").is_dir():
        pytest.skip("TFLM tree missing: TINYKIT_TFLM does not name one")
    return path


def shared_path(*parts: str) -> Path:
    """Return a path below the reference data, or skip the test that needs it."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference data missing: {'/'.join(parts)} (lay shared/ beside the checkout)")
    return path


def shared_models(*folders: str) -> list[Path]:
    """Return the models of `../shared/models` below the named folders, [] where it is absent."""
    return sorted(p for f in folders for p in (SHARED / "models" / f).glob("*.tflite"))
