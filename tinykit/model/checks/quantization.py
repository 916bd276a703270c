# SPDX-License-Identifier: Apache-2.0
"""Scales and zero points that a kernel needs, refuses or silently misreads."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from tinykit.model.checks import fixes
from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import first_and_count, quoted
from tinykit.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tinykit.model.checks.view import Node, View
    from tinykit.model.graph import Quantization, Tensor

_CHANNELS: Mapping[str, int] = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3, "TRANSPOSE_CONV": 0}
"""Dimension of the filter along which per-channel scales run, whatever the file says."""

_SYMMETRIC_WEIGHTS = frozenset({*_CHANNELS, "FULLY_CONNECTED", "SVDF"})
_RESCALES = frozenset({
    *_SYMMETRIC_WEIGHTS, "ADD", "BATCH_MATMUL", "DEQUANTIZE", "DIV", "LEAKY_RELU", "LOGISTIC",
    "MUL", "QUANTIZE", "RELU", "RELU6", "SOFTMAX", "SQUARED_DIFFERENCE", "SUB", "TANH",
})  # fmt: skip
"""Operators that divide by a scale or multiply with one."""

_QUANTIZED = frozenset({"INT8", "INT16", "INT4"})
_FIXED: Mapping[tuple[str, str, str], tuple[float | None, int]] = {
    ("SOFTMAX", "INT8", "INT8"): (1 / 256, -128),
    ("SOFTMAX", "INT8", "INT16"): (1 / 65536, -32768),
    ("SOFTMAX", "INT16", "INT16"): (1 / 32768, 0),
    ("LOGISTIC", "INT8", "INT8"): (None, -128),
    ("LOG_SOFTMAX", "INT8", "INT8"): (16 / 256, 127),
}
"""Scale and zero point of the output that a kernel's Prepare insists on."""

_SAME_SCALE = frozenset({"AVERAGE_POOL_2D", "CONCATENATION", "MAX_POOL_2D"})
_OLD_LIBRARIES = (
    "Chirale_TensorFlowLite 2.0.0, Arduino_TensorFlowLite 2.4.0-ALPHA, MicroTFLite 1.0.3, "
    "tflm_cortexm 1.0.0, TensorFlowLite_ESP32 1.0.0, ESP_TF 2.0.1, pio-tflite-lib 1.1.1 and the "
    "Edge Impulse SDK 1.93.20 read only the first scale and compute wrong, tflm_esp32 2.0.0 "
    "refuses"
)
"""Read in each library's fully_connected_common.cc, 2026-08."""

_SMALLEST_RANGE = 1e-6


def check(view: View) -> Iterator[Finding]:
    """Yield findings about the quantization of operators, then of the model's inputs."""
    per_channel: list[Node] = []
    for node in view.nodes:
        row = node.row
        if row is None:
            continue
        if row.name in _RESCALES:
            yield from _needed(node, row.weights, row.bias)
        if row.name in _SYMMETRIC_WEIGHTS:
            yield from _weights(node, row.name)
        if row.name == "FULLY_CONNECTED" and _is_per_channel(node):
            per_channel.append(node)
        if row.name in _SAME_SCALE:
            yield from _same_scale(node)
        elif row.name in ("SOFTMAX", "LOGISTIC", "LOG_SOFTMAX"):
            yield from _fixed_output(node, row.name)
    yield from _per_channel(per_channel)
    yield from _inputs(view)


def _is_per_channel(node: Node) -> bool:
    data, weights = node.data, node.input(1)
    quantized = data is not None and data.type in _QUANTIZED
    return quantized and weights is not None and _scales(weights) > 1


def _scales(tensor: Tensor) -> int:
    return len(tensor.quantization.scales) if tensor.quantization is not None else 0


def _usable(quantization: Quantization | None) -> bool:
    if quantization is None or not quantization.scales:
        return False
    return min(quantization.scales) > 0 and isfinite(sum(quantization.scales))  # sum: NaN too


def _needed(node: Node, weights: tuple[int, ...], bias: int | None) -> Iterator[Finding]:
    """Yield the first tensor that has no usable scale though the kernel computes with it."""
    data = node.data
    if data is None or data.type not in _QUANTIZED:
        if node.name != "QUANTIZE":
            return
    elif node.name in _SYMMETRIC_WEIGHTS:
        filters = [node.input(i) for i in weights]
        if any(f is not None and f.type not in _QUANTIZED for f in filters):
            return
    read = [t for i, t in enumerate(node.inputs) if i != bias]
    for tensor in (*read, *node.outputs):
        if tensor is None or tensor.type not in _QUANTIZED or _usable(tensor.quantization):
            continue
        found = "a scale that is not above 0" if _scales(tensor) else "no scale"
        yield Finding(
            "missing-quantization",
            "error",
            node.subgraph.index,
            node.operator.index,
            tensor.index,
            f"{node.place} computes with {quoted(tensor)} of type {tensor.type}, which has "
            f"{found}.",
            fixes.FULL_INT8,
            "tensorflow/tflite-micro: kernels/conv_common.cc",
        )
        return


def _weights(node: Node, name: str) -> Iterator[Finding]:
    weights = node.input(1)
    if weights is None or weights.type not in ("INT8", "INT4") or weights.quantization is None:
        return
    quantization = weights.quantization
    if any(quantization.zero_points):
        zero = next(z for z in quantization.zero_points if z)
        yield Finding(
            "zero-point-of-filter",
            "error",
            node.subgraph.index,
            node.operator.index,
            weights.index,
            f"{node.place} has weights {quoted(weights)} with the zero point {zero}; TFLM takes it "
            "to be 0 and computes something else.",
            fixes.FULL_INT8,
            "tensorflow/tensorflow#44912",
        )
    dimension = _CHANNELS.get(name, quantization.dimension)
    scales = len(quantization.scales)
    if scales < 2 or name == "SVDF":
        return
    channels = weights.shape[dimension] if 0 <= dimension < len(weights.shape) else 0
    if scales != channels:
        yield Finding(
            "per-channel-scale-count",
            "error",
            node.subgraph.index,
            node.operator.index,
            weights.index,
            f"{node.place} has {count(scales)} scales for {count(channels)} channels in "
            f"{quoted(weights)} of shape {list(weights.shape)}.",
            source="tensorflow/tflite-micro: kernels/conv_common.cc",
        )


def _per_channel(nodes: list[Node]) -> Iterator[Finding]:
    if not nodes:
        return
    weights = nodes[0].inputs[1]
    yield Finding(
        "per-channel-fully-connected",
        "warning",
        nodes[0].subgraph.index,
        nodes[0].operator.index,
        weights.index if weights is not None else None,
        f"{first_and_count(nodes)} has per-channel weights "
        f"({count(_scales(weights) if weights is not None else 0)} scales), which current TFLM "
        f"runs, but {_OLD_LIBRARIES}.",
        fixes.PER_TENSOR_DENSE,
        "tensorflow/tflite-micro: kernels/fully_connected_common.cc",
    )
    wide = [n for n in nodes if n.data is not None and n.data.type == "INT16"]
    if wide:
        yield Finding(
            "per-channel-fully-connected-int16",
            "error",
            wide[0].subgraph.index,
            wide[0].operator.index,
            None,
            f"{first_and_count(wide)} has INT16 activations and per-channel weights, which the "
            "CMSIS-NN kernel refuses.",
            fixes.PER_TENSOR_DENSE,
            "tensorflow/tflite-micro: kernels/cmsis_nn/fully_connected.cc",
            "cmsis-nn",
        )


def _first(quantization: Quantization | None) -> tuple[float, int]:
    """Return what TFLM's legacy `params` hold: the first scale and zero point, else 0."""
    if quantization is None:
        return 0.0, 0
    zero = quantization.zero_points[0] if quantization.zero_points else 0
    return (quantization.scales[0] if quantization.scales else 0.0), zero


def _same_scale(node: Node) -> Iterator[Finding]:
    output = node.outputs[0]
    pooled = ("INT8",) if node.name == "CONCATENATION" else ("INT8", "INT16")
    if output.type not in pooled:
        return
    scale, zero = _first(output.quantization)
    for tensor in node.inputs:
        if tensor is None:
            continue
        found, found_zero = _first(tensor.quantization)
        allowed = 0.0 if node.name == "CONCATENATION" else 1e-6
        if abs(found - scale) <= allowed and found_zero == zero:
            continue
        yield Finding(
            "quantization-mismatch",
            "error",
            node.subgraph.index,
            node.operator.index,
            tensor.index,
            f"{node.place} reads {quoted(tensor)} with scale {found:.6g} and zero point "
            f"{found_zero} and writes scale {scale:.6g} and {zero}; its TFLM kernel does not "
            "rescale.",
            fixes.FULL_INT8,
            f"tensorflow/tflite-micro: the Prepare of {node.label}",
        )
        return


def _fixed_output(node: Node, name: str) -> Iterator[Finding]:
    data, output = node.data, node.outputs[0]
    wanted = _FIXED.get((name, data.type if data is not None else "", output.type))
    if wanted is None:
        return
    scale, zero = _first(output.quantization)
    tolerance = 1e-3 if output.type == "INT16" else 0.0
    if zero == wanted[1] and (wanted[0] is None or abs(scale / wanted[0] - 1) <= tolerance):
        return
    needs = f"zero point {wanted[1]}" + (f" and scale {wanted[0]:.6g}" if wanted[0] else "")
    yield Finding(
        "quantization-mismatch",
        "error",
        node.subgraph.index,
        node.operator.index,
        output.index,
        f"{node.place} writes {quoted(output)} with zero point {zero} and scale {scale:.6g}, and "
        f"its TFLM kernel wants {needs}.",
        fixes.FULL_INT8,
        f"tensorflow/tflite-micro: the Prepare of {name}",
    )


def _inputs(view: View) -> Iterator[Finding]:
    """Yield what the scale of an input says about the range that it was calibrated for."""
    main = view.graph.main
    for index in main.inputs:
        if not 0 <= index < len(main.tensors):
            continue
        tensor = main.tensors[index]
        if tensor.type not in ("INT8", "UINT8", "INT16") or tensor.quantization is None:
            continue
        scale, zero = _first(tensor.quantization)
        note = _range_note(tensor.type, scale, zero)
        if note:
            degenerate = not scale > _SMALLEST_RANGE
            yield Finding(
                "suspicious-input-scale",
                "warning" if degenerate else "info",
                0,
                None,
                index,
                f"Input {quoted(tensor)} has the scale {scale:.6g} and the zero point {zero}: "
                f"{note}.",
                fixes.CALIBRATE if degenerate else "",
                "tensorflow/tensorflow#40935",
            )


def _range_note(dtype: str, scale: float, zero: int) -> str:
    low = -128 if dtype == "INT8" else 0
    if not scale > _SMALLEST_RANGE:
        return "hardly any range, as from a representative dataset of zeros"
    if dtype == "INT16":
        return ""
    if abs(scale - 1 / 255) < 1e-4 and zero == low:
        return "made for values from 0 to 1, so a pixel p of 0 to 255 goes in as p" + (
            " - 128" if low else ""
        )
    if scale == 1.0:
        return (
            f"made for values from {low - zero} to {low - zero + 255} as they are, with nothing "
            "normalised"
        )
    return ""
