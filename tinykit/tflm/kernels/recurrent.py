# SPDX-License-Identifier: Apache-2.0
"""Reference kernels with a state: LSTM and SVDF.

Source: as for `tinykit.tflm.kernels.elementwise`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels.elementwise import ARITHMETIC_PARAMS
from tinykit.tflm.kernels.kernel import Allocations, Kernel, Node

FULLY_CONNECTED_PARAMS = "5i 2i 2f 2b b"
OP_DATA_LSTM = (
    "(b 4i) (f h i) e "
    f"4({FULLY_CONNECTED_PARAMS} {FULLY_CONNECTED_PARAMS}) 3({ARITHMETIC_PARAMS}) 4i"
)
OP_DATA_SVDF = "9i"
_LSTM_HIDDEN_STATE, _LSTM_CELL_STATE, _LSTM_INPUTS = 18, 19, 24


def svdf(node: Node, arena: Allocations) -> int:
    """Ask for what every SVDF does; return the number of filters."""
    tensor, weights = node.need_input(0), node.need_input(1)
    batch = node.dims(tensor, 2)[0]
    filters = node.dims(weights, 2)[0]
    arena.temp(*map(node.input, range(5)), node.output())
    arena.scratch(4 * batch * filters)
    if tensor.type == "INT8":
        arena.scratch(4 * batch * (filters // node.positive("rank")))
    return filters


def _svdf(node: Node, arena: Allocations) -> None:
    svdf(node, arena)


def lstm(node: Node, arena: Allocations, buffers: int) -> int:
    """Ask for what every LSTM does, with its number of buffers; return the hidden size."""
    shape = node.dims(node.need_input(0), 3)
    hidden = node.dims(node.need_input(_LSTM_HIDDEN_STATE), 2)[1]
    batch = shape[1 if node.option("time_major", 0) else 0]
    element = 4 if node.need_input(_LSTM_CELL_STATE).type == "FLOAT32" else 2
    arena.temp(*map(node.input, range(_LSTM_INPUTS)), node.output())
    for _ in range(buffers):
        arena.scratch(element * batch * hidden)
    return hidden


def _lstm(node: Node, arena: Allocations) -> None:
    lstm(node, arena, buffers=4)


KERNELS: Mapping[str, Kernel] = {
    "SVDF": Kernel("i e b", OP_DATA_SVDF, _svdf),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Kernel("e 2f 3b", OP_DATA_LSTM, _lstm),
}
