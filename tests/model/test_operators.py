# SPDX-License-Identifier: Apache-2.0
"""The operator table against TFLM's headers, another package's schema and picked rows."""

from __future__ import annotations

import re

import pytest

from tests.model.graphs import operator, subgraph, tensor
from tests.support import tflm_tree
from tinykit.model.operators import SUPPORTED, Types, int8_registration, support


def runs(name: str, inputs: Types, *outputs: str) -> bool:
    rows = SUPPORTED[name].types
    return any(r.allows(inputs, outputs) for r in rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "expected"),
    [
        # kernels/arg_min_max.cc: only int32 indices, fails at Invoke otherwise
        ("ARG_MAX", ("FLOAT32", "INT32"), ("INT32",), True),
        ("ARG_MAX", ("FLOAT32", "INT32"), ("INT64",), False),
        # kernels/add.cc: int32 is fine today, int64 is not
        ("ADD", ("INT32", "INT32"), ("INT32",), True),
        ("ADD", ("INT64", "INT64"), ("INT64",), False),
        # kernels/dequantize_common.cc
        ("DEQUANTIZE", ("FLOAT16",), ("FLOAT32",), False),
        ("DEQUANTIZE", ("UINT8",), ("FLOAT32",), True),
        # kernels/conv_common.cc
        ("CONV_2D", ("INT8", "INT4", "INT32"), ("INT8",), True),
        ("CONV_2D", ("FLOAT32", "INT8", "FLOAT32"), ("FLOAT32",), False),
        ("CONV_2D", ("INT16", "INT8", None), ("INT16",), True),
        # kernels/neg.cc, greater.cc
        ("NEG", ("INT8",), ("INT8",), False),
        ("GREATER", ("INT16", "INT16"), ("BOOL",), True),
        ("LESS", ("INT16", "INT16"), ("BOOL",), False),
        # kernels/concatenation.cc: all inputs alike
        ("CONCATENATION", ("INT8", "INT8", "INT8"), ("INT8",), True),
        ("CONCATENATION", ("INT8", "INT8", "UINT8"), ("INT8",), False),
        # kernels/split.cc: all outputs alike
        ("SPLIT", ("INT32", "FLOAT32"), ("FLOAT32", "FLOAT32"), True),
        ("SPLIT", ("INT32", "UINT8"), ("UINT8", "UINT8"), False),
    ],
)
def test_types_are_those_of_the_kernels(
    name: str, inputs: Types, outputs: tuple[str, ...], expected: bool
) -> None:
    assert runs(name, inputs, *outputs) is expected


def test_builtin_names_are_in_the_schema() -> None:
    schema = pytest.importorskip("tflite").BuiltinOperator
    builtin = [name for name, row in SUPPORTED.items() if not row.custom]
    assert len(builtin) == 100
    assert [name for name in builtin if not hasattr(schema, name)] == []


def test_a_custom_operator_with_the_name_of_a_builtin_is_not_that_builtin() -> None:
    assert support(operator("CUSTOM", [], [], custom="CONV_2D")) is None
    assert support(operator("CUSTOM", [], [], custom="SignalRfft")) is SUPPORTED["SignalRfft"]
    assert support(operator("SignalRfft", [], [])) is None


def test_int8_registration_needs_int8_throughout() -> None:
    graph = subgraph(
        [tensor("INT32", (4,)), tensor(), tensor(), tensor(), tensor("INT4"), tensor("FLOAT32")],
        [],
    )
    transposed = operator("TRANSPOSE_CONV", [0, 1, 2], [3])
    assert int8_registration(transposed, graph) == "Register_TRANSPOSE_CONV_INT8"
    assert int8_registration(operator("CONV_2D", [2, 4], [3]), graph) == ""
    assert int8_registration(operator("CONV_2D", [5, 5], [5]), graph) == ""
    assert int8_registration(operator("RESHAPE", [1], [3]), graph) == ""
    assert int8_registration(operator("CONV_2D", [99, -1], [-5]), graph) == ""


def _tflm(*parts: str) -> str:
    return tflm_tree().joinpath("tensorflow/lite/micro", *parts).read_text(encoding="utf-8")


@pytest.mark.tflm
def test_every_method_of_the_resolver_has_a_row() -> None:
    header = _tflm("micro_mutable_op_resolver.h")
    methods = set(re.findall(r"TfLiteStatus (Add\w+)\(", header)) - {"AddCustom", "AddBuiltin"}
    assert {row.method for row in SUPPORTED.values()} == methods
    builtin = set(re.findall(r"BuiltinOperator_(\w+),", header)) - {"CUSTOM"}
    assert {row.name for row in SUPPORTED.values() if not row.custom} == builtin


@pytest.mark.tflm
def test_every_int8_registration_is_declared() -> None:
    folder = tflm_tree() / "tensorflow/lite/micro/kernels"
    text = "".join(p.read_text(encoding="utf-8") for p in folder.glob("*.h"))
    declared = set(re.findall(r"TFLMRegistration (Register_\w+_INT8)\(\);", text))
    assert {r.int8_registration for r in SUPPORTED.values()} - {""} == declared
