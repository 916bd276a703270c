# SPDX-License-Identifier: Apache-2.0
"""One table: each operator that TensorFlow Lite Micro runs, and with which types.

A row says how the operator enters a `MicroMutableOpResolver`, which types its kernel runs, how
many inputs and outputs it wants and which inputs must be constants. An operator that is not here
is not in TFLM. Reference and CMSIS-NN kernels run the same types at this commit, but for one:
FULLY_CONNECTED with int16 activations and per-channel weights, which CMSIS-NN refuses.

Source: tensorflow/tflite-micro at 90b983c2, micro_mutable_op_resolver.h and the `Prepare` and
`Eval` of each kernel in tensorflow/lite/micro/kernels/ and signal/micro/kernels/.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tinykit.model.graph import Operator, Subgraph, TensorType

TFLM_COMMIT = "90b983c2"

SHORT_TYPES: Mapping[str, TensorType | None] = {
    "f16": "FLOAT16", "f32": "FLOAT32", "f64": "FLOAT64", "c64": "COMPLEX64", "i4": "INT4",
    "i8": "INT8", "i16": "INT16", "i32": "INT32", "i64": "INT64", "u8": "UINT8", "u32": "UINT32",
    "u64": "UINT64", "bool": "BOOL", "resource": "RESOURCE", "any": None,
}  # fmt: skip
"""Names of types in the table's rows; `any` stands for whatever comes."""

Types: TypeAlias = "tuple[TensorType | None, ...]"
"""Types of the inputs or outputs in order; None where there is no tensor or any type does."""


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One combination of types that a kernel runs.

    Attributes:
        inputs: type per input; inputs beyond the last entry are not looked at by the kernel,
            unless `repeats`.
        outputs: likewise.
        repeats: the last entry of both holds for every further tensor.
        text: as in the table, e.g. `i8,i8,i32->i8`.
    """

    inputs: Types
    outputs: Types
    repeats: bool
    text: str

    def allows(self, inputs: Types, outputs: Types) -> bool:
        """Return whether the kernel runs these types; None is an absent optional tensor."""
        return self._side(self.inputs, inputs) and self._side(self.outputs, outputs)

    def _side(self, wanted: Types, found: Types) -> bool:
        if self.repeats and wanted and len(found) > len(wanted):
            wanted = wanted + wanted[-1:] * (len(found) - len(wanted))
        return all(w is None or f is None or w == f for w, f in zip(wanted, found, strict=False))


@dataclass(frozen=True, slots=True)
class OperatorSupport:
    """What TFLM offers for one operator.

    Attributes:
        name: of the builtin operator, or the custom code of a custom one.
        custom: it is looked up by custom code.
        method: of `MicroMutableOpResolver`, e.g. `AddConv2D`.
        types: the combinations that run; empty where the kernel does not look.
        inputs: fewest and most inputs.
        outputs: fewest and most outputs.
        optional: inputs that may be absent (-1).
        constants: input index to the name of a tensor that must be a constant.
        data: input that holds the activations.
        weights: inputs that hold trained weights.
        bias: input that holds the bias, None where there is none.
        int8_registration: the smaller registration without the float and int16 code, "" if none.
        ranks: fewest and most dimensions of the data input, None where any will do.
    """

    name: str
    custom: bool
    method: str
    types: tuple[TypeRow, ...]
    inputs: tuple[int, int]
    outputs: tuple[int, int]
    optional: frozenset[int]
    constants: Mapping[int, str]
    data: int
    weights: tuple[int, ...]
    bias: int | None
    int8_registration: str
    ranks: tuple[int, int] | None


_MANY = 1 << 16
_SAME_4 = ("f32->f32", "i8->i8", "i16->i16")
_TWO_4 = ("f32,f32->f32", "i32,i32->i32", "i8,i8->i8", "i16,i16->i16")
_TWO_FLOAT = ("f32,f32->f32",)
_LSTM_CONSTANTS = dict.fromkeys(range(1, 9), "weights") | dict.fromkeys(range(12, 16), "bias")


def _lstm(activation: str, weight: str, bias: str, state: str) -> str:
    inputs = [activation, *[weight] * 8, *["any"] * 3, *[bias] * 4, "any", "any"]
    return ",".join([*inputs, activation, state]) + f"->{activation}"


def _compare(*types: str) -> tuple[str, ...]:
    return tuple(f"{t},{t}->bool" for t in types)


def _each(pattern: str, *types: str) -> tuple[str, ...]:
    return tuple(pattern.replace("T", t) for t in types)


def _type_row(text: str) -> TypeRow:
    inputs, outputs = text.rstrip("*").split("->")
    sides = [tuple(SHORT_TYPES[t] for t in side.split(",") if t) for side in (inputs, outputs)]
    return TypeRow(sides[0], sides[1], text.endswith("*"), text)


def _op(
    name: str,
    method: str,
    types: Sequence[str],
    inputs: int | tuple[int, int],
    outputs: int | tuple[int, int] = 1,
    *,
    optional: Sequence[int] = (),
    constants: Mapping[int, str] | None = None,
    data: int = 0,
    weights: tuple[int, ...] = (),
    bias: int | None = None,
    int8: bool = False,
    ranks: tuple[int, int] | None = None,
    custom: bool = False,
) -> tuple[str, OperatorSupport]:
    support = OperatorSupport(
        name=name,
        custom=custom,
        method=method,
        types=tuple(_type_row(t) for t in types),
        inputs=inputs if isinstance(inputs, tuple) else (inputs, inputs),
        outputs=outputs if isinstance(outputs, tuple) else (outputs, outputs),
        optional=frozenset(optional),
        constants=MappingProxyType(dict(constants or {})),
        data=data,
        weights=weights,
        bias=bias,
        int8_registration=f"Register_{name}_INT8" if int8 else "",
        ranks=ranks,
    )
    return name, support


SUPPORTED: Mapping[str, OperatorSupport] = MappingProxyType(dict([
    _op("ABS", "AddAbs", _SAME_4, 1),
    _op("ADD", "AddAdd", _TWO_4, 2, int8=True),
    _op("ADD_N", "AddAddN", ("f32->f32*", "i8->i8*"), (2, _MANY)),
    _op("ARG_MAX", "AddArgMax", ("f32,i32->i32", "i8,i32->i32"), 2),
    _op("ARG_MIN", "AddArgMin", ("f32,i32->i32", "i8,i32->i32"), 2),
    _op("ASSIGN_VARIABLE", "AddAssignVariable", ("resource,any->", "i32,any->"), 2, 0),
    _op("AVERAGE_POOL_2D", "AddAveragePool2D", _SAME_4, 1, int8=True, ranks=(4, 4)),
    _op("BATCH_MATMUL", "AddBatchMatMul", ("f32,f32->f32", "i8,i8->i8", "i16,i16->i16"), 2,
        weights=(1,), int8=True, ranks=(2, 5)),
    _op("BATCH_TO_SPACE_ND", "AddBatchToSpaceNd", ("f32,i32,i32->f32", "i8,i32,i32->i8"), 3,
        ranks=(3, 4)),
    _op("BROADCAST_ARGS", "AddBroadcastArgs", ("i32,i32->i32", "i64,i64->i64"), 2, ranks=(1, 1)),
    _op("BROADCAST_TO", "AddBroadcastTo", (
        *_each("T,i32->T", "f32", "i8", "i16", "i32", "i64", "u8", "bool"),
        *_each("T,i64->T", "f32", "i8", "i16", "i32", "i64", "u8", "bool"),
    ), 2, constants={1: "shape"}, ranks=(0, 5)),
    _op("CALL_ONCE", "AddCallOnce", (), 0, 0),
    _op("CAST", "AddCast", tuple(
        f"{a}->{b}" for a in ("i8", "i16", "i32", "u32", "f32", "bool")
        for b in ("i8", "i16", "i32", "u32", "f32")
    ), 1),
    _op("CEIL", "AddCeil", ("f32->f32",), 1),
    _op("CONCATENATION", "AddConcatenation",
        _each("T->T*", "f32", "i8", "i16", "i32", "i64", "bool"), (1, 10)),
    _op("CONV_2D", "AddConv2D", (
        "f32,f32,f32->f32", "i8,i8,i32->i8", "i8,i4,i32->i8", "i16,i8,i64->i16",
        "i16,i8,i32->i16",
    ), (2, 3), optional=(2,), weights=(1,), bias=2, int8=True, ranks=(4, 4)),
    _op("COS", "AddCos", ("f32->f32",), 1),
    _op("CUMSUM", "AddCumSum", ("f32,i32->f32", "i8,i32->i8"), 2),
    _op("DEPTH_TO_SPACE", "AddDepthToSpace", ("f32->f32", "i8->i8"), 1, ranks=(4, 4)),
    _op("DEPTHWISE_CONV_2D", "AddDepthwiseConv2D", (
        "f32,f32,f32->f32", "i8,i8,i32->i8", "i8,i4,i32->i8", "i16,i8,i64->i16",
    ), (2, 3), optional=(2,), weights=(1,), bias=2, int8=True, ranks=(4, 4)),
    _op("DEQUANTIZE", "AddDequantize", ("i8->f32", "i16->f32", "u8->f32"), 1),
    _op("DIV", "AddDiv", ("f32,f32->f32", "i32,i32->i32", "i8,i8->i8"), 2),
    _op("DYNAMIC_UPDATE_SLICE", "AddDynamicUpdateSlice", (
        *_each("T,T,i32->T", "f32", "i8", "i16", "i32"),
        *_each("T,T,i64->T", "f32", "i8", "i16", "i32"),
    ), 3),
    _op("ELU", "AddElu", ("f32->f32", "i8->i8"), 1),
    _op("EMBEDDING_LOOKUP", "AddEmbeddingLookup",
        ("i32,f32->f32", "i32,i8->i8", "i32,i8->f32"), 2, ranks=(1, 1)),
    _op("EQUAL", "AddEqual", _compare("bool", "f32", "i32", "i64", "i8"), 2),
    _op("EXP", "AddExp", ("f32->f32",), 1),
    _op("EXPAND_DIMS", "AddExpandDims", _each("T,i32->T", "f32", "i8", "i16"), 2,
        constants={1: "axis"}),
    _op("FILL", "AddFill", tuple(
        f"{d},{v}->{v}" for d in ("i8", "i16", "i32", "i64") for v in ("f32", "i32", "i8")
    ), 2, constants={0: "dims"}, data=1),
    _op("FLOOR", "AddFloor", ("f32->f32",), 1),
    _op("FLOOR_DIV", "AddFloorDiv", _TWO_FLOAT, 2),
    _op("FLOOR_MOD", "AddFloorMod", _TWO_FLOAT, 2),
    _op("FULLY_CONNECTED", "AddFullyConnected", (
        "f32,f32,f32->f32", "i8,i8,i32->i8", "i8,i4,i32->i8", "i16,i8,i64->i16",
        "i16,i8,i32->i16",
    ), (2, 3), optional=(2,), weights=(1,), bias=2, int8=True),
    _op("GATHER", "AddGather", ("f32,i32->f32", "i8,i32->i8"), 2),
    _op("GATHER_ND", "AddGatherNd", ("f32,i32->f32", "i8,i32->i8"), 2),
    _op("GREATER", "AddGreater", _compare("f32", "i32", "i64", "i8", "i16"), 2),
    _op("GREATER_EQUAL", "AddGreaterEqual", _compare("f32", "i32", "i64", "i8"), 2),
    _op("HARD_SWISH", "AddHardSwish", ("f32->f32", "i8->i8"), 1),
    _op("IF", "AddIf", ("bool->",), (1, _MANY), (0, _MANY)),
    _op("L2_NORMALIZATION", "AddL2Normalization", ("f32->f32", "i8->i8"), 1, ranks=(0, 4)),
    _op("L2_POOL_2D", "AddL2Pool2D", ("f32->f32",), 1, ranks=(4, 4)),
    _op("LEAKY_RELU", "AddLeakyRelu", _SAME_4, 1),
    _op("LESS", "AddLess", _compare("f32", "i32", "i64", "i8"), 2),
    _op("LESS_EQUAL", "AddLessEqual", _compare("f32", "i32", "i64", "i8"), 2),
    _op("LOG", "AddLog", ("f32->f32",), 1),
    _op("LOG_SOFTMAX", "AddLogSoftmax", ("f32->f32", "i8->i8"), 1),
    _op("LOGICAL_AND", "AddLogicalAnd", _compare("bool"), 2),
    _op("LOGICAL_NOT", "AddLogicalNot", ("bool->bool",), 1),
    _op("LOGICAL_OR", "AddLogicalOr", _compare("bool"), 2),
    _op("LOGISTIC", "AddLogistic", _SAME_4, 1),
    _op("MAX_POOL_2D", "AddMaxPool2D", _SAME_4, 1, int8=True, ranks=(4, 4)),
    _op("MAXIMUM", "AddMaximum",
        _each("T,T->T", "f32", "i8", "i16", "i32", "i64"), 2, int8=True),
    _op("MEAN", "AddMean", _each("T,i32->T", "f32", "i8", "i16"), 2),
    _op("MINIMUM", "AddMinimum",
        _each("T,T->T", "f32", "i8", "i16", "i32", "i64"), 2, int8=True),
    _op("MIRROR_PAD", "AddMirrorPad",
        (*_each("T,i32->T", "f32", "i8"), *_each("T,i64->T", "f32", "i8")), 2),
    _op("MUL", "AddMul", _TWO_4, 2, int8=True),
    _op("NEG", "AddNeg", ("f32->f32",), 1),
    _op("NOT_EQUAL", "AddNotEqual", _compare("bool", "f32", "i32", "i64", "i8"), 2),
    _op("PACK", "AddPack", _each("T->T*", "f32", "i8", "i16", "i32", "i64"), (1, _MANY)),
    _op("PAD", "AddPad", (
        *_each("T,i32,T->T", "f32", "i8", "i16", "i32"),
    ), (2, 3), constants={1: "paddings"}, int8=True, ranks=(0, 5)),
    _op("PADV2", "AddPadV2", (
        *_each("T,i32,T->T", "f32", "i8", "i16", "i32"),
    ), (2, 3), constants={1: "paddings"}, ranks=(0, 5)),
    _op("PRELU", "AddPrelu", ("f32,f32->f32", "i8,i8->i8", "i16,i8->i16"), 2, weights=(1,),
        ranks=(0, 4)),
    _op("QUANTIZE", "AddQuantize", (
        "f32->i8", "f32->i16", "i32->i8", "i32->i16", "i16->i8", "i16->i16", "i16->i32", "i8->i8",
        "i8->u8", "i8->i16", "i8->i32", "u8->i8",
    ), 1),
    _op("READ_VARIABLE", "AddReadVariable", ("resource->any",), 1),
    _op("REDUCE_ALL", "AddReduceAll", ("bool,i32->bool",), 2),
    _op("REDUCE_MAX", "AddReduceMax", ("f32,i32->f32", "i8,i32->i8"), 2),
    _op("REDUCE_MIN", "AddReduceMin", ("f32,i32->f32", "i8,i32->i8"), 2),
    _op("RELU", "AddRelu", _SAME_4, 1),
    _op("RELU6", "AddRelu6", _SAME_4, 1),
    _op("RESHAPE", "AddReshape",
        _each("T->T", "f32", "i8", "i16", "i32", "i64", "u8", "u32", "u64", "bool", "i4",
              "f16", "f64", "c64"), (1, 2),
        optional=(1,)),
    _op("RESIZE_BILINEAR", "AddResizeBilinear", ("f32,i32->f32", "i8,i32->i8"), 2,
        constants={1: "size"}, ranks=(4, 4)),
    _op("RESIZE_NEAREST_NEIGHBOR", "AddResizeNearestNeighbor",
        _each("T,i32->T", "f32", "i8", "i16"), 2, constants={1: "size"}, ranks=(4, 4)),
    _op("REVERSE_V2", "AddReverseV2",
        _each("T,i32->T", "f32", "i8", "u8", "i16", "i32", "i64", "bool"), 2, ranks=(1, 8)),
    _op("ROUND", "AddRound", ("f32->f32",), 1),
    _op("RSQRT", "AddRsqrt", ("f32->f32", "i8->i8"), 1),
    _op("SELECT_V2", "AddSelectV2", _each("bool,T,T->T", "f32", "i8", "i16"), 3,
        data=1),
    _op("SHAPE", "AddShape", ("any->i32",), 1),
    _op("SIN", "AddSin", ("f32->f32",), 1),
    _op("SLICE", "AddSlice", (
        *_each("T,i32,i32->T", "f32", "i8", "i16", "i32", "bool"),
        *_each("T,i64,i64->T", "f32", "i8", "i16", "i32", "bool"),
    ), 3, ranks=(0, 5)),
    _op("SOFTMAX", "AddSoftmax", ("f32->f32", "i8->i8", "i8->i16", "i16->i16"), 1, int8=True,
        ranks=(1, 8)),
    _op("SPACE_TO_BATCH_ND", "AddSpaceToBatchNd", ("f32,i32,i32->f32", "i8,i32,i32->i8"), 3,
        ranks=(3, 4)),
    _op("SPACE_TO_DEPTH", "AddSpaceToDepth", ("f32->f32", "i8->i8"), 1, ranks=(4, 4)),
    _op("SPLIT", "AddSplit", _each("i32,T->T*", "f32", "i8", "i16", "i32"), 2, (1, _MANY),
        constants={0: "axis"}, data=1),
    _op("SPLIT_V", "AddSplitV", _each("T,i32,i32->T*", "f32", "i8", "i16", "i32"), 3,
        (1, _MANY), constants={2: "axis"}),
    _op("SQRT", "AddSqrt", ("f32->f32",), 1),
    _op("SQUARE", "AddSquare", ("f32->f32",), 1),
    _op("SQUARED_DIFFERENCE", "AddSquaredDifference", _TWO_4, 2),
    _op("SQUEEZE", "AddSqueeze",
        _each("T->T", "f32", "i8", "i16", "i32", "i64", "u8", "u32", "u64", "bool"), 1,
        ranks=(0, 8)),
    _op("STRIDED_SLICE", "AddStridedSlice",
        _each("T,i32,i32,i32->T", "f32", "i8", "i16", "i32", "bool"), 4,
        constants={1: "begin", 2: "end", 3: "strides"}, ranks=(0, 4)),
    _op("SUB", "AddSub", _TWO_4, 2),
    _op("SUM", "AddSum", _each("T,i32->T", "f32", "i8", "i16"), 2),
    _op("SVDF", "AddSvdf", (
        "f32,f32,f32,f32,f32->f32", "i8,i8,i16,i32,i16->i8", "i8,i8,i8,i32,i8->i8",
    ), 5, optional=(3,), weights=(1, 2), bias=3, int8=True, ranks=(2, 2)),
    _op("TANH", "AddTanh", _SAME_4, 1),
    _op("TRANSPOSE", "AddTranspose", _each("T,i32->T", "f32", "i8", "i16"), 2,
        constants={1: "perm"}, int8=True, ranks=(0, 5)),
    _op("TRANSPOSE_CONV", "AddTransposeConv", (
        "i32,f32,f32,f32->f32", "i32,i8,i8,i32->i8", "i32,i8,i16,i64->i16",
        "i32,i8,i16,i16->i16",
    ), (3, 4), optional=(3,), data=2, weights=(1,), bias=3, int8=True, ranks=(4, 4)),
    _op("UNIDIRECTIONAL_SEQUENCE_LSTM", "AddUnidirectionalSequenceLSTM", (
        _lstm("f32", "f32", "f32", "f32"), _lstm("i8", "i8", "i32", "i16"),
        _lstm("i16", "i8", "i64", "i16"),
    ), 24, optional=(9, 10, 11, 16, 17, 20, 21, 22, 23), constants=_LSTM_CONSTANTS,
        weights=tuple(range(1, 9)), int8=True, ranks=(3, 3)),
    _op("UNPACK", "AddUnpack", _each("T->T*", "f32", "i8", "i16", "i32"), 1, (1, _MANY)),
    _op("VAR_HANDLE", "AddVarHandle", ("->resource",), 0),
    _op("WHILE", "AddWhile", (), (1, _MANY), (1, _MANY)),
    _op("ZEROS_LIKE", "AddZerosLike", _each("T->T", "f32", "i8", "i32", "i64"), 1),
    # Custom operators, by custom code.
    _op("CIRCULAR_BUFFER", "AddCircularBuffer", ("i8->i8",), 1, ranks=(4, 4), custom=True),
    _op("SignalDelay", "AddDelay", ("i16->i16",), 1, custom=True),
    _op("SignalEnergy", "AddEnergy", ("i16->u32",), 1, ranks=(1, 1), custom=True),
    _op("SignalFftAutoScale", "AddFftAutoScale", ("i16->i16,i32",), 1, 2, ranks=(1, 1),
        custom=True),
    _op("SignalFilterBank", "AddFilterBank", ("u32,i16,i16,i16,i16,i16->u64",), 6,
        ranks=(1, 1), custom=True),
    _op("SignalFilterBankLog", "AddFilterBankLog", ("u32->i16",), 1, ranks=(1, 1), custom=True),
    _op("SignalFilterBankSpectralSubtraction", "AddFilterBankSpectralSubtraction",
        ("u32->u32,u32",), 1, 2, ranks=(1, 1), custom=True),
    _op("SignalFilterBankSquareRoot", "AddFilterBankSquareRoot", ("u64,i32->u32",), 2,
        ranks=(1, 1), custom=True),
    _op("SignalFramer", "AddFramer", ("i16->i16,bool",), 1, 2, custom=True),
    _op("SignalIrfft", "AddIrfft", ("i16->i16", "i32->i32", "f32->f32"), 1, custom=True),
    _op("SignalOverlapAdd", "AddOverlapAdd", ("i16->i16", "f32->f32"), 1, ranks=(2, 8),
        custom=True),
    _op("SignalPCAN", "AddPCAN", ("u32,u32,i16->u32",), 3, ranks=(1, 1), custom=True),
    _op("SignalRfft", "AddRfft", ("i16->i16", "i32->i32", "f32->f32"), 1, custom=True),
    _op("SignalStacker", "AddStacker", ("i16->i16,bool",), 1, 2, ranks=(1, 1), custom=True),
    _op("SignalWindow", "AddWindow", ("i16,i16->i16",), 2, custom=True),
    _op("TFLM_DECODE", "AddDecode", (), (2, _MANY), (1, _MANY), custom=True),
    _op("TFLite_Detection_PostProcess", "AddDetectionPostprocess",
        ("f32,f32,f32->f32",), 3, 4, ranks=(3, 3), custom=True),
    _op("ethos-u", "AddEthosU", (), (4, _MANY), (0, _MANY), custom=True),
]))  # fmt: skip
"""Every `Add*` method of the resolver, by operator name or custom code."""


def support(operator: Operator) -> OperatorSupport | None:
    """Return the operator's row, or None where TFLM has no such operator."""
    custom = operator.name == "CUSTOM"
    row = SUPPORTED.get(operator.custom_code if custom else operator.name)
    return row if row is not None and row.custom == custom else None


def int8_registration(operator: Operator, subgraph: Subgraph) -> str:
    """Return e.g. `Register_CONV_2D_INT8` where the smaller int8-only kernel will do, else "".

    It will do where the activations, the weights and the outputs are INT8.
    """
    row = support(operator)
    if row is None or not row.int8_registration:
        return ""
    inputs = [operator.inputs[i] for i in (row.data, *row.weights) if i < len(operator.inputs)]
    tensors = [t for t in (*inputs, *operator.outputs) if 0 <= t < len(subgraph.tensors)]
    fits = bool(tensors) and all(subgraph.tensors[t].type == "INT8" for t in tensors)
    return row.int8_registration if fits else ""
