# SPDX-License-Identifier: Apache-2.0
"""A model's inputs and outputs as the firmware's C sees them."""

from __future__ import annotations

from dataclasses import dataclass

from tinykit.errors import UsageError
from tinykit.model.graph import Graph, Tensor
from tinykit.tflm.arena import tensor_bytes

_TYPES = {
    "INT8": ("TK_TYPE_INT8", "int8_t", -128, 127),
    "UINT8": ("TK_TYPE_UINT8", "uint8_t", 0, 255),
    "INT16": ("TK_TYPE_INT16", "int16_t", -32768, 32767),
    "INT32": ("TK_TYPE_INT32", "int32_t", None, None),
    "INT64": ("TK_TYPE_INT64", "int64_t", None, None),
    "FLOAT32": ("TK_TYPE_FLOAT32", "float", None, None),
    "BOOL": ("TK_TYPE_BOOL", "bool", None, None),
}


@dataclass(frozen=True, slots=True)
class TensorCode:
    """One input or output.

    Attributes:
        enum: the firmware's `tk_type_t`.
        scale: C literal of the scale, exact; "0.0f" where not quantised.
        lowest: of the stored type, None where it is not quantised.
    """

    name: str
    index: int
    shape: str
    elements: int
    size_bytes: int
    enum: str
    c_type: str
    scale: str
    zero_point: int
    lowest: int | None
    highest: int | None

    @property
    def quantised(self) -> bool:
        """Return whether stored values stand for real ones by scale and zero point."""
        return self.scale != "0.0f" and self.lowest is not None


@dataclass(frozen=True, slots=True)
class Interface:
    """The inputs and outputs of a model."""

    inputs: tuple[TensorCode, ...]
    outputs: tuple[TensorCode, ...]

    @property
    def encoded_bytes(self) -> int:
        """Return the bytes that the host loads for one inference, as they are in the tensors."""
        return sum(t.size_bytes for t in self.inputs)


def interface(graph: Graph) -> Interface:
    """Return the interface of a graph.

    Raises:
        UsageError: an input or output has a type that the firmware has no C type for.
    """
    tensors = graph.main.tensors
    return Interface(
        tuple(_tensor(tensors[i], k) for k, i in enumerate(graph.main.inputs)),
        tuple(_tensor(tensors[i], k) for k, i in enumerate(graph.main.outputs)),
    )


def _tensor(tensor: Tensor, index: int) -> TensorCode:
    if tensor.type not in _TYPES:
        raise UsageError(f"the firmware has no C type for {tensor.type} inputs and outputs")
    enum, c_type, lowest, highest = _TYPES[tensor.type]
    q = tensor.quantization
    quantised = q is not None and len(q.scales) == 1
    return TensorCode(
        name=tensor.name,
        index=index,
        shape="[" + ", ".join(str(d) for d in tensor.shape) + "]",
        elements=tensor.elements,
        size_bytes=tensor_bytes(tensor),
        enum=enum,
        c_type=c_type,
        # Hexadecimal floats name the value exactly.
        scale=f"{float.hex(q.scales[0])}f" if q is not None and quantised else "0.0f",
        zero_point=q.zero_points[0] if q is not None and quantised and q.zero_points else 0,
        lowest=lowest,
        highest=highest,
    )
