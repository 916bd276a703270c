# SPDX-License-Identifier: Apache-2.0
"""Models of one tensor, built with the `flatbuffers` package, for what no sample file has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flatbuffers
import tflite


def _code(kind: str) -> int:
    # Newer than the bindings: UINT4 is 20 in the schema.
    return 20 if kind == "UINT4" else int(getattr(tflite.TensorType, kind))


class Builder:
    """A FlatBuffer in the making; slots are the schema's field numbers."""

    def __init__(self) -> None:
        self._b = flatbuffers.Builder(256)

    def _table(self, fields: dict[int, tuple[str, int]]) -> int:
        self._b.StartObject(16)
        for slot, (kind, value) in fields.items():
            if kind == "offset":
                self._b.PrependUOffsetTRelativeSlot(slot, value, 0)
            else:
                getattr(self._b, f"Prepend{kind}Slot")(slot, value, None)
        return int(self._b.EndObject())

    def _offsets(self, items: list[int]) -> int:
        self._b.StartVector(4, len(items), 4)
        for item in reversed(items):
            self._b.PrependUOffsetTRelative(item)
        return int(self._b.EndVector())

    def _ints(self, items: tuple[int, ...]) -> int:
        self._b.StartVector(4, len(items), 4)
        for item in reversed(items):
            self._b.PrependInt32(item)
        return int(self._b.EndVector())

    def _finish(
        self, codes: list[int], tensors: list[int], operators: list[int], buffers: list[int]
    ) -> bytes:
        subgraph = self._table(
            {0: ("offset", self._offsets(tensors)), 3: ("offset", self._offsets(operators))}
        )
        fields = {
            1: ("offset", self._offsets(codes)),
            2: ("offset", self._offsets([subgraph])),
            4: ("offset", self._offsets(buffers)),
        }
        model = self._table({0: ("Uint32", 3), **fields})
        self._b.Finish(model, file_identifier=b"TFL3")
        return bytes(self._b.Output())

    def model(
        self,
        kind: str,
        shape: tuple[int, ...],
        data: bytes | None,
        external: tuple[int, int] | None,
        operator: tuple[int, int] | None,
    ) -> bytes:
        """Return a model whose only tensor has buffer 1."""
        buffers = [self._table({})]
        if external is not None:
            buffers.append(self._table({1: ("Uint64", external[0]), 2: ("Uint64", external[1])}))
        elif data is not None:
            buffers.append(self._table({0: ("offset", self._b.CreateByteVector(data))}))
        else:
            buffers.append(self._table({}))
        dims = self._ints(shape)
        tensor = self._table({0: ("offset", dims), 1: ("Int8", _code(kind)), 2: ("Uint32", 1)})
        codes, operators = [], []
        if operator is not None:
            codes = [self._table({0: ("Int8", operator[0]), 3: ("Int32", operator[1])})]
            operators = [self._table({})]
        return self._finish(codes, [tensor], operators, buffers)

    def options(self, kind: int, build: Callable[[Any], int], second: bool) -> bytes:
        """Return a model of one operator, whose option table is what `build` returns."""
        options = build(self._b)
        slot = 11 if second else 3
        operator = self._table({slot: ("Uint8", kind), slot + 1: ("offset", options)})
        code = self._table({3: ("Int32", 0)})
        return self._finish([code], [], [operator], [self._table({})])

    def operators(self, count: int) -> bytes:
        """Return a model of `count` operators that share one table and one option table."""
        options = self._table({})
        operator = self._table({11: ("Uint8", 4), 12: ("offset", options)})
        code = self._table({3: ("Int32", 0)})
        return self._finish([code], [], [operator] * count, [self._table({})])

    def tensor(self, fields: dict[int, tuple[str, int]], ints: dict[int, tuple[int, ...]]) -> bytes:
        """Return a model of one tensor with the given scalar fields and vectors by slot."""
        vectors = {slot: ("offset", self._ints(items)) for slot, items in ints.items()}
        tensor = self._table({**fields, **vectors})
        return self._finish([], [tensor], [], [self._table({})])

    def named(self, name: str, shape: tuple[int, ...]) -> bytes:
        """Return a model of one INT8 tensor with the name."""
        fields = {0: ("offset", self._ints(shape)), 3: ("offset", self._b.CreateString(name))}
        return self._finish([], [self._table(fields)], [], [self._table({})])

    def bomb(self, count: int) -> bytes:
        """Return a model of `count` tensors that are one and the same table, shape and name."""
        dims, name = self._ints((1,) * 64), self._b.CreateString("x" * 4096)
        tensor = self._table({0: ("offset", dims), 1: ("Int8", 9), 3: ("offset", name)})
        return self._finish([], [tensor] * count, [], [self._table({})])


def model_bytes(
    kind: str,
    shape: tuple[int, ...],
    data: bytes | None,
    *,
    external: tuple[int, int] | None = None,
    operator: tuple[int, int] | None = None,
) -> bytes:
    """Return a model of one tensor, a constant when `data` or `external` is given."""
    return Builder().model(kind, shape, data, external, operator)


def options_bytes(kind: int, build: Callable[[Any], int], *, second: bool = False) -> bytes:
    """Return a model whose only operator has the option table that `build` makes."""
    return Builder().options(kind, build, second)
