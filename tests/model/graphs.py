# SPDX-License-Identifier: Apache-2.0
"""Builds small graphs by hand for tests of the model package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinykit.model.graph import Graph, Operator, Quantization, Subgraph, Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tinykit.model.graph import OptionValue, TensorType

ONE = Quantization((0.5,), (0,))


def tensor(
    dtype: TensorType = "INT8",
    shape: tuple[int, ...] = (1, 4),
    *,
    data: bytes | None = None,
    quantization: Quantization | None = ONE,
    signature: tuple[int, ...] = (),
    offset: int | None = None,
    variable: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return a tensor whose index `model` sets; integer types are quantized unless told not to."""
    return Tensor(
        index=0,
        name="t",
        type=dtype,
        shape=shape,
        shape_signature=signature,
        quantization=quantization if dtype in ("INT8", "INT16", "UINT8", "INT4") else None,
        data=None if data is None else memoryview(data),
        data_offset=offset,
        is_variable=variable,
        has_sparsity=sparse,
    )


def int32(*values: int) -> Tensor:
    """Return a constant INT32 vector."""
    data = b"".join(v.to_bytes(4, "little", signed=True) for v in values)
    return tensor("INT32", (len(values),), data=data)


def operator(
    name: str,
    inputs: Sequence[int],
    outputs: Sequence[int],
    options: Mapping[str, OptionValue] | None = None,
    *,
    custom: str = "",
    intermediates: Sequence[int] = (),
) -> Operator:
    """Return an operator whose index `subgraph` sets."""
    return Operator(
        0,
        name,
        tuple(inputs),
        tuple(outputs),
        custom_code=custom,
        intermediates=tuple(intermediates),
        options=dict(options or {}),
    )


def subgraph(
    tensors: Sequence[Tensor],
    operators: Sequence[Operator],
    inputs: Sequence[int] = (0,),
    outputs: Sequence[int] = (),
    index: int = 0,
) -> Subgraph:
    """Return a subgraph with tensors and operators numbered in order."""
    for i, t in enumerate(tensors):
        object.__setattr__(t, "index", i)
    for i, o in enumerate(operators):
        object.__setattr__(o, "index", i)
    return Subgraph(index, "main", tuple(tensors), tuple(operators), tuple(inputs), tuple(outputs))


def model(*subgraphs: Subgraph, metadata: Mapping[str, bytes] | None = None) -> Graph:
    """Return a graph of these subgraphs."""
    views = {name: memoryview(value) for name, value in (metadata or {}).items()}
    return Graph(tuple(subgraphs), 3, "", 0, metadata=views)
