# SPDX-License-Identifier: Apache-2.0
"""The reference kernels, all families in one table: every operator that TFLM has."""

from __future__ import annotations

from collections.abc import Mapping

from tinykit.tflm.kernels import (
    contraction,
    control,
    custom,
    elementwise,
    recurrent,
    shaping,
    signal,
)
from tinykit.tflm.kernels.kernel import Kernel

KERNELS: Mapping[str, Kernel] = {
    **contraction.KERNELS,
    **control.KERNELS,
    **custom.KERNELS,
    **elementwise.KERNELS,
    **recurrent.KERNELS,
    **shaping.KERNELS,
    **signal.KERNELS,
}
