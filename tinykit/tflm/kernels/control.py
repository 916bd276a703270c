# SPDX-License-Identifier: Apache-2.0
"""Reference kernels that run other subgraphs or keep variables between inferences.

Source: as for `tinykit.tflm.kernels.elementwise`; the variables' memory is taken in
tensorflow/lite/micro/micro_resource_variable.cc.
"""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels.kernel import Allocations, Kernel, Node, borrow


def _assign_variable(node: Node, arena: Allocations) -> None:
    value = node.need_input(1)
    arena.temp(value)
    arena.resource(node.operator.inputs[0], value.stored_bytes)


KERNELS: Mapping[str, Kernel] = {
    "ASSIGN_VARIABLE": Kernel("", "", _assign_variable),
    "CALL_ONCE": Kernel("i", "i b"),
    "IF": Kernel("2i", "2i", borrow(1, 0)),
    "READ_VARIABLE": Kernel("", "", borrow(1, 0)),
    "VAR_HANDLE": Kernel("2p", "i"),
    "WHILE": Kernel("2i", "2i"),
}
