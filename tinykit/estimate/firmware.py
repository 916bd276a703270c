# SPDX-License-Identifier: Apache-2.0
"""What tinykit's own firmware adds to the runtime: protocol, clock, port, engine and resolver.

Fitted to projects that `tinykit generate` wrote, linked for the Cortex-M4 with GCC 12.2: twelve
thousand bytes of flash and 161 for each kind of operator; 2.7 KB of static data and 32 for each;
525 and 296 for each model after the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinykit.model.graph import Graph
from tinykit.tflm.arena import tensor_bytes
from tinykit.tflm.layout import ARENA_ALIGNMENT, align_up

_FLASH_BYTES, _FLASH_PER_OPERATOR, _FLASH_PER_FURTHER_MODEL = 12_040, 161, 525
_STATIC_BYTES, _STATIC_PER_OPERATOR, _STATIC_PER_FURTHER_MODEL = 2_748, 32, 296


@dataclass(frozen=True, slots=True)
class FirmwareCost:
    """Bytes besides model, runtime and arena.

    Attributes:
        static_bytes: of variables, the input buffer left out.
        input_buffer_bytes: where the protocol keeps the inputs that a host loads; a product that
            writes into the input tensors does without.
    """

    flash_bytes: int
    static_bytes: int
    input_buffer_bytes: int


def firmware_cost(graphs: Sequence[Graph], operators: int) -> FirmwareCost:
    """Return what the firmware around the models of an image costs.

    Args:
        operators: how many kinds of operator the resolver holds.
    """
    # One buffer takes the inputs of whichever model is to run.
    inputs = max(sum(tensor_bytes(g.main.tensors[i]) for i in g.main.inputs) for g in graphs)
    more = len(graphs) - 1
    return FirmwareCost(
        flash_bytes=_FLASH_BYTES
        + _FLASH_PER_OPERATOR * operators
        + _FLASH_PER_FURTHER_MODEL * more,
        static_bytes=_STATIC_BYTES
        + _STATIC_PER_OPERATOR * operators
        + _STATIC_PER_FURTHER_MODEL * more,
        input_buffer_bytes=align_up(inputs, ARENA_ALIGNMENT),
    )
