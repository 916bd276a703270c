# SPDX-License-Identifier: Apache-2.0
"""The JSON of `tinykit fit`: `tinykit.fit` for one board, `tinykit.fit-table` for many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinykit.estimate.advice import Peak, peak
from tinykit.estimate.fit import Fit, FlashFit, RamFit
from tinykit.model.graph import Graph
from tinykit.report.findings import finding_json
from tinykit.report.json import document
from tinykit.tflm import COMMIT
from tinykit.tflm.arena import Arena


def fit_json(name: str, result: Fit) -> str:
    """Return the `tinykit.fit` document."""
    graph, board = result.graph, result.board
    inputs = {
        "model": {"name": name, "sha256": graph.sha256, "size_bytes": graph.size_bytes},
        "board": {"name": board.id, "checked": board.checked},
        "kernels": result.kernels,
        "build": result.setup.build,
        "registrations": result.setup.registrations,
    }
    return document("tinykit.fit", inputs, fit_result(result), graph.notes)


def fit_result(result: Fit) -> dict[str, Any]:
    """Return the `result` of a `tinykit.fit` document."""
    return {
        "verdict": result.verdict,
        "arena": None if result.arena is None else _arena_json(result.arena),
        "ram": None if result.ram is None else _ram_json(result.ram),
        "flash": _flash_json(result.flash),
        "operators": _operators_json(result),
        "peak": None if result.arena is None else _peak_json(result.graph, peak(result.arena)),
        "findings": [finding_json(f) for f in result.findings],
    }


def _arena_json(needs: Arena) -> dict[str, Any]:
    return {
        "used_bytes": needs.used,
        "needed_bytes": needs.needed,
        "needed_for": needs.needed_for,
        "head_bytes": needs.head,
        "tail_bytes": needs.tail,
        "scratch_bytes": needs.scratch,
        "lower_bound_bytes": needs.lower_bound,
        "resource_variables": needs.resource_variables,
        "status": needs.status,
        "doubts": list(needs.doubts),
        "tflm_commit": COMMIT,
        "plan": [
            {
                "subgraph": b.subgraph,
                "tensor": b.tensor,
                "scratch_of_operator": b.operator,
                "offset_bytes": offset,
                "size_bytes": b.size,
                "first_step": b.first,
                "end_step": b.end,
            }
            for b, offset in zip(needs.plan.buffers, needs.plan.offsets, strict=True)
        ],
    }


def _ram_json(ram: RamFit) -> dict[str, Any]:
    return {
        "arena_bytes": ram.arena_bytes,
        "static_bytes": ram.static_bytes,
        "stack_bytes": ram.stack_bytes,
        "reserved_bytes": ram.reserved_bytes,
        "total_bytes": ram.total_bytes,
        "limit_bytes": ram.bank.size_bytes,
        "region": ram.bank.label,
        "region_address": ram.bank.address,
        "status": {"static_bytes": "estimated", "stack_bytes": "declared"},
    }


def _flash_json(flash: FlashFit) -> dict[str, Any]:
    return {
        "model_bytes": flash.model_bytes,
        "runtime_bytes": flash.runtime.runtime_bytes,
        "runtime_low_bytes": flash.runtime.low_bytes,
        "runtime_high_bytes": flash.runtime.high_bytes,
        "firmware_bytes": flash.firmware_bytes,
        "reserved_bytes": flash.reserved_bytes,
        "total_bytes": flash.total_bytes,
        "limit_bytes": flash.limit_bytes,
        "status": flash.runtime.status,
        "basis": flash.runtime.basis,
    }


def _operators_json(result: Fit) -> list[dict[str, Any]]:
    live: dict[tuple[int, int], int] = {}
    if result.arena is not None:
        for key, size_bytes in zip(result.arena.steps, result.arena.live, strict=True):
            if key is not None:
                live[key] = max(live.get(key, 0), size_bytes)
    return [
        {
            "index": c.operator,
            "subgraph": c.subgraph,
            "name": c.name,
            "macs": c.macs,
            "weight_bytes": c.weight_bytes,
            "live_bytes": live.get((c.subgraph, c.operator)),
        }
        for c in result.cost.operators
    ]


def _peak_json(graph: Graph, top: Peak | None) -> dict[str, Any] | None:
    if top is None:
        return None
    return {
        "subgraph": top.subgraph,
        "operator": top.operator,
        "live_bytes": top.live_bytes,
        "elsewhere_bytes": top.elsewhere_bytes,
        "buffers": [
            {
                "subgraph": b.subgraph,
                "tensor": b.tensor,
                "name": None
                if b.tensor is None
                else graph.subgraphs[b.subgraph].tensors[b.tensor].name,
                "size_bytes": b.size,
            }
            for b in top.buffers
        ],
    }


def table_json(name: str, graph: Graph, fits: Sequence[Fit]) -> str:
    """Return the `tinykit.fit-table` document: a `tinykit.fit` result per board."""
    inputs = {"model": {"name": name, "sha256": graph.sha256, "size_bytes": graph.size_bytes}}
    rows = [{"board": f.board.id, "kernels": f.kernels, **fit_result(f)} for f in fits]
    return document("tinykit.fit-table", inputs, {"fits": rows}, graph.notes)
