# SPDX-License-Identifier: Apache-2.0
"""What a `.tflite` file says, as frozen dataclasses; no I/O and no knowledge of the file format.

Names follow the TensorFlow Lite schema: operator names are those of `BuiltinOperator`
(`CONV_2D`), type names those of `TensorType` (`INT8`), option names those of the option tables
(`stride_w`). Shapes are in TFLite order `[N, H, W, C]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Literal

TensorType = Literal[
    "FLOAT32", "FLOAT16", "INT32", "UINT8", "INT64", "STRING", "BOOL", "INT16", "COMPLEX64",
    "INT8", "FLOAT64", "COMPLEX128", "UINT64", "RESOURCE", "VARIANT", "UINT32", "UINT16", "INT4",
    "BFLOAT16", "INT2", "UINT4", "FLOAT8_E4M3FN", "FLOAT8_E5M2",
]  # fmt: skip

BITS: Mapping[TensorType, int] = {
    "FLOAT32": 32, "FLOAT16": 16, "INT32": 32, "UINT8": 8, "INT64": 64, "BOOL": 8, "INT16": 16,
    "COMPLEX64": 64, "INT8": 8, "FLOAT64": 64, "COMPLEX128": 128, "UINT64": 64, "UINT32": 32,
    "UINT16": 16, "INT4": 4, "BFLOAT16": 16, "INT2": 2, "UINT4": 4, "FLOAT8_E4M3FN": 8,
    "FLOAT8_E5M2": 8,
}  # fmt: skip
"""Bits of one element as stored in the file; STRING, RESOURCE and VARIANT have no fixed size."""

OptionValue = int | float | bool | str | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quantization:
    """Affine quantization: `real = scale * (q - zero_point)`.

    Attributes:
        scales: one per tensor, or one per slice along `dimension` (per-channel).
        zero_points: as many as scales, or empty in a damaged or partial file.
        dimension: axis of the per-channel scales; biases of public models name their filter's,
            which may lie beyond their own rank.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    dimension: int = 0

    @property
    def per_channel(self) -> bool:
        """True when there is more than one scale."""
        return len(self.scales) > 1


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a subgraph.

    Attributes:
        shape: each dimension >= 0, or -1 where it is known only at run time.
        shape_signature: the shape before a batch of -1 was set to 1; empty when the file has none.
        data: the constant's bytes as a view into the file (no copy), None when computed.
        data_offset: byte offset of `data` in the file.
        is_variable: keeps its value between inferences (state of an RNN or SVDF).
        has_sparsity: the constant is stored in a sparse encoding.
        external_data: the constant's bytes lie outside the flatbuffer.
    """

    index: int
    name: str
    type: TensorType
    shape: tuple[int, ...]
    buffer: int = 0
    shape_signature: tuple[int, ...] = ()
    quantization: Quantization | None = None
    data: memoryview | None = None
    data_offset: int | None = None
    is_variable: bool = False
    has_sparsity: bool = False
    has_rank: bool = False
    external_data: bool = False

    @property
    def is_constant(self) -> bool:
        """True when the file holds the tensor's value."""
        return self.data is not None or self.external_data

    @property
    def is_dynamic(self) -> bool:
        """True when a dimension is known only at run time."""
        return bool(self.shape) and min(self.shape) < 0

    @property
    def elements(self) -> int:
        """Number of elements; 1 for a scalar, 0 where a dimension is 0 or unknown."""
        return 0 if self.is_dynamic else prod(self.shape)

    @property
    def stored_bytes(self) -> int:
        """Bytes in the file's own packing (two INT4 share a byte); 0 for types without a size."""
        return (self.elements * BITS.get(self.type, 0) + 7) // 8


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a subgraph.

    Attributes:
        name: as in the schema, e.g. `CONV_2D`; `CUSTOM` for a custom operator.
        custom_code: the custom operator's own name, "" for a builtin one.
        version: of the operator code, >= 1.
        inputs: tensor indices, -1 for an optional input that is absent.
        outputs: tensor indices.
        intermediates: tensor indices of the internal tensors of LSTM kernels.
        options: the builtin options by schema field name with the schema's defaults filled in;
            enum fields by name (`padding` = "SAME", `fused_activation_function` = "RELU6").
        options_type: name of the option table, e.g. `Conv2DOptions`; "" when the file has none.
        custom_options: raw bytes of a custom operator's options.
    """

    index: int
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    version: int = 1
    custom_code: str = ""
    intermediates: tuple[int, ...] = ()
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    options_type: str = ""
    custom_options: memoryview | None = None

    @property
    def label(self) -> str:
        """The name that tells operators apart: the custom code of a custom operator."""
        return self.custom_code or self.name


@dataclass(frozen=True)
class Subgraph:
    """Tensors and the operators over them, in execution order."""

    index: int
    name: str
    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """A named entry point: names of inputs and outputs to tensor indices."""

    key: str
    subgraph: int
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]


@dataclass(frozen=True)
class Graph:
    """A whole model.

    Attributes:
        subgraphs: at least one; 0 is the one that runs.
        metadata: the file's named byte strings, e.g. `OfflineMemoryAllocation`.
        size_bytes: of the file, trailing bytes included.
        source: the bytes that were read.
        notes: oddities the reader read past, as sentences (trailing bytes, unknown identifier).
    """

    subgraphs: tuple[Subgraph, ...]
    version: int
    description: str
    size_bytes: int
    source: memoryview = field(default=memoryview(b""), repr=False, compare=False)
    metadata: Mapping[str, memoryview] = field(default_factory=dict)
    signatures: tuple[Signature, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Return the hash of the file, worked out when it is asked for."""
        from hashlib import sha256

        return sha256(self.source).hexdigest()

    @property
    def main(self) -> Subgraph:
        """The subgraph that runs first."""
        return self.subgraphs[0]
