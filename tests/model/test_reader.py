# SPDX-License-Identifier: Apache-2.0
"""The reader, against the generated bindings of the PyPI package `tflite`, and against damage."""

from __future__ import annotations

import random
import re
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import tflite

from tests.model.flat import Builder, model_bytes
from tests.support import ROOT, shared_models, shared_path
from tinykit.errors import ModelError
from tinykit.model.graph import Graph, Operator, Quantization, Tensor
from tinykit.model.reader import read_model, read_model_file

DIGITS = ROOT / "models" / "digits_int8.tflite"
MODELS = [DIGITS, *shared_models("", "problems")]


def _names(enum: type) -> dict[int, str]:
    return {v: k for k, v in vars(enum).items() if isinstance(v, int)}


TYPES, OPERATORS = _names(tflite.TensorType), _names(tflite.BuiltinOperator)
OPTIONS = _names(tflite.BuiltinOptions)
ENUMS = {
    "padding": tflite.Padding,
    "fused_activation_function": tflite.ActivationFunctionType,
    "mode": tflite.MirrorPadMode,
    "kernel_type": tflite.LSTMKernelType,
    "weights_format": tflite.FullyConnectedOptionsWeightsFormat,
}
"""Enums of the options that are not types."""


def _vector(table: Any, name: str) -> tuple[Any, ...]:
    if not getattr(table, f"{name}Length")():
        return ()
    return tuple(getattr(table, f"{name}AsNumpy")().tolist())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "backslashreplace")


def _same_quantization(found: Quantization | None, table: Any) -> None:
    if table is None or not (table.ScaleLength() or table.ZeroPointLength()):
        assert found is None
        return
    assert found is not None
    assert found.scales == _vector(table, "Scale")
    assert found.zero_points == _vector(table, "ZeroPoint")
    assert found.dimension == table.QuantizedDimension()


def _same_tensor(found: Tensor, table: Any, model: Any) -> None:
    assert found.name == _text(table.Name())
    assert found.type == TYPES[table.Type()]
    assert found.shape == _vector(table, "Shape")
    assert found.shape_signature == _vector(table, "ShapeSignature")
    assert found.buffer == table.Buffer()
    assert found.is_variable == bool(table.IsVariable())
    assert found.has_sparsity == (table.Sparsity() is not None)
    assert found.has_rank == bool(table.HasRank())
    buffer = model.Buffers(table.Buffer())
    wanted = buffer.DataAsNumpy().tobytes() if buffer.DataLength() else None
    assert (None if found.data is None else bytes(found.data)) == wanted
    _same_quantization(found.quantization, table.Quantization())


def _same_options(found: Operator, table: Any) -> None:
    """Compare every option by the accessor of the same name; enums by the name of the code."""
    kind = table.BuiltinOptionsType()
    assert found.options_type == (OPTIONS[kind] if kind else "")
    if not kind:
        return
    options = getattr(tflite, found.options_type)()
    options.Init(table.BuiltinOptions().Bytes, table.BuiltinOptions().Pos)
    for name, value in found.options.items():
        accessor = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
        if isinstance(value, tuple):
            assert value == _vector(options, accessor), name
            continue
        raw = getattr(options, accessor, None)
        if raw is None:  # newer than the bindings
            continue
        wanted = raw()
        if isinstance(wanted, bytes) or wanted is None:
            assert value == _text(wanted)
        elif isinstance(value, str):
            assert value == _names(ENUMS.get(name, tflite.TensorType))[wanted], name
        else:
            assert value == wanted, name


def _same_operator(found: Operator, table: Any, model: Any) -> None:
    code = model.OperatorCodes(table.OpcodeIndex())
    number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
    assert found.name == OPERATORS[number]
    assert found.custom_code == _text(code.CustomCode())
    assert found.version == code.Version()
    assert found.inputs == _vector(table, "Inputs")
    assert found.outputs == _vector(table, "Outputs")
    assert found.intermediates == _vector(table, "Intermediates")
    custom = table.CustomOptionsAsNumpy().tobytes() if table.CustomOptionsLength() else b""
    assert bytes(found.custom_options or b"") == custom
    _same_options(found, table)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_field_equals_the_generated_bindings(path: Path) -> None:
    graph = read_model_file(path)
    model = tflite.Model.GetRootAsModel(path.read_bytes(), 0)
    assert graph.version == model.Version()
    assert graph.description == _text(model.Description())
    assert len(graph.subgraphs) == model.SubgraphsLength()
    for k, subgraph in enumerate(graph.subgraphs):
        table = model.Subgraphs(k)
        assert subgraph.name == _text(table.Name())
        assert subgraph.inputs == _vector(table, "Inputs")
        assert subgraph.outputs == _vector(table, "Outputs")
        assert len(subgraph.tensors) == table.TensorsLength()
        assert len(subgraph.operators) == table.OperatorsLength()
        for i, tensor in enumerate(subgraph.tensors):
            _same_tensor(tensor, table.Tensors(i), model)
        for i, operator in enumerate(subgraph.operators):
            _same_operator(operator, table.Operators(i), model)
    wanted = {}
    for k in range(model.MetadataLength()):
        buffer = model.Buffers(model.Metadata(k).Buffer())
        data = buffer.DataAsNumpy().tobytes() if buffer.DataLength() else b""
        wanted[_text(model.Metadata(k).Name())] = data
    assert {name: bytes(data) for name, data in graph.metadata.items()} == wanted
    assert [s.key for s in graph.signatures] == [
        _text(model.SignatureDefs(k).SignatureKey()) for k in range(model.SignatureDefsLength())
    ]


def test_weights_are_views_into_the_file() -> None:
    data = DIGITS.read_bytes()
    for tensor in read_model(data).main.tensors:
        if tensor.data is not None:
            assert tensor.data.obj is data
            assert tensor.data_offset is not None
            end = tensor.data_offset + len(tensor.data)
            assert data[tensor.data_offset : end] == bytes(tensor.data)


# What the reader itself refuses; the rest of hostile/ is read and becomes findings.
REFUSED = {
    "buf9999": "uses buffer 9999 of 19",
    "eight": "outside the file of 8 bytes",
    "empty": "the file is empty",
    "fuzz0": "truncated or damaged",
    "fuzz1": "truncated or damaged",
    "hugeshape": "absurd shape",
    "lfs": "Git LFS pointer",
    "negshape": "negative dimension",
    "noident": "the file identifier is 'XXXX'",
    "nosubgraph": "the model has no subgraph",
    "opin9999": "name tensor 9999; the subgraph has 16",
    "shortweights": "needs 36 bytes, its buffer has 3",
    "trunc_64": "truncated",
    "trunc_half": "truncated",
}


@pytest.mark.parametrize("name", REFUSED)
def test_damage_is_named_with_its_place(name: str) -> None:
    with pytest.raises(ModelError, match=re.escape(REFUSED[name])):
        read_model_file(shared_path("models", "hostile", f"{name}.tflite"))


@pytest.mark.parametrize(
    "name", ["noquant_filter", "offline_truncated", "ops_reversed", "trailing"]
)
def test_damage_that_a_file_may_hold_is_read(name: str) -> None:
    graph = read_model_file(shared_path("models", "hostile", f"{name}.tflite"))
    assert graph.notes == (
        ("1,000 bytes after the model are not part of it",) if name == "trailing" else ()
    )


def test_lenient_reads_past_identifier_and_version() -> None:
    data = bytearray(DIGITS.read_bytes())
    data[4:8] = b"XXXX"
    with pytest.raises(ModelError, match="XXXX"):
        read_model(data)
    graph = read_model(data, lenient=True)
    assert graph.notes == ("the file identifier is 'XXXX', not 'TFL3'",)
    assert graph.subgraphs == read_model(DIGITS.read_bytes()).subgraphs


@pytest.mark.parametrize(
    ("start", "word"),
    [
        (b"\x1f\x8b\x08\x00aaaaaaaa", "gzip"),
        (b"PK\x03\x04aaaaaaaa", "zip"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\x7fELF\x01\x01\x01\x00aaaa", "linked program"),
        (b"version https://git-lfs.github.com/spec/v1\n", "LFS"),
    ],
)
def test_other_formats_are_recognised(start: bytes, word: str) -> None:
    with pytest.raises(ModelError, match=word):
        read_model(start)


@pytest.mark.parametrize(
    ("kind", "shape", "stored"),
    [("INT4", (3, 3), 5), ("INT8", (3, 3), 9), ("INT16", (2,), 4), ("FLOAT16", (2,), 4),
     ("UINT4", (1,), 1), ("INT64", (), 8), ("INT8", (0, 4), 0)],
)  # fmt: skip
def test_constants_are_measured_in_their_packing(
    kind: str, shape: tuple[int, ...], stored: int
) -> None:
    graph = read_model(model_bytes(kind, shape, bytes(stored)))
    assert graph.main.tensors[0].stored_bytes == stored
    with pytest.raises(ModelError, match=f"needs {stored} bytes, its buffer has {stored + 1}"):
        read_model(model_bytes(kind, shape, bytes(stored + 1)))


def test_data_behind_the_flatbuffer() -> None:
    # As models beyond 2 GB have it: offset and size instead of the bytes.
    data = model_bytes("INT8", (8,), None, external=(4096, 8)).ljust(4096, b"\0") + bytes(range(8))
    tensor = read_model(data).main.tensors[0]
    assert tensor.external_data
    assert tensor.is_constant
    assert bytes(tensor.data or b"") == bytes(range(8))
    with pytest.raises(ModelError, match="the data of buffer 1"):
        read_model(data[:-1])


def test_operator_code_beyond_a_byte() -> None:
    graph = read_model(model_bytes("INT8", (1,), None, operator=(127, 150)))
    assert graph.main.operators[0].name == "GELU"
    old = read_model(model_bytes("INT8", (1,), None, operator=(3, 0)))
    assert old.main.operators[0].name == "CONV_2D"
    unknown = read_model(model_bytes("INT8", (1,), None, operator=(127, 5000)))
    assert unknown.main.operators[0].name == "BUILTIN_5000"


def test_parts_shared_over_and_over_are_refused() -> None:
    # 4 bytes for each of 200,000 tensors that are all the same table.
    with pytest.raises(ModelError, match="describes far more than it holds"):
        read_model(Builder().bomb(200_000))


def test_pipes_and_folders_are_no_models(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent", Path("/dev/zero"), Path("bad\0name")):
        with pytest.raises(ModelError):
            read_model_file(path)


def _flip(data: bytearray, dice: random.Random) -> None:
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def _cut(data: bytearray, dice: random.Random) -> None:
    del data[dice.randrange(len(data)) :]


def _overwrite(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(max(1, len(data) - 4)) & ~3
    extreme = (0, 1, 4, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, len(data), dice.getrandbits(32))
    data[at : at + 4] = struct.pack("<I", dice.choice(extreme))


def _insert(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data))
    data[at:at] = dice.randbytes(dice.randrange(1, 16))


MUTATIONS: Sequence[Callable[[bytearray, random.Random], None]] = (_flip, _cut, _overwrite, _insert)


def _hold_against_mutations(data: bytes, count: int, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(count):
        damaged = bytearray(data)
        for _ in range(dice.randrange(1, 4)):
            if damaged:
                dice.choice(MUTATIONS)(damaged, dice)
        start = time.process_time()
        try:
            assert isinstance(read_model(bytes(damaged), lenient=dice.random() < 0.2), Graph)
        except ModelError as error:
            assert error.message  # noqa: PT017 - either a Graph or this error may come out
        assert time.process_time() - start < 1


SMALL = ("hello_world_int8", "simple_add_model", "problems/k2_b_cond")


@pytest.mark.parametrize("name", SMALL)
def test_mutations_give_a_graph_or_a_model_error(name: str) -> None:
    _hold_against_mutations(shared_path("models", f"{name}.tflite").read_bytes(), 700, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_many_mutations_give_a_graph_or_a_model_error(name: str) -> None:
    _hold_against_mutations(shared_path("models", f"{name}.tflite").read_bytes(), 6_700, 2)
