# SPDX-License-Identifier: Apache-2.0
"""Writes the single-operator models in this folder and what the runtime reports for them.

    python tests/data/operators/make.py

A case is one line of `cases.txt`: the operator, the types that stand for `T`, its inputs and
outputs, and after `|` its options. A tensor is `type[shape]`, followed by any of

    !       a constant of zeros, or `!1,2` of these values
    /4@0    four scales along dimension 0
    :0.5,3  this scale and zero point
    ~       a variable

and `-` is an input that is absent. A second operator of a case follows after `;`, and its first
input is the first output of the one before. A second subgraph follows after `&`.

Needs the `verify` extra (tflite-micro); `recorded.csv` names the release that it came from.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
from flatbuffers import flexbuffers
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from tests.tflm.wheel import record  # noqa: E402

TYPES = {
    "f32": ("FLOAT32", np.float32), "i32": ("INT32", np.int32), "u8": ("UINT8", np.uint8),
    "i64": ("INT64", np.int64), "bool": ("BOOL", np.bool_), "i16": ("INT16", np.int16),
    "i8": ("INT8", np.int8), "u32": ("UINT32", np.uint32), "u64": ("UINT64", np.uint64),
    "i4": ("INT4", np.int8), "res": ("RESOURCE", np.int32),
}  # fmt: skip
QUANTIZED = {"i8", "i16", "u8", "i4"}

CUSTOM = re.compile(r"Signal|CIRCULAR|TFL")
OPTIONS = {
    "AVERAGE_POOL_2D": "Pool2D", "MAX_POOL_2D": "Pool2D", "L2_POOL_2D": "Pool2D",
    "MEAN": "Reducer", "SUM": "Reducer", "REDUCE_ALL": "Reducer", "REDUCE_MAX": "Reducer",
    "REDUCE_MIN": "Reducer", "CONV_2D": "Conv2D", "DEPTHWISE_CONV_2D": "DepthwiseConv2D",
    "BATCH_MATMUL": "BatchMatMul", "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTM",
    "L2_NORMALIZATION": "L2Norm", "SVDF": "SVDF", "REVERSE_V2": "ReverseV2", "PADV2": "PadV2",
    "BATCH_TO_SPACE_ND": "BatchToSpaceND", "SPACE_TO_BATCH_ND": "SpaceToBatchND",
}  # fmt: skip
TENSOR = re.compile(
    r"(?P<type>\w+)\[(?P<shape>[\d,]*)\](?P<const>!(?P<values>[-\d,]*))?"
    r"(/(?P<scales>\d+)@(?P<dimension>\d))?(?P<variable>~)?"
    r"(:(?P<scale>[\d.]+),(?P<zero>-?\d+))?"
)


class Model:
    """A model that grows subgraph by subgraph and operator by operator."""

    def __init__(self) -> None:
        self.model: Any = schema.ModelT()
        self.model.version, self.model.description = 3, b""
        self.model.subgraphs, self.model.buffers = [], [schema.BufferT()]
        self.model.operatorCodes = []

    def begin(self) -> None:
        """Begin another subgraph."""
        self.graph: Any = schema.SubGraphT()
        self.graph.operators, self.graph.tensors = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.model.subgraphs.append(self.graph)

    def add(self, text: str, chain: Sequence[int]) -> list[int]:
        """Add the operator that `text` describes; return the indices of its outputs."""
        signature, _, options = (part.strip() for part in text.partition("|"))
        head, _, right = (part.strip() for part in signature.partition("->"))
        name, *left = head.split()
        inputs = [*chain[:1], *(self._tensor(t) for t in left)]
        outputs = [self._tensor(t) for t in right.split()]
        operator: Any = schema.OperatorT()
        operator.inputs, operator.outputs = inputs, outputs
        operator.opcodeIndex = self._code(name)
        values = {k: _value(v) for k, _, v in (o.partition("=") for o in options.split())}
        if CUSTOM.match(name):
            operator.customOptions = list(flexbuffers.Dumps(values))
        else:
            self._options(operator, name, values)
        self.graph.operators.append(operator)
        computed = [t for t in inputs[len(chain[:1]) :] if t >= 0 and self._is_fed(t)]
        self.graph.inputs += computed
        return outputs

    def end(self, outputs: Sequence[int]) -> None:
        """End the subgraph, with `outputs` as its outputs."""
        self.graph.outputs = list(outputs)

    def finish(self) -> bytes:
        """Return the file."""
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), file_identifier=b"TFL3")
        return bytes(builder.Output())

    def _is_fed(self, index: int) -> bool:
        tensor = self.graph.tensors[index]
        return tensor.buffer == 0 and not tensor.isVariable

    def _code(self, name: str) -> int:
        code: Any = schema.OperatorCodeT()
        builtin = "CUSTOM" if CUSTOM.match(name) else name
        code.builtinCode = getattr(schema.BuiltinOperator, builtin)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        code.version = 1
        code.customCode = name.encode() if builtin == "CUSTOM" else None
        self.model.operatorCodes.append(code)
        return len(self.model.operatorCodes) - 1

    def _options(self, operator: Any, name: str, values: dict[str, Any]) -> None:
        table = OPTIONS.get(name, "".join(w.capitalize() for w in name.split("_"))) + "Options"
        kind = getattr(schema.BuiltinOptions, table, 0)
        if kind:
            operator.builtinOptionsType = kind
            operator.builtinOptions = getattr(schema, table + "T")()
            for option, value in values.items():
                assert hasattr(operator.builtinOptions, option), (table, option)
                setattr(operator.builtinOptions, option, value)

    def _tensor(self, text: str) -> int:
        if text == "-":
            return -1
        match = TENSOR.fullmatch(text)
        assert match is not None, text
        kind, dtype = TYPES[match["type"]]
        shape = [int(d) for d in match["shape"].split(",") if d]
        tensor: Any = schema.TensorT()
        tensor.shape, tensor.type = shape, getattr(schema.TensorType, kind)
        tensor.name = f"t{len(self.graph.tensors)}".encode()
        tensor.isVariable = bool(match["variable"])
        tensor.buffer = 0
        if match["const"]:
            tensor.buffer = self._constant(match["type"], shape, match["values"], dtype)
        if match["type"] in QUANTIZED or match["scales"] or match["scale"]:
            tensor.quantization = _quantization(match)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def _constant(self, kind: str, shape: list[int], values: str, dtype: Any) -> int:
        data = np.zeros(shape, dtype)
        if values:
            numbers = np.array([int(v) for v in values.split(",")], dtype)
            data.reshape(-1)[: numbers.size] = numbers
        stored = data.tobytes()
        buffer: Any = schema.BufferT()
        buffer.data = list(stored[: (len(stored) + 1) // 2] if kind == "i4" else stored)
        self.model.buffers.append(buffer)
        return len(self.model.buffers) - 1


def _quantization(match: re.Match[str]) -> Any:
    quantization: Any = schema.QuantizationParametersT()
    count = int(match["scales"] or 1)
    quantization.scale = [float(match["scale"] or 0.5)] * count
    quantization.zeroPoint = [int(match["zero"] or 0)] * count
    quantization.quantizedDimension = int(match["dimension"] or 0)
    return quantization


def _value(text: str) -> Any:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[\d.]+", text) else text.encode()


def cases() -> Iterator[tuple[str, str]]:
    """Return the name and the text of each case, with the type filled in."""
    seen: dict[str, int] = {}
    for line in (HERE / "cases.txt").read_text("ascii").splitlines():
        head, _, rest = line.partition(":")
        name, types = head.split()
        for kind in types.split(","):
            text = re.sub(r"\bT(?=\[)", kind, f"{name} {rest}")
            label = f"{name.lower()}_{kind}"
            seen[label] = seen.get(label, 0) + 1
            yield label if seen[label] == 1 else f"{label}_{seen[label]}", text


def build(text: str) -> bytes:
    """Return the model that a case describes."""
    model = Model()
    for subgraph in text.split("&"):
        model.begin()
        outputs, last = list[int](), list[int]()
        for operator in subgraph.split(";"):
            last = model.add(operator.strip(), last)
            outputs = last or outputs
        model.end(outputs)
    return model.finish()


def main() -> None:
    """Write the models and `recorded.csv`; models that the runtime refuses are left out."""
    for path in HERE.glob("*.tflite"):
        path.unlink()
    for name, text in cases():
        (HERE / f"{name}.tflite").write_bytes(build(text))
    models = sorted(HERE.glob("*.tflite"))
    recorded = record(models)
    for path in models:
        if path not in recorded:
            sys.stderr.write(f"refused: {path.name}\n")
            path.unlink()
    with (HERE / "recorded.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["package", "abi", "model", "used_bytes", "head_bytes"])
        package = f"tflite-micro {version('tflite-micro')}"
        for path, ends in recorded.items():
            writer.writerow([package, "x86-64", path.stem, ends.used, ends.head])


if __name__ == "__main__":
    main()
