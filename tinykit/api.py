# SPDX-License-Identifier: Apache-2.0
"""The functions a program calls: the same answers as the command line, without its text.

Nothing here prints, keeps state or reads more than it is given; every function is thread-safe.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from tinykit.board import Board, find_board
from tinykit.estimate.fit import Fit, Setup
from tinykit.estimate.fit import fit as _fit
from tinykit.model.graph import Graph
from tinykit.model.reader import read_model as _read_bytes
from tinykit.model.reader import read_model_file

Model = Graph | bytes | bytearray | memoryview | str | PathLike[str]
"""A model as a program may hold it: read already, as bytes, or as the path of a file."""


def read_model(model: Model, *, lenient: bool = False) -> Graph:
    """Return the graph of a `.tflite` model.

    Args:
        model: bytes of a file, or its path; a Graph comes back as it is.
        lenient: read on past a wrong file identifier or schema version.

    Raises:
        ModelError: the model is damaged.
    """
    if isinstance(model, Graph):
        return model
    if isinstance(model, bytes | bytearray | memoryview):
        return _read_bytes(model, lenient=lenient)
    return read_model_file(Path(model), lenient=lenient)


def fit(model: Model, board: Board | str, setup: Setup = Setup()) -> Fit:
    """Return whether `model` fits `board`, with every figure behind the answer.

    Args:
        model: see `Model`.
        board: a Board, or what `tinykit fit --board` takes.
        setup: kernels, build and what the application keeps for itself.

    Raises:
        ModelError: the model is damaged.
        UsageError: there is no such board.
        BoardError: the board file is damaged.
    """
    return _fit(read_model(model), find_board(board) if isinstance(board, str) else board, setup)
