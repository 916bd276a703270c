# SPDX-License-Identifier: Apache-2.0
"""Scratch of CMSIS-NN against its own functions, compiled from 4ab83cc3 and called on samples."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import get_args

from tests.support import ROOT
from tests.tflm.kernels.windows import window
from tinykit.tflm.kernels import cmsis_nn_buffers as buffers
from tinykit.tflm.kernels.cmsis_nn_buffers import Isa
from tinykit.tflm.kernels.window import Window

FUNCTIONS: dict[str, Callable[[Isa, Window], int]] = {
    "arm_convolve_wrapper_s8": buffers.convolve_s8,
    "arm_convolve_wrapper_s16": buffers.convolve_s16,
    "arm_depthwise_conv_wrapper_s8": buffers.depthwise_s8,
    "arm_depthwise_conv_wrapper_s4": buffers.depthwise_s4,
    "arm_transpose_conv_s8": lambda isa, w: buffers.transpose_conv_s8(isa, w)[0],
    "arm_transpose_conv_s8 reverse": lambda isa, w: buffers.transpose_conv_s8(isa, w)[1],
}
ISAS: dict[str, Isa] = {isa: isa for isa in get_args(Isa)}


def test_samples_give_what_the_compiled_functions_gave() -> None:
    with (ROOT / "tests" / "data" / "kernels" / "cmsis_nn_buffers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = [
        row
        for row in rows
        if FUNCTIONS[row["function"]](ISAS[row["isa"]], window(row)) != int(row["bytes"])
    ]
    assert wrong == []
    assert {(row["function"], row["isa"]) for row in rows} >= {
        (f, isa) for f in FUNCTIONS for isa in ISAS if not f.endswith("reverse")
    }
