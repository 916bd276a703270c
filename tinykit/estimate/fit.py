# SPDX-License-Identifier: Apache-2.0
"""Whether a model fits a board: arena and flash held against the board's memory, and a verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from tinykit.board import Bank, Board
from tinykit.errors import PlanError
from tinykit.estimate.arena_findings import arena_findings
from tinykit.estimate.firmware import FirmwareCost, firmware_cost
from tinykit.model.cost import ModelCost, count_cost
from tinykit.model.findings import Finding, find_problems
from tinykit.model.graph import Graph
from tinykit.tflm.arena import Arena, arena
from tinykit.tflm.flash import RuntimeFlash, runtime_flash
from tinykit.tflm.kernels import Library
from tinykit.tflm.registrations import int8_only

Verdict = Literal["fits", "does-not-fit", "cannot-run"]
Build = Literal["default", "release"]
Registrations = Literal["generic", "int8"]

STACK_BYTES = 4096
"""Stack that a firmware sets aside unless told otherwise; declared, not measured."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How the firmware is built and what it keeps for itself.

    Attributes:
        kernels: the kernel library, or "auto" for the one that suits the board's core.
        build: "release" strips TFLM's error strings and assertions.
        registrations: "int8" links INT8-only kernels where the model's types allow.
        stack_bytes: >= 0.
        reserve_ram_bytes: RAM that the application needs besides tinykit's firmware, >= 0.
        reserve_flash_bytes: likewise flash.
    """

    kernels: Library | Literal["auto"] = "auto"
    build: Build = "release"
    registrations: Registrations = "int8"
    stack_bytes: int = STACK_BYTES
    reserve_ram_bytes: int = 0
    reserve_flash_bytes: int = 0


@dataclass(frozen=True, slots=True)
class RamFit:
    """RAM asked for, against the largest contiguous bank; bytes."""

    arena_bytes: int
    static_bytes: int
    stack_bytes: int
    reserved_bytes: int
    bank: Bank

    @property
    def total_bytes(self) -> int:
        """Return all that must lie in the bank."""
        return self.arena_bytes + self.static_bytes + self.stack_bytes + self.reserved_bytes

    @property
    def missing_bytes(self) -> int:
        """Return by how much the bank is too small, <= 0 when it is large enough."""
        return self.total_bytes - self.bank.size_bytes


@dataclass(frozen=True, slots=True)
class FlashFit:
    """Flash asked for, against what the board leaves to the application; bytes."""

    model_bytes: int
    runtime: RuntimeFlash
    firmware_bytes: int
    reserved_bytes: int
    limit_bytes: int

    @property
    def total_bytes(self) -> int:
        """Return the size of the image and the reserve."""
        own = self.model_bytes + self.firmware_bytes + self.reserved_bytes
        return own + self.runtime.runtime_bytes

    @property
    def missing_bytes(self) -> int:
        """Return by how much flash is too small at the upper end of the runtime's band."""
        above = self.runtime.high_bytes - self.runtime.runtime_bytes
        return self.total_bytes + above - self.limit_bytes


@dataclass(frozen=True, slots=True)
class Fit:
    """The answer for one model on one board."""

    verdict: Verdict
    graph: Graph
    board: Board
    setup: Setup
    kernels: Library
    arena: Arena | None
    ram: RamFit | None
    flash: FlashFit
    cost: ModelCost
    findings: tuple[Finding, ...]

    @property
    def headroom(self) -> float:
        """Return the smaller share of RAM and flash left free; negative when one is too small."""
        flash = -self.flash.missing_bytes / max(1, self.flash.limit_bytes)
        if self.ram is None:
            return flash
        return min(flash, -self.ram.missing_bytes / max(1, self.ram.bank.size_bytes))


@dataclass(frozen=True, slots=True)
class Analysis:
    """What holds for a model on any board; made once for a table of boards."""

    graph: Graph
    cost: ModelCost
    findings: tuple[Finding, ...]
    operators: frozenset[str]
    int8_only: frozenset[str]

    @classmethod
    def of(cls, graph: Graph) -> Analysis:
        """Return the analysis of `graph`."""
        names = frozenset(op.label for s in graph.subgraphs for op in s.operators)
        return cls(graph, count_cost(graph), find_problems(graph), names, int8_only(graph))


def fit(graph: Graph, board: Board, setup: Setup = Setup()) -> Fit:
    """Return whether `graph` fits `board`, with every figure behind the answer."""
    return fit_analysis(Analysis.of(graph), board, setup)


def fit_analysis(model: Analysis, board: Board, setup: Setup) -> Fit:
    """Return the fit of a model that is analysed already."""
    kernels: Library = board.kernels if setup.kernels == "auto" else setup.kernels
    findings = tuple(f for f in model.findings if f.holds_with(kernels))
    needs: Arena | None = None
    try:
        needs = arena(model.graph, kernels, board.cmsis_nn_isa)
        findings += arena_findings(model.graph, needs)
    except PlanError as error:
        findings += (Finding("cannot-plan", "error", 0, None, None, error.message),)
    firmware = firmware_cost([model.graph], len(model.operators))
    ram = None if needs is None else _ram(needs, firmware, board, setup)
    flash = _flash(model, firmware, board, setup, kernels)
    if ram is None or any(f.severity == "error" for f in findings):
        verdict: Verdict = "cannot-run"
    elif ram.missing_bytes > 0 or flash.missing_bytes > 0:
        verdict = "does-not-fit"
    else:
        verdict = "fits"
    return Fit(verdict, model.graph, board, setup, kernels, needs, ram, flash, model.cost, findings)


def _ram(needs: Arena, firmware: FirmwareCost, board: Board, setup: Setup) -> RamFit:
    return RamFit(
        needs.needed,
        firmware.static_bytes,
        setup.stack_bytes,
        setup.reserve_ram_bytes,
        board.ram_banks()[0],
    )


def shared_runtime(fits: Sequence[Fit]) -> RuntimeFlash:
    """Return the flash of the one runtime that serves the models of several fits."""
    first = fits[0]
    graphs = [fit.graph for fit in fits]
    names = {op.label for g in graphs for s in g.subgraphs for op in s.operators}
    generic = {
        op.name
        for g in graphs
        for s in g.subgraphs
        for op in s.operators
        if op.name not in int8_only(g)
    }
    return _runtime(names, names - generic, first.board, first.setup, first.kernels)


def _runtime(
    operators: Collection[str],
    int8: Collection[str],
    board: Board,
    setup: Setup,
    kernels: Library,
) -> RuntimeFlash:
    return runtime_flash(
        operators,
        kernels=kernels,
        core=board.core,
        build=setup.build,
        int8_only=int8 if setup.registrations == "int8" else frozenset(),
    )


def _flash(
    model: Analysis, firmware: FirmwareCost, board: Board, setup: Setup, kernels: Library
) -> FlashFit:
    runtime = _runtime(model.operators, model.int8_only, board, setup, kernels)
    return FlashFit(
        model.graph.size_bytes,
        runtime,
        firmware.flash_bytes,
        setup.reserve_flash_bytes,
        board.flash_bytes,
    )
