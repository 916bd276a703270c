# SPDX-License-Identifier: Apache-2.0
"""Test inputs from a seed: the same bytes on every machine and Python."""

from __future__ import annotations

from random import Random
from struct import pack

from tinykit.model.graph import Graph
from tinykit.tflm.arena import tensor_bytes

_INTEGERS = frozenset({"INT8", "UINT8", "INT16"})


def seeded_input(graph: Graph, seed: int) -> bytes:
    """Return all input tensors of a model, one after the other.

    8- and 16-bit integers take every value alike, floats lie in [-1, 1), booleans are 0 or 1, and
    wider integers, which are mostly indices, are 0.
    """
    dice = Random(seed)
    parts = []
    for index in graph.main.inputs:
        tensor = graph.main.tensors[index]
        if tensor.type in _INTEGERS:
            parts.append(dice.randbytes(tensor_bytes(tensor)))
        elif tensor.type == "FLOAT32":
            parts.append(
                b"".join(pack("<f", dice.random() * 2 - 1) for _ in range(tensor.elements))
            )
        elif tensor.type == "BOOL":
            parts.append(bytes(dice.getrandbits(1) for _ in range(tensor.elements)))
        else:
            parts.append(bytes(tensor_bytes(tensor)))
    return b"".join(parts)
