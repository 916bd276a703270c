# SPDX-License-Identifier: Apache-2.0
"""The JSON face: one document per call, stable and versioned, the same bytes for the same input.

A field's name carries its unit in SI base units (`_bytes`, `_hz`); a `status` stands beside each
physical figure: measured, exact, bounded, estimated or declared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from tinykit._version import __version__

SCHEMA_VERSION = "1.0"


def document(
    schema: str,
    inputs: Mapping[str, Any],
    result: Mapping[str, Any],
    warnings: Sequence[str] = (),
) -> str:
    """Return the envelope that every reporting verb prints."""
    return _dump(
        {
            "schema": schema,
            "schema_version": SCHEMA_VERSION,
            "tinykit": __version__,
            "inputs": inputs,
            "result": result,
            "warnings": list(warnings),
        }
    )


def error_document(code: str, message: str, hint: str | None, exit_code: int) -> str:
    """Return the document that stands in for a result after an error."""
    error = {"code": code, "message": message, "hint": hint, "exit_code": exit_code}
    return _dump({"schema": "tinykit.error", "schema_version": SCHEMA_VERSION, "error": error})


def _dump(value: Mapping[str, Any]) -> str:
    try:
        return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False)
    except ValueError:
        # A damaged model may hold NaN or infinity, for which JSON has no number.
        return json.dumps(_finite(value), indent=2, ensure_ascii=True, allow_nan=False)


def _finite(value: Any) -> Any:
    """Return `value` with null in the place of every number that JSON cannot hold."""
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value
