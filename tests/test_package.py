# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: what importing it costs, and that its data travels in the wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import tinykit
from tests.support import ROOT

HEAVY = ("numpy", "jinja2", "serial", "tinykit.model.reader", "tinykit.board", "tomllib")


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, tinykit, tinykit.cli.main; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_names_of_the_api_resolve() -> None:
    for name in tinykit.__all__:
        assert getattr(tinykit, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = tinykit.absent


@pytest.mark.slow
def test_wheel_carries_the_data_folders(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(tmp_path)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("tinykit-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in ("boards/cortex-m7.toml", "boards/catalogue.csv", "models/digits_int8.tflite"):
        assert f"tinykit/_data/{path}" in names
    assert "tinykit/py.typed" in names
    assert not [n for n in names if n.startswith(("tests", "tinykit/_data/tests"))]
