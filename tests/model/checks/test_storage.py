# SPDX-License-Identifier: Apache-2.0
"""Constants in the file and the OfflineMemoryAllocation metadata."""

from __future__ import annotations

import struct

import pytest

from tests.model.graphs import model, operator, subgraph, tensor
from tinykit.model.findings import Finding, find_problems
from tinykit.model.graph import Tensor


def add(constant: Tensor, *more: Tensor, plan: bytes | None = None) -> tuple[Finding, ...]:
    tensors = [tensor(), constant, tensor(), *more]
    graph = subgraph(tensors, [operator("ADD", [0, 1], [2])], outputs=[2])
    return find_problems(model(graph, metadata={"OfflineMemoryAllocation": plan} if plan else None))


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (words(1, 0, 3, 0, -1, 16), "offline-plan"),
        (words(0, 1, 3, 0, -1, 16), "offline-plan"),  # as Vela writes it
        (words(2, 0, 3, 0, -1, 16), "offline-plan-damaged"),
        (words(1, 0, 4, 0, -1, 16, 0), "offline-plan-damaged"),
        (words(1, 0, 3, 0, -1), "offline-plan-damaged"),
        (words(1, 0, 3, 0, -2, 16), "offline-plan-damaged"),
        (words(1, 0), "offline-plan-damaged"),
    ],
)
def test_offline_plans(plan: bytes, code: str) -> None:
    assert [f.code for f in add(tensor(data=bytes(4)), plan=plan)] == [code]


def test_constants() -> None:
    assert [f.code for f in add(tensor(data=bytes(4), sparse=True))] == ["sparse-tensor"]
    assert [f.code for f in add(tensor(data=bytes(3)))] == ["short-constant"]
    assert add(tensor(data=bytes(4), offset=32)) == ()


def test_unaligned_constants_are_one_finding() -> None:
    askew = [tensor("INT32", (1,), data=bytes(4), offset=o) for o in (36, 38)]
    found = add(tensor(data=bytes(4), offset=33), *askew)
    (unaligned,) = (f for f in found if f.code == "unaligned-weights")
    assert unaligned.severity == "warning"
    assert unaligned.message.startswith("3 constants")
    assert "byte 38" in unaligned.message


def test_unused_tensors() -> None:
    (unused,) = add(tensor(data=bytes(4)), tensor(data=bytes(4)), tensor())
    assert (unused.code, unused.severity) == ("unused-tensor", "info")
    assert "uses 2 of" in unused.message
    assert "4 B of flash and 24 B of arena" in unused.message
