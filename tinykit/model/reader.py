# SPDX-License-Identifier: Apache-2.0
"""From the bytes of a `.tflite` file to a `Graph`.

The only file that knows what the tables of the format mean. Nothing is believed: indices, shapes
and buffer sizes are checked here, so that everybody above may rely on the Graph. Weights are never
copied; a Graph keeps the file's bytes alive.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import cast

from tinykit.errors import ModelError
from tinykit.model.flatbuffer import File, Table
from tinykit.model.graph import (
    BITS,
    Graph,
    Operator,
    OptionValue,
    Quantization,
    Signature,
    Subgraph,
    Tensor,
    TensorType,
)
from tinykit.model.schema import (
    IDENTIFIER,
    OPERATORS,
    TENSOR_TYPES,
    VERSION,
    Option,
    option_table,
)
from tinykit.sanitise import printable

MOST_ELEMENTS = (1 << 31) - 1
"""Elements that a tensor may have: runtimes count them in a 32-bit integer."""

_DENSE_BUFFERLESS = frozenset({"STRING", "RESOURCE", "VARIANT"})
_TEXT = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))
_HEAD_BYTES = 32
_CODE_BEYOND_BYTE = 127  # PLACEHOLDER_FOR_GREATER_OP_CODES

# What people hand over instead of a model: how it begins, what it is, what to do.
_OTHER_FORMATS = (
    (b"version https://git-lfs", "a Git LFS pointer, not the model itself", "run `git lfs pull`"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"PK\x03\x04", "a zip archive (a Keras .keras file?)", "convert it to TensorFlow Lite first"),
    (b"\x89HDF", "an HDF5 file (a Keras .h5 model?)", "convert it to TensorFlow Lite first"),
    (b"\x89PNG", "a PNG image", "name the .tflite file"),
    (b"\x7fELF", "a linked program", "name the .tflite file"),
    (b"<!", "a web page, not a model", "download the file itself"),
    (b"<html", "a web page, not a model", "download the file itself"),
    (b"\x08\x01\x12", "a TensorFlow SavedModel?", "convert it to TensorFlow Lite first"),
)


def read_model(data: bytes | bytearray | memoryview, *, lenient: bool = False) -> Graph:
    """Return the graph of a `.tflite` file.

    Args:
        data: the whole file; must not change while the Graph is in use.
        lenient: read on past a wrong file identifier or schema version, with a note.

    Raises:
        ModelError: the file is damaged; the message names the table and the byte.
    """
    view = memoryview(data).cast("B").toreadonly()
    notes: list[str] = []
    _check_identifier(view, lenient, notes)
    return _ModelReader(File(view), lenient, notes).read()


def read_model_file(path: Path, *, lenient: bool = False) -> Graph:
    """Return the graph of the `.tflite` file at `path`; see `read_model`.

    Raises:
        ModelError: there is no such file, it cannot be read, or it is damaged.
    """
    from tinykit.model.source import read_bytes

    if not lenient:
        # Before the rest is read: what is no model may be large.
        _check_identifier(memoryview(read_bytes(path, most=_HEAD_BYTES)), lenient, [])
    return read_model(read_bytes(path), lenient=lenient)


def _check_identifier(view: memoryview, lenient: bool, notes: list[str]) -> None:
    if not len(view):
        raise ModelError("the file is empty", hint="make or copy the model again")
    head = bytes(view[:_HEAD_BYTES])
    if head[4:8] == IDENTIFIER:
        return
    for start, what, hint in _OTHER_FORMATS:
        if head.lower().lstrip().startswith(start.lower()):
            raise ModelError(f"this is {what}", offset=0, hint=hint)
    # A protobuf whose field 1 is a small integer, the IR version, and field 2, 7 or 8 follows.
    if head[0] == 8 and head[1:2] < b"\x20" and head[2:3] in (b"\x12", b"\x3a", b"\x42"):
        hint = "convert it to TensorFlow Lite first"
        raise ModelError("this is an ONNX model?", offset=0, hint=hint)
    if all(byte in _TEXT for byte in head):
        raise ModelError("this is a text file", offset=0, hint="name the .tflite file")
    if len(head) < 8:
        raise ModelError(f"truncated: the file has {len(head)} bytes", offset=0)
    found = printable(head[4:8].decode("latin-1"))
    message = f"the file identifier is '{found}', not 'TFL3'"
    if not lenient:
        hint = "check that this is a .tflite file; --lenient reads on"
        raise ModelError(message, offset=4, hint=hint)
    notes.append(message)


def _quote(name: str) -> str:
    return f"'{printable(name[:81], limit=80)}'"


class _ModelReader:
    """Reads one file; holds what the parts of the model need from each other."""

    def __init__(self, file: File, lenient: bool, notes: list[str]) -> None:
        self._file = file
        self._lenient = lenient
        self._notes = notes
        self._buffers: list[Table] = []
        self._buffer_data: dict[int, tuple[memoryview | None, int | None, bool]] = {}
        self._codes: list[tuple[str, str, int]] = []

    def read(self) -> Graph:
        model = self._file.root("the model")
        version = model.scalar(0, "u32")
        if version != VERSION:
            message = f"the schema version is {version}, not {VERSION}"
            if not self._lenient:
                hint = "convert the model again with a current TensorFlow; --lenient reads on"
                raise ModelError(message, offset=model.position, hint=hint)
            self._notes.append(message)
        self._codes = [self._operator_code(t) for t in model.tables(1, "operator code")]
        self._buffers = model.tables(4, "buffer")
        tables = model.tables(2, "subgraph")
        if not tables:
            raise ModelError("the model has no subgraph", offset=model.position)
        subgraphs = tuple(self._subgraph(k, t) for k, t in enumerate(tables))
        metadata = self._metadata(model)
        signatures = tuple(self._signature(t, subgraphs) for t in model.tables(7, "signature"))
        self._note_the_rest()
        return Graph(
            subgraphs=subgraphs,
            version=version,
            description=model.string(3, "description"),
            size_bytes=self._file.size,
            source=self._file.bytes,
            metadata=metadata,
            signatures=signatures,
            notes=tuple(self._notes),
        )

    def _note_the_rest(self) -> None:
        rest = self._file.size - self._file.end
        # A FlatBuffer is padded to its largest alignment, which is 16 here.
        if rest > 16:
            self._notes.append(f"{rest:,} bytes after the model are not part of it")

    @staticmethod
    def _operator_code(table: Table) -> tuple[str, str, int]:
        """Return name, custom code and version."""
        # Files older than the wide field have it absent; newer ones cap the narrow field at 127.
        code = max(table.scalar(0, "i8"), table.scalar(3, "i32"))
        if code < 0:
            raise ModelError(f"{table.what} is negative ({code})", offset=table.position)
        known = code < len(OPERATORS) and code != _CODE_BEYOND_BYTE
        name = OPERATORS[code] if known else f"BUILTIN_{code}"
        custom = table.string(1, "custom code") if name == "CUSTOM" else ""
        return name, custom, table.scalar(2, "i32", 1)

    def _metadata(self, model: Table) -> dict[str, memoryview]:
        found = {}
        for table in model.tables(6, "metadata"):
            data, _, _ = self._data(table.scalar(1, "u32"), table)
            found[table.string(0, "name")] = data if data is not None else memoryview(b"")
        return found

    def _signature(self, table: Table, subgraphs: Sequence[Subgraph]) -> Signature:
        index = table.scalar(4, "u32")
        if index >= len(subgraphs):
            raise ModelError(
                f"{table.what} names subgraph {index} of {len(subgraphs)}",
                offset=table.position,
            )
        tensors = len(subgraphs[index].tensors)

        def names(slot: int, what: str) -> dict[str, int]:
            pairs = {}
            for entry in table.tables(slot, what):
                tensor = entry.scalar(1, "u32")
                if tensor >= tensors:
                    raise ModelError(
                        f"{entry.what} of {table.what} names tensor {tensor} of {tensors}",
                        offset=entry.position,
                    )
                pairs[entry.string(0, "name")] = tensor
            return pairs

        key = table.string(2, "key")
        return Signature(key, index, names(0, "input"), names(1, "output"))

    def _subgraph(self, index: int, table: Table) -> Subgraph:
        tensors = tuple(self._tensor(k, t) for k, t in enumerate(table.tables(0, "tensor")))
        count = len(tensors)
        return Subgraph(
            index=index,
            name=table.string(4, "name"),
            tensors=tensors,
            operators=tuple(
                self._operator(k, t, count) for k, t in enumerate(table.tables(3, "operator"))
            ),
            inputs=_indices(table, 1, "inputs", count, optional=False),
            outputs=_indices(table, 2, "outputs", count, optional=False),
        )

    def _tensor(self, index: int, table: Table) -> Tensor:
        name = table.string(3, "name")
        code = table.scalar(1, "i8")
        if not 0 <= code < len(TENSOR_TYPES):
            raise ModelError(
                f"tensor {index} {_quote(name)} has the unknown type {code}",
                offset=table.position,
            )
        kind = cast("TensorType", TENSOR_TYPES[code])
        shape = _shape(index, name, table.numbers(0, "i32", "shape"), table)
        buffer = table.scalar(2, "u32")
        data, offset, external = self._data(buffer, table)
        sparse = table.table(6, "sparsity") is not None
        if data is not None and not sparse:
            _check_data_size(index, name, kind, shape, len(data), offset)
        return Tensor(
            index=index,
            name=name,
            type=kind,
            shape=shape,
            buffer=buffer,
            shape_signature=table.numbers(7, "i32", "shape signature"),
            quantization=_quantization(index, name, table.table(4, "quantization")),
            data=data,
            data_offset=offset,
            is_variable=bool(table.scalar(5, "bool")),
            has_sparsity=sparse,
            has_rank=bool(table.scalar(8, "bool")),
            # Field 10 names data in another file, which is not opened.
            external_data=external or table.scalar(10, "u32") != 0,
        )

    def _data(self, index: int, user: Table) -> tuple[memoryview | None, int | None, bool]:
        """Return a buffer's bytes, where they lie, and whether they lie behind the FlatBuffer."""
        found = self._buffer_data.get(index)
        if found is not None:
            return found
        if index >= len(self._buffers):
            # A file without any buffer still says 0, the buffer that is always empty.
            if index == 0:
                return None, None, False
            raise ModelError(
                f"{user.what} uses buffer {index} of {len(self._buffers)}",
                offset=user.position,
            )
        found = self._read_buffer(self._buffers[index])
        self._buffer_data[index] = found
        return found

    def _read_buffer(self, table: Table) -> tuple[memoryview | None, int | None, bool]:
        offset, size = table.scalar(1, "u64"), table.scalar(2, "u64")
        if offset > 1:
            # Data of models beyond 2 GB lies behind the FlatBuffer (1 stands for "none").
            self._file.reach(offset, size, f"the data of {table.what}")
            return self._file.bytes[offset : offset + size], offset, True
        data = table.bytes(0, "data")
        if data is None or not len(data[0]):
            return None, None, False
        return data[0], data[1], False

    def _operator(self, index: int, table: Table, tensors: int) -> Operator:
        code = table.scalar(0, "u32")
        if code >= len(self._codes):
            raise ModelError(
                f"operator {index} uses operator code {code} of {len(self._codes)}",
                offset=table.position,
            )
        name, custom, version = self._codes[code]
        options_type, options = _options(table)
        raw = table.bytes(5, "custom options")
        return Operator(
            index=index,
            name=name,
            inputs=_indices(table, 1, "inputs", tensors, optional=True),
            outputs=_indices(table, 2, "outputs", tensors, optional=False),
            version=version,
            custom_code=custom,
            intermediates=_indices(table, 8, "intermediates", tensors, optional=True),
            options=options,
            options_type=options_type,
            custom_options=None if raw is None else raw[0],
        )


def _indices(
    table: Table, slot: int, what: str, tensors: int, *, optional: bool
) -> tuple[int, ...]:
    indices = table.numbers(slot, "i32", what)
    lowest = -1 if optional else 0
    if indices and not (min(indices) >= lowest and max(indices) < tensors):
        wrong = next(i for i in indices if not lowest <= i < tensors)
        raise ModelError(
            f"the {what} of {table.what} name tensor {wrong}; the subgraph has {tensors}",
            offset=table.position,
        )
    return indices


def _shape(index: int, name: str, shape: tuple[int, ...], table: Table) -> tuple[int, ...]:
    elements = 1
    # Step by step: the product of a million dimensions would be a number of megabytes.
    for dimension in shape:
        if dimension > 0:
            elements *= dimension
            if elements > MOST_ELEMENTS:
                raise ModelError(
                    f"tensor {index} {_quote(name)} has the absurd shape {_listed(shape)}",
                    offset=table.position,
                )
        elif dimension < -1:
            raise ModelError(
                f"tensor {index} {_quote(name)} has a negative dimension: {_listed(shape)}",
                offset=table.position,
            )
    return shape


def _listed(shape: tuple[int, ...]) -> str:
    return str(list(shape[:8]))[:-1] + (", …]" if len(shape) > 8 else "]")


def _check_data_size(
    index: int, name: str, kind: TensorType, shape: tuple[int, ...], found: int, offset: int | None
) -> None:
    if kind in _DENSE_BUFFERLESS or (shape and min(shape) < 0):
        return
    wanted = (prod(shape) * BITS[kind] + 7) // 8
    if found != wanted:
        raise ModelError(
            f"constant tensor {index} {_quote(name)} of type {kind} and shape {_listed(shape)} "
            f"needs {wanted:,} bytes, its buffer has {found:,}",
            offset=offset,
        )


def _quantization(index: int, name: str, table: Table | None) -> Quantization | None:
    if table is None:
        return None
    scales = table.reals(2, "scales")
    zero_points = table.numbers(3, "i64", "zero points")
    if not scales and not zero_points:
        return None
    if len(zero_points) not in (0, 1, len(scales)):
        raise ModelError(
            f"tensor {index} {_quote(name)} has {len(scales)} scales and {len(zero_points)} zero "
            "points",
            offset=table.position,
        )
    # The dimension may lie beyond the rank: biases of public models name their filter's.
    return Quantization(scales, zero_points, table.scalar(6, "i32"))


def _options(operator: Table) -> tuple[str, dict[str, OptionValue]]:
    """Return the option table's name and its fields, ("", {}) when there is none."""
    for kind_slot, slot, second in ((3, 4, False), (11, 12, True)):
        kind = operator.scalar(kind_slot, "u8")
        schema = option_table(kind, second=second) if kind else None
        if schema is None:
            continue
        table = operator.table(slot, "options")
        if table is None:
            continue
        return schema.name, {
            field.name: _option(table, field) if table.has(field.slot) else field.default
            for field in schema.fields
        }
    return "", {}


def _option(table: Table, field: Option) -> OptionValue:
    """Return the value of a field that is present."""
    kind = field.kind
    if kind == "str":
        return table.string(field.slot, field.name)
    if kind == "f32":
        return table.real(field.slot)
    if kind[0] == "[":
        return table.numbers(field.slot, kind[1:-1], field.name)
    value = table.scalar(field.slot, kind)
    if field.names:
        return field.names[value] if 0 <= value < len(field.names) else f"UNKNOWN_{value}"
    return value
