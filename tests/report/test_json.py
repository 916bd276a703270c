# SPDX-License-Identifier: Apache-2.0
"""The JSON envelope: stable, ASCII, and valid whatever a model holds."""

from __future__ import annotations

import json

from tinykit._version import __version__
from tinykit.report.json import document, error_document


def test_envelope() -> None:
    found = json.loads(document("tinykit.x", {"a": 1}, {"b": 2}, ["w"]))
    assert found == {
        "schema": "tinykit.x",
        "schema_version": "1.0",
        "tinykit": __version__,
        "inputs": {"a": 1},
        "result": {"b": 2},
        "warnings": ["w"],
    }


def test_numbers_that_json_lacks_become_null() -> None:
    result = {"scales": [1.0, float("nan")], "deep": {"x": (float("inf"), 2)}}
    found = json.loads(document("tinykit.x", {}, result))["result"]
    assert found == {"scales": [1.0, None], "deep": {"x": [None, 2]}}


def test_text_stays_ascii() -> None:
    assert document("tinykit.x", {}, {"name": "Größe\x1b[2J"}).isascii()


def test_error() -> None:
    found = json.loads(error_document("usage", "no", "try", 2))
    assert found["error"] == {"code": "usage", "message": "no", "hint": "try", "exit_code": 2}
