# SPDX-License-Identifier: Apache-2.0
"""The signal library's custom operators, which make features from audio.

Their options come as a FlexBuffers map; several take memory for a state that lives between
inferences.

Source: signal/micro/kernels/ and signal/src/ at the commit of `tinykit.tflm.COMMIT`; the FFT's
state is that of KissFFT 130 (kiss_fft_alloc, kiss_fftr_alloc).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from tinykit.tflm.kernels.kernel import (
    CUSTOM,
    Allocations,
    Kernel,
    MalformedOperatorError,
    Node,
    Prepare,
    borrow,
)
from tinykit.tflm.layout import ARENA_ALIGNMENT, align_up

_CIRCULAR_BUFFER = "3p 2i p"
_FLOAT32 = 0
_TYPE_BYTES = {_FLOAT32: 4, 2: 4, 7: 2}  # TensorType FLOAT32, INT32, INT16


def _circular_buffer(arena: Allocations, capacity: int) -> int:
    """Return the bytes of a circular buffer of `capacity` 16-bit elements, doubled."""
    return arena.struct(_CIRCULAR_BUFFER) + 2 * 2 * capacity


def _outer(node: Node, inner_dims: int) -> int:
    """Return the product of all but the last `inner_dims` dimensions of the input."""
    tensor = node.need_input(0)
    return prod(node.dims(tensor, max(inner_dims, len(tensor.shape)))[:-inner_dims])


def _each(arena: Allocations, count: int, size: int) -> None:
    arena.persistent(count * align_up(size, ARENA_ALIGNMENT))


def _delay(node: Node, arena: Allocations) -> None:
    borrow(1)(node, arena)
    outer = _outer(node, 1)
    arena.persistent(arena.pointers(outer))
    arena.persistent(arena.pointers(outer))
    capacity = node.last_dim(node.need_input(0)) + node.custom_option("delay_length")
    _each(arena, outer, _circular_buffer(arena, capacity))


def _framer(node: Node, arena: Allocations) -> None:
    borrow(1, 2)(node, arena)
    outer = _outer(node, 1)
    arena.persistent(arena.pointers(outer))
    arena.persistent(arena.pointers(outer))
    step = node.custom_option("frame_step")
    if step == 0:
        raise MalformedOperatorError("has frame_step 0")
    capacity = _multiple(node.custom_option("frame_size"), step)
    _each(arena, outer, _circular_buffer(arena, capacity))


def _multiple(value: int, step: int) -> int:
    """Return the smallest multiple of `step` >= `value`."""
    return (value + step - 1) // step * step


def _filter_bank_init(node: Node, arena: Allocations) -> None:
    arena.persistent(8 * (node.custom_option("num_channels") + 1))


def _spectral_subtraction_init(node: Node, arena: Allocations) -> None:
    arena.persistent(4 * node.custom_option("num_channels"))


def _stacker_init(node: Node, arena: Allocations) -> None:
    frames = node.custom_option("stacker_left_context") + node.custom_option(
        "stacker_right_context"
    )
    arena.persistent(_circular_buffer(arena, node.custom_option("num_channels") * (frames + 1)))


def _type_bytes(node: Node) -> int:
    code = node.custom_option("T")
    if code not in _TYPE_BYTES:
        raise MalformedOperatorError(f"has element type {code}, which TFLM does not run")
    return _TYPE_BYTES[code]


def _fft_bytes(node: Node, arena: Allocations) -> int:
    complex_bytes = 2 * _type_bytes(node)
    half = max(1, node.custom_option("fft_length") // 2)
    plan = align_up(4 * (2 + 2 * 32) + complex_bytes, 4) + complex_bytes * (half - 1)
    return arena.pointers(3) + plan + complex_bytes * (half * 3 // 2)


def _rfft_init(node: Node, arena: Allocations) -> None:
    arena.persistent(_fft_bytes(node, arena))


def _irfft_init(node: Node, arena: Allocations) -> None:
    wrapper = arena.struct("i p") if node.custom_option("T") == _FLOAT32 else 0
    arena.persistent(wrapper + _fft_bytes(node, arena))


def _rfft(node: Node, arena: Allocations) -> None:
    borrow(1)(node, arena)
    arena.scratch(node.custom_option("fft_length") * _type_bytes(node))


def _overlap_add(node: Node, arena: Allocations) -> None:
    borrow(1)(node, arena)
    outer = _outer(node, 2)
    arena.persistent(arena.pointers(outer))
    _each(arena, outer, node.last_dim(node.need_input(0)) * _type_bytes(node))


def _signal(op_data: str, prepare: Prepare, init: Prepare | None = None) -> Kernel:
    return Kernel("", op_data, prepare, init)


KERNELS: Mapping[str, Kernel] = {
    f"{CUSTOM}Signal{name}": kernel
    for name, kernel in {
        "Delay": _signal("3i 2p", _delay),
        "Energy": _signal("2i", borrow(1)),
        "FftAutoScale": _signal("", borrow(1, 2)),
        "FilterBank": _signal("(i 5p 2i) p", borrow(6), _filter_bank_init),
        "FilterBankLog": _signal("2i", borrow(1)),
        "FilterBankSpectralSubtraction": _signal(
            "(8i b) 2p", borrow(1, 2), _spectral_subtraction_init
        ),
        "FilterBankSquareRoot": _signal("", borrow(2)),
        "Framer": _signal("4i b 2p", _framer),
        "Irfft": _signal("4i e p", borrow(1), _irfft_init),
        "OverlapAdd": _signal("4i e p", _overlap_add),
        "PCAN": _signal("i", borrow(3)),
        "Rfft": _signal("4i e p i p", _rfft, _rfft_init),
        "Stacker": _signal("4i 2p b 2p", borrow(1, 2), _stacker_init),
        "Window": _signal("2i", borrow(2)),
    }.items()
}
