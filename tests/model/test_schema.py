# SPDX-License-Identifier: Apache-2.0
"""The schema's tables, against the generated bindings of the PyPI package `tflite`."""

from __future__ import annotations

from typing import Any

import pytest
import tflite

from tests.model.flat import options_bytes
from tinykit.model.reader import read_model
from tinykit.model.schema import OPERATORS, TENSOR_TYPES, Option, option_table


def _by_code(enum: type) -> dict[int, str]:
    return {v: k for k, v in vars(enum).items() if isinstance(v, int)}


FIRST, SECOND = _by_code(tflite.BuiltinOptions), _by_code(tflite.BuiltinOptions2)
TABLES = [(k, name, False) for k, name in FIRST.items() if k] + [
    (k, name, True) for k, name in SECOND.items() if k
]
ENUMS = {
    "algorithm": tflite.RngAlgorithm,
    "combiner": tflite.CombinerType,
    "compare_type": tflite.StablehloComparisonType,
    "comparison_direction": tflite.StablehloComparisonDirection,
    "composite_attributes_format": tflite.CustomOptionsFormat,
    "fused_activation_function": tflite.ActivationFunctionType,
    "kernel_type": tflite.LSTMKernelType,
    "mode": tflite.MirrorPadMode,
    "padding": tflite.Padding,
    "reduce_function": tflite.ReduceWindowFunction,
    "type": tflite.LSHProjectionType,
    "weights_format": tflite.FullyConnectedOptionsWeightsFormat,
}
"""Enums of the fields that are not a TensorType."""

# Deprecated in the schema, which takes the accessors away, or newer than the bindings.
WITHOUT_ACCESSOR = {
    "ResizeBilinearOptions.new_height",
    "ResizeBilinearOptions.new_width",
    "Conv2DOptions.quantized_bias_type",
    "TransposeConvOptions.quantized_bias_type",
    "ReduceWindowOptions.reduce_function",
    "StablehloCaseOptions.branch_subgraph_indices",
}

VALUES: dict[str, int | float] = {
    "i32": -70_000, "u32": 4_000_000_000, "i64": -(1 << 40), "f32": 0.625, "bool": True,
}  # fmt: skip
VECTORS = {
    "i32": (-70_000, 3),
    "i64": (-(1 << 40), 7, 0),
    "u32": (2, 0),
    "u8": (255,),
    "bool": (1,),
}
WRITERS = {"i32": "Int32", "i64": "Int64", "u32": "Uint32", "u8": "Uint8", "bool": "Bool"}
WIDTHS = {"i32": 4, "i64": 8, "u32": 4, "u8": 1, "bool": 1}


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _vector(b: Any, kind: str) -> int:
    items = VECTORS[kind]
    b.StartVector(WIDTHS[kind], len(items), WIDTHS[kind])
    for item in reversed(items):
        getattr(b, f"Prepend{WRITERS[kind]}")(item)
    return int(b.EndVector())


def _names(field: Option) -> tuple[str, ...]:
    by_code = _by_code(ENUMS.get(field.name, tflite.TensorType))
    return tuple(by_code[k] for k in sorted(by_code))


def _written(field: Option) -> int | float:
    """Return what to write into a scalar field: the enum's last value, no field's default."""
    if field.names:
        return max(_by_code(ENUMS.get(field.name, tflite.TensorType)))
    return not field.default if field.kind == "bool" else VALUES[field.kind]


def _build(b: Any, name: str, fields: list[Option]) -> int:
    made: dict[str, Any] = {}
    for field in fields:
        if field.kind == "str":
            made[field.name] = b.CreateString(f"a {field.name}")
        elif field.kind.startswith("["):
            made[field.name] = _vector(b, field.kind[1:-1])
        else:
            made[field.name] = _written(field)
    getattr(tflite, f"{name}Start")(b)
    for key, value in made.items():
        getattr(tflite, f"{name}Add{_camel(key)}")(b, value)
    return int(getattr(tflite, f"{name}End")(b))


def _expected(field: Option) -> object:
    if field.kind == "str":
        return f"a {field.name}"
    if field.kind.startswith("["):
        return VECTORS[field.kind[1:-1]]
    return _names(field)[-1] if field.names else _written(field)


def _has_accessor(name: str, field: Option) -> bool:
    return hasattr(tflite, f"{name}Add{_camel(field.name)}")


def test_operators_and_types_have_the_codes_of_the_bindings() -> None:
    for code, name in _by_code(tflite.BuiltinOperator).items():
        assert OPERATORS[code] == name
    for code, name in _by_code(tflite.TensorType).items():
        assert TENSOR_TYPES[code] == name


@pytest.mark.parametrize(("kind", "name", "second"), TABLES, ids=str)
def test_every_option_that_the_bindings_write_is_read(kind: int, name: str, second: bool) -> None:
    table = option_table(kind, second=second)
    assert table is not None
    assert table.name == name
    fields = [f for f in table.fields if _has_accessor(name, f)]
    data = options_bytes(kind, lambda b: _build(b, name, fields), second=second)
    operator = read_model(data).main.operators[0]
    assert operator.options_type == name
    for field in fields:
        assert operator.options[field.name] == _expected(field), field.name
        assert not field.names or field.names[: len(_names(field))] == _names(field)


@pytest.mark.parametrize(("kind", "name", "second"), TABLES, ids=str)
def test_absent_options_have_the_defaults_of_the_bindings(
    kind: int, name: str, second: bool
) -> None:
    data = options_bytes(kind, lambda b: _build(b, name, []), second=second)
    options = read_model(data).main.operators[0].options
    table, bound = option_table(kind, second=second), getattr(tflite, name)()
    assert table is not None
    model = tflite.Model.GetRootAsModel(data, 0).Subgraphs(0).Operators(0)
    union = model.BuiltinOptions2() if second else model.BuiltinOptions()
    bound.Init(union.Bytes, union.Pos)
    for field in table.fields:
        if field.kind.startswith("[") or field.kind == "str" or not _has_accessor(name, field):
            continue
        wanted = getattr(bound, _camel(field.name))()
        assert options[field.name] == (_names(field)[wanted] if field.names else wanted)


def test_only_known_fields_escape_the_comparison() -> None:
    escaped = set()
    for kind, name, second in TABLES:
        table = option_table(kind, second=second)
        assert table is not None
        escaped |= {f"{name}.{f.name}" for f in table.fields if not _has_accessor(name, f)}
    assert escaped <= WITHOUT_ACCESSOR
    # As many fields as the bindings write, but for BUCKETIZE's floats, which are skipped.
    for kind, name, second in TABLES:
        table = option_table(kind, second=second)
        assert table is not None
        written = [a for a in dir(tflite) if a.startswith(f"{name}Add")]
        compared = sum(_has_accessor(name, f) for f in table.fields)
        assert len(written) == compared + (name == "BucketizeOptions"), name


def test_unknown_codes_have_no_table() -> None:
    assert option_table(0) is None
    assert option_table(200) is None
    assert option_table(60, second=True) is None
