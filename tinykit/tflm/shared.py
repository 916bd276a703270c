# SPDX-License-Identifier: Apache-2.0
"""One arena for several models of an image: their heads overlap, their tails add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinykit.model.graph import Graph
from tinykit.tflm.arena import simulate, simulate_next
from tinykit.tflm.kernels import Library, kernel_table
from tinykit.tflm.kernels.cmsis_nn_buffers import Isa
from tinykit.tflm.layout import ARM32, RuntimeLayout


@dataclass(frozen=True, slots=True)
class SharedArena:
    """The arena of all models of an image together, bytes; see `tinykit.tflm.arena.Arena`."""

    used: int
    needed: int


def shared_arena(graphs: Sequence[Graph], library: Library, isa: Isa) -> SharedArena:
    """Return the arena in which one MicroAllocator holds all models, allocated in the order given.

    Args:
        graphs: at least one.
        library: the kernel library of the firmware.
        isa: the core's extension that CMSIS-NN uses.

    Raises:
        PlanError: control flow has no bound.
    """
    first, *others = graphs
    kernels, layout = kernel_table(library, isa), RuntimeLayout(ARM32)
    arena = simulate(first, kernels, layout)
    for graph in others:
        arena = simulate_next(graph, kernels, layout, arena)
    return SharedArena(arena.used, arena.needed)
