# SPDX-License-Identifier: Apache-2.0
"""The reader, against the generated bindings of the PyPI package `tflite`, and against damage."""

from __future__ import annotations

import os
import random
import re
import struct
import time
import tracemalloc
from collections.abc import Callable, Sequence
from hashlib import sha256
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


def _signature(table: Any) -> tuple[str, int, dict[str, int], dict[str, int]]:
    inputs = [table.Inputs(k) for k in range(table.InputsLength())]
    outputs = [table.Outputs(k) for k in range(table.OutputsLength())]
    return (
        _text(table.SignatureKey()),
        table.SubgraphIndex(),
        {_text(m.Name()): m.TensorIndex() for m in inputs},
        {_text(m.Name()): m.TensorIndex() for m in outputs},
    )


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
    assert [(s.key, s.subgraph, s.inputs, s.outputs) for s in graph.signatures] == [
        _signature(model.SignatureDefs(k)) for k in range(model.SignatureDefsLength())
    ]
    assert (graph.size_bytes, graph.sha256) == (
        path.stat().st_size,
        sha256(path.read_bytes()).hexdigest(),
    )


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
        (b"\n  <html lang='en'><head>", "web page"),
        # ModelProto: ir_version 8 and producer "pytorch"; SavedModel: schema version 1, meta graph.
        (b"\x08\x08\x12\x07pytorch\x1a\x051.2.0:", "ONNX"),
        (b"\x08\x01\x12\x94\x2a\x12\x06\x0a\x04serve", "SavedModel"),
        (b"const unsigned char model[] = {0x1c, 0x00, ", "text file"),
        (b"\x18\0\0", "truncated: the file has 3 bytes"),
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


def test_data_in_another_file_is_marked() -> None:
    # Field 10 of a tensor, `external_buffer`; the file has no such vector in the older schema.
    tensor = read_model(Builder().tensor({1: ("Int8", 9), 10: ("Uint32", 3)}, {0: (8,)}))
    assert tensor.main.tensors[0].external_data
    assert tensor.main.tensors[0].data is None


@pytest.mark.parametrize(
    "data",
    # 4 bytes for each part that is the same table, or fewer parts and room that allows them.
    [Builder().bomb(200_000), Builder().operators(200_000),
     Builder().operators(13_000).ljust(200_000, b"\0"), Builder().bomb(16).ljust(200_000, b"\0")],
    ids=["tensors", "operators", "padded operators", "padded tensors"],
)  # fmt: skip
def test_parts_shared_over_and_over_cost_little(data: bytes) -> None:
    start = time.process_time()
    try:
        read_model(data)
    except ModelError as error:
        assert "describes far more than it holds" in error.message  # noqa: PT017 - either is fine
    assert time.process_time() - start < 1
    tracemalloc.start()
    try:
        read_model(data)
    except ModelError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 200e6


def test_a_shape_of_a_hundred_thousand_dimensions_is_refused_at_once() -> None:
    data = Builder().tensor({1: ("Int8", 9)}, {0: ((1 << 31) - 1,) * 100_000})
    start = time.process_time()
    with pytest.raises(ModelError, match=r"absurd shape \[2147483647, .*…\]"):
        read_model(data)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("dims", "fine"),
    [((46_340, 46_340), True), ((46_341, 46_341), False), ((0, 1 << 30, 1 << 30), False),
     ((-1, 8), True), ((-2, 8), False)],
)  # fmt: skip
def test_shapes_have_at_most_31_bits_of_elements(dims: tuple[int, ...], fine: bool) -> None:
    # 46,340 is the largest integer whose square is below 2**31.
    data = Builder().tensor({1: ("Int8", 9)}, {0: dims})
    if fine:
        assert read_model(data).main.tensors[0].shape == dims
        return
    with pytest.raises(ModelError, match=r"tensor 0 '' has (the absurd|a negative)"):
        read_model(data)


def test_a_dimension_of_the_scales_beyond_the_rank_is_read() -> None:
    # The bias has one dimension and says 3, as its filter; TFLM runs the model.
    tensor = read_model_file(shared_path("models", "person_detect.tflite")).main.tensors[33]
    assert tensor.quantization is not None
    assert (len(tensor.shape), tensor.quantization.dimension) == (1, 3)


def test_names_cannot_steer_the_terminal() -> None:
    with pytest.raises(ModelError, match="negative dimension") as caught:
        read_model(Builder().named("\x1b[2J" + "x" * 5000, (-2,)))
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 200


def test_pipes_and_folders_are_no_models(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    large = tmp_path / "large.tflite"
    with large.open("wb") as file:
        file.truncate((1 << 30) + 1)
    for path, message in {
        tmp_path: "is a folder",
        tmp_path / "absent": "there is no file",
        Path("/dev/zero"): "is not a regular file",
        pipe: "is not a regular file",
        large: "has 1,073,741,825 bytes; the limit is 1,073,741,824",
        Path("bad\0name"): "cannot read",
    }.items():
        with pytest.raises(ModelError, match=message):
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
