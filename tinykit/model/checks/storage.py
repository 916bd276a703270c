# SPDX-License-Identifier: Apache-2.0
"""How constants lie in the file, and the offline memory plan stored beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinykit.model.checks import fixes
from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import quoted
from tinykit.model.graph import BITS
from tinykit.units import count, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tinykit.model.checks.view import View
    from tinykit.model.graph import Graph, Tensor

OFFLINE_PLAN = "OfflineMemoryAllocation"
"""Name of the metadata that TFLM reads. Source: micro_allocation_info.cc."""

_ALIGNMENT_BYTES = 16
"""What the converter aligns constants to, and SIMD kernels like best."""

_WORD_BYTES = 4
"""Cortex-M loads wider elements word by word, so no more alignment than this is needed."""

_PLAN_VERSIONS = (0, 1)
"""1 as documented, 0 as Vela writes it; the layout is the same and TFLM does not look."""

_EVAL_TENSOR_BYTES = 12
"""TfLiteEvalTensor on a 32-bit core; TFLM keeps one per tensor, used or not."""


def check(view: View) -> Iterator[Finding]:
    """Yield findings about sparse, external, unaligned and unused tensors and the plan."""
    yield from _stored(view.graph)
    yield from _unused(view.graph)
    yield from _offline_plan(view.graph)


def _stored(graph: Graph) -> Iterator[Finding]:
    sparse: list[tuple[int, Tensor]] = []
    external: list[tuple[int, Tensor]] = []
    short: list[tuple[int, Tensor]] = []
    unaligned: list[tuple[int, Tensor]] = []
    for subgraph in graph.subgraphs:
        for tensor in subgraph.tensors:
            if tensor.has_sparsity:
                sparse.append((subgraph.index, tensor))
            elif tensor.data is not None and len(tensor.data) < tensor.stored_bytes:
                short.append((subgraph.index, tensor))
            if tensor.external_data:
                external.append((subgraph.index, tensor))
            if tensor.data_offset is not None and tensor.data_offset % _ALIGNMENT_BYTES:
                unaligned.append((subgraph.index, tensor))
    if sparse:
        where, tensor = sparse[0]
        yield Finding(
            "sparse-tensor",
            "error",
            where,
            None,
            tensor.index,
            f"{count(len(sparse))} constants are stored sparse, first {quoted(tensor)}, and TFLM "
            "reads them as if they were dense.",
            fixes.STRIP_PRUNING,
            "tensorflow/tflite-micro#2279",
        )
    if short:
        where, tensor = short[0]
        yield Finding(
            "short-constant",
            "error",
            where,
            None,
            tensor.index,
            f"{count(len(short))} constants hold less than their shape says, first "
            f"{quoted(tensor)} of shape {list(tensor.shape)} with {size(len(tensor.data or b''))} "
            f"of {size(tensor.stored_bytes)}: TFLM reads past its end.",
            source="tensorflow/tflite-micro#3075",
        )
    if external:
        where, tensor = external[0]
        yield Finding(
            "external-data",
            "error",
            where,
            None,
            tensor.index,
            f"{count(len(external))} constants lie outside the flatbuffer, first "
            f"{quoted(tensor)}, where TFLM does not look.",
            source="tensorflow/tflite-micro: micro_allocator.cc",
        )
    if unaligned:
        yield _unaligned(unaligned)


def _unaligned(found: list[tuple[int, Tensor]]) -> Finding:
    """Return a warning where a load may fault, a note where it is only slower."""
    risky = [(w, t) for w, t in found if _misaligned_elements(t)]
    where, tensor = (risky or found)[0]
    return Finding(
        "unaligned-weights",
        "warning" if risky else "info",
        where,
        None,
        tensor.index,
        f"{count(len(found))} constants do not begin at a multiple of {_ALIGNMENT_BYTES} B, e.g. "
        f"{quoted(tensor)} at byte {count(tensor.data_offset or 0)}"
        + (
            f": its {tensor.type} elements lie askew, which faults on a Cortex-M0."
            if risky
            else ": SIMD loads may be slower."
        ),
        "",
        "tensorflow/tflite-micro#1370",
    )


def _misaligned_elements(tensor: Tensor) -> bool:
    width = min(max(BITS.get(tensor.type, 8) // 8, 1), _WORD_BYTES)
    return (tensor.data_offset or 0) % width != 0


def _unused(graph: Graph) -> Iterator[Finding]:
    unused: list[tuple[int, Tensor]] = []
    for subgraph in graph.subgraphs:
        used = {*subgraph.inputs, *subgraph.outputs}
        for operator in subgraph.operators:
            used.update(operator.inputs, operator.outputs, operator.intermediates)
        unused += [(subgraph.index, t) for t in subgraph.tensors if t.index not in used]
    if not unused:
        return
    where, tensor = unused[0]
    held = sum(t.stored_bytes for _, t in unused if t.data is not None)
    yield Finding(
        "unused-tensor",
        "info",
        where,
        None,
        tensor.index,
        f"No operator uses {count(len(unused))} of the tensors, first {quoted(tensor)}: they hold "
        f"{size(held)} of flash and {size(_EVAL_TENSOR_BYTES * len(unused))} of arena.",
        source="tensorflow/tflite-micro: TfLiteEvalTensor per tensor",
    )


def _offline_plan(graph: Graph) -> Iterator[Finding]:
    plan = graph.metadata.get(OFFLINE_PLAN)
    if plan is None:
        return
    total = sum(len(s.tensors) for s in graph.subgraphs)
    fault = _plan_fault(bytes(plan), total)
    if fault:
        yield Finding(
            "offline-plan-damaged",
            "error",
            0,
            None,
            None,
            f"The {OFFLINE_PLAN} metadata {fault}; TFLM reads it unchecked.",
            source="tensorflow/tflite-micro#3649",
        )
        return
    offsets = _words(bytes(plan))[3:]
    placed = sum(o >= 0 for o in offsets)
    yield Finding(
        "offline-plan",
        "info",
        0,
        None,
        None,
        f"The file brings its own memory plan: {count(placed)} of {count(total)} tensors have a "
        "fixed offset in the arena.",
        source="tensorflow/tflite-micro#1195",
    )


def _words(plan: bytes) -> list[int]:
    return [
        int.from_bytes(plan[i : i + 4], "little", signed=True) for i in range(0, len(plan) - 3, 4)
    ]


def _plan_fault(plan: bytes, tensors: int) -> str:
    """Return what is wrong with `[version, subgraph, count, offset...]`, "" where nothing is."""
    words = _words(plan)
    if len(words) < 3:
        return f"has {size(len(plan))} and needs at least 12 B"
    if words[0] not in _PLAN_VERSIONS:
        return f"has the version {words[0]}, and the layout that TFLM reads is 1"
    if words[2] != tensors:
        return f"plans {count(words[2])} tensors and the model has {count(tensors)}"
    if len(words) < 3 + tensors:
        return f"has {size(len(plan))} and {count(tensors)} tensors need {size(12 + 4 * tensors)}"
    low = min(words[3 : 3 + tensors], default=0)
    return f"has the offset {low}, where -1 is the least" if low < -1 else ""
