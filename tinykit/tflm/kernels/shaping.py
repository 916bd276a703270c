# SPDX-License-Identifier: Apache-2.0
"""Reference kernels that move, cut, join and repeat data without computing with it.

Source: as for `tinykit.tflm.kernels.elementwise`.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels.kernel import (
    Allocations,
    Kernel,
    Node,
    borrow,
    borrow_and_reshape,
)

_OP_DATA_PAD = "(b 5i b 5i b) i"


def _concatenation(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(0), node.output(), *node.inputs())


def _embedding_lookup(node: Node, arena: Allocations) -> None:
    borrow_and_reshape(2)(node, arena)
    arena.persistent(arena.struct("f p"))


def _mirror_pad(node: Node, arena: Allocations) -> None:
    tensor = node.need_input(0)
    arena.temp(tensor, node.input(1), node.output())
    arena.scratch(4 * len(tensor.shape))
    arena.scratch(4 * len(tensor.shape))


def _pad(node: Node, arena: Allocations) -> None:
    value = node.input(2) if len(node.operator.inputs) == 3 else None
    arena.temp(node.input(0), node.input(1), value, node.output())


def _split_v(node: Node, arena: Allocations) -> None:
    arena.temp(node.input(2))


KERNELS: Mapping[str, Kernel] = {
    "BATCH_TO_SPACE_ND": Kernel("", "", borrow(1)),
    "BROADCAST_ARGS": Kernel("", "", borrow(2)),
    "BROADCAST_TO": Kernel("", "", borrow(2)),
    "CONCATENATION": Kernel("i e", "i 2p 2i f", _concatenation),
    "DEPTH_TO_SPACE": Kernel("i", "", borrow_and_reshape(1)),
    "DYNAMIC_UPDATE_SLICE": Kernel("", "", borrow(3)),
    "EMBEDDING_LOOKUP": Kernel("", "", _embedding_lookup),
    "EXPAND_DIMS": Kernel("", "", borrow(2)),
    "FILL": Kernel("", "", borrow(2)),
    "GATHER": Kernel("2i", "", borrow_and_reshape(2)),
    "GATHER_ND": Kernel("", "", borrow_and_reshape(2)),
    "MIRROR_PAD": Kernel("e", "5i", _mirror_pad),
    "PACK": Kernel("2i"),
    "PAD": Kernel("", _OP_DATA_PAD, _pad),
    "PADV2": Kernel("", _OP_DATA_PAD, _pad),
    "RESHAPE": Kernel("8i i", "", borrow(1)),
    "RESIZE_BILINEAR": Kernel("2b", "", borrow(2)),
    "RESIZE_NEAREST_NEIGHBOR": Kernel("2b", "", borrow(2)),
    "REVERSE_V2": Kernel("", "", borrow(2)),
    "SHAPE": Kernel("e"),
    "SLICE": Kernel("", "", borrow(3)),
    "SPACE_TO_BATCH_ND": Kernel("", "i", borrow(1)),
    "SPACE_TO_DEPTH": Kernel("i", "", borrow_and_reshape(1)),
    "SPLIT": Kernel("i", "", borrow(1, 0)),
    "SPLIT_V": Kernel("i", "", _split_v),
    "SQUEEZE": Kernel("8i i", "", borrow(1)),
    "STRIDED_SLICE": Kernel("5i b", "b 5i b 5i b 5i 5h b", borrow(4)),
    "TRANSPOSE": Kernel("", "", borrow(2)),
    "UNPACK": Kernel("2i"),
}
