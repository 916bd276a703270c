# SPDX-License-Identifier: Apache-2.0
"""tinykit takes a trained INT8 `.tflite` model to a microcontroller.

The names below load on first use, so that importing tinykit costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinykit._version import __version__

if TYPE_CHECKING:
    from tinykit.api import fit, read_model
    from tinykit.board import Board, find_board, list_boards
    from tinykit.estimate.fit import Fit, Setup
    from tinykit.model.graph import Graph

__all__ = [
    "Board",
    "Fit",
    "Graph",
    "Setup",
    "__version__",
    "find_board",
    "fit",
    "list_boards",
    "read_model",
]

_HOMES = {
    "Board": "tinykit.board",
    "Fit": "tinykit.estimate.fit",
    "Graph": "tinykit.model.graph",
    "Setup": "tinykit.estimate.fit",
    "find_board": "tinykit.board",
    "fit": "tinykit.api",
    "list_boards": "tinykit.board",
    "read_model": "tinykit.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tinykit' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
