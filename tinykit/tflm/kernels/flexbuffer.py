# SPDX-License-Identifier: Apache-2.0
"""The scalars of a FlexBuffers map: how custom operators store their options.

Source: https://flatbuffers.dev/internals, section FlexBuffers.
"""

from __future__ import annotations

from struct import calcsize, unpack_from

_INT, _UINT, _FLOAT, _MAP, _BOOL = 1, 2, 3, 9, 26
_INDIRECT = 5  # added to the type of a scalar that is stored elsewhere
_FORMATS = {
    _INT: {1: "<b", 2: "<h", 4: "<i", 8: "<q"},
    _UINT: {1: "<B", 2: "<H", 4: "<I", 8: "<Q"},
    _FLOAT: {4: "<f", 8: "<d"},
}
_MOST_ENTRIES = 256


class FlexBufferError(Exception):
    """The bytes are not a FlexBuffers map of scalars."""


def scalars(data: bytes | memoryview) -> dict[str, int | float]:
    """Return the numbers and booleans in the map that `data` holds.

    Raises:
        FlexBufferError: the data is not a map, or damaged.
    """
    data = bytes(data)
    if len(data) < 3:
        raise FlexBufferError("shorter than 3 bytes")
    root_width, packed = data[-1], data[-2]
    if packed >> 2 != _MAP:
        raise FlexBufferError("the root is not a map")
    at = len(data) - 2 - root_width
    values = at - _uint(data, at, root_width)
    width = 1 << (packed & 3)
    count = _uint(data, values - width, width)
    if count > _MOST_ENTRIES:
        raise FlexBufferError(f"{count} entries")
    keys_at = values - 3 * width
    keys = keys_at - _uint(data, keys_at, width)
    key_width = _uint(data, values - 2 * width, width)
    found: dict[str, int | float] = {}
    for k in range(count):
        key_at = keys + k * key_width
        name = _text(data, key_at - _uint(data, key_at, key_width))
        kind = _uint(data, values + count * width + k, 1)
        value = _scalar(data, values + k * width, width, kind)
        if value is not None:
            found[name] = value
    return found


def _scalar(data: bytes, at: int, width: int, packed: int) -> int | float | None:
    kind = packed >> 2
    if kind - _INDIRECT in _FORMATS:
        at, width, kind = at - _uint(data, at, width), 1 << (packed & 3), kind - _INDIRECT
    if kind == _BOOL:
        kind = _UINT
    layout = _FORMATS.get(kind, {}).get(width)
    if layout is None:
        return None
    value: int | float = _unpack(data, at, layout)
    return value


def _uint(data: bytes, at: int, width: int) -> int:
    layout = _FORMATS[_UINT].get(width)
    if layout is None:
        raise FlexBufferError(f"a width of {width} bytes")
    return int(_unpack(data, at, layout))


def _unpack(data: bytes, at: int, layout: str) -> int | float:
    if not 0 <= at <= len(data) - calcsize(layout):
        raise FlexBufferError("an offset leads out of the buffer")
    value: int | float = unpack_from(layout, data, at)[0]
    return value


def _text(data: bytes, at: int) -> str:
    end = data.find(b"\0", at) if 0 <= at < len(data) else -1
    if end < 0:
        raise FlexBufferError("a key leads out of the buffer")
    return data[at:end].decode("ascii", "replace")
