# SPDX-License-Identifier: Apache-2.0
"""Inputs that must be constants, and axes that must lie within a tensor's dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tinykit.model.checks.view import Node, View
    from tinykit.model.graph import Tensor

_MOST_AXES = 64
"""More than any kernel's dimensions: what follows in a larger tensor is not looked at."""

_AXIS_INPUT: Mapping[str, int] = {
    "ARG_MAX": 1, "ARG_MIN": 1, "CUMSUM": 1, "EXPAND_DIMS": 1, "MEAN": 1, "REDUCE_ALL": 1,
    "REDUCE_MAX": 1, "REDUCE_MIN": 1, "REVERSE_V2": 1, "SPLIT": 0, "SPLIT_V": 2, "SUM": 1,
    "TRANSPOSE": 1,
}  # fmt: skip
_AXIS_OPTION = frozenset({"CONCATENATION", "GATHER", "PACK", "UNPACK"})
_NOT_NEGATIVE = frozenset({"REVERSE_V2", "TRANSPOSE"})


def check(view: View) -> Iterator[Finding]:
    """Yield a finding per input that must be constant and per axis out of range."""
    for node in view.nodes:
        row = node.row
        if row is None:
            continue
        if row.constants:
            yield from _not_constant(node, row.constants)
        if row.name in _AXIS_INPUT or row.name in _AXIS_OPTION:
            yield from _axis(node, row.name)


def _not_constant(node: Node, constants: Mapping[int, str]) -> Iterator[Finding]:
    for position, what in constants.items():
        tensor = node.input(position)
        if tensor is None or tensor.is_constant:
            continue
        yield Finding(
            "non-constant-input",
            "error",
            node.subgraph.index,
            node.operator.index,
            tensor.index,
            f"{node.place} takes its {what} from {quoted(tensor)}, which is computed, and TFLM "
            "wants a constant there.",
            "",
            "tensorflow/tflite-micro#867",
        )
        return


def _axis(node: Node, name: str) -> Iterator[Finding]:
    ranked = node.outputs[0] if name == "PACK" else node.data
    if ranked is None or not (ranked.shape or name == "EXPAND_DIMS"):
        return
    rank = len(ranked.shape) + (name == "EXPAND_DIMS")
    lowest = 0 if name in _NOT_NEGATIVE else -rank
    for axis in _axes(node, name):
        if lowest <= axis < rank:
            continue
        yield Finding(
            "axis-out-of-range",
            "error",
            node.subgraph.index,
            node.operator.index,
            ranked.index,
            f"{node.place} has the axis {axis}, and {quoted(ranked)} of shape "
            f"{list(ranked.shape)} allows {lowest} to {rank - 1}.",
            source="tensorflow/tflite-micro#3504",
        )
        return


def _axes(node: Node, name: str) -> list[int]:
    if name in _AXIS_OPTION:
        axis = node.option("axis")
        return [] if axis is None else [axis]
    return integers(node.input(_AXIS_INPUT[name]))


def integers(tensor: Tensor | None) -> list[int]:
    """Return the first values of a constant INT32 or INT64 tensor, [] for anything else."""
    if tensor is None or tensor.data is None or tensor.type not in ("INT32", "INT64"):
        return []
    width = 4 if tensor.type == "INT32" else 8
    raw = bytes(tensor.data[: width * _MOST_AXES])
    return [
        int.from_bytes(raw[i : i + width], "little", signed=True)
        for i in range(0, len(raw) - width + 1, width)
    ]
