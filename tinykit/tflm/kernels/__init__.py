# SPDX-License-Identifier: Apache-2.0
"""The kernel tables: what each operator costs in the arena, per kernel library and ISA."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from tinykit.tflm.kernels import cmsis_nn, esp_nn, reference
from tinykit.tflm.kernels.cmsis_nn_buffers import Isa
from tinykit.tflm.kernels.kernel import Kernel

Library = Literal["reference", "cmsis-nn", "esp-nn"]


@lru_cache(maxsize=16)
def kernel_table(library: Library, isa: Isa) -> Mapping[str, Kernel]:
    """Return operator name -> kernel for a kernel library on a core with `isa`."""
    if library == "cmsis-nn":
        return {**reference.KERNELS, **cmsis_nn.kernels(isa)}
    if library == "esp-nn":
        return {**reference.KERNELS, **esp_nn.KERNELS}
    return reference.KERNELS
