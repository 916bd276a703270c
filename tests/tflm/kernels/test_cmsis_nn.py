# SPDX-License-Identifier: Apache-2.0
"""The CMSIS-NN kernels against TFLM built with them for x86-64, where they have no extension.

`cmsis_nn_recorded.csv` holds what `arena_used_bytes()` gave for each model of one operator that
CMSIS-NN replaces; TFLM 90b983c2 and CMSIS-NN 4ab83cc3, g++, KERNELS_OPTIMIZED_FOR_SPEED, resource
variables in an arena of their own. What differs with the DSP and MVE extensions is the scratch,
which `test_cmsis_nn_buffers` and the rows of `test_arena` hold.
"""

from __future__ import annotations

import csv

import pytest

from tests.support import ROOT
from tinykit.model.graph import Graph, Operator, Quantization, Subgraph, Tensor
from tinykit.model.reader import read_model_file
from tinykit.tflm.arena import arena
from tinykit.tflm.kernels import cmsis_nn
from tinykit.tflm.kernels.kernel import kernel_key
from tinykit.tflm.layout import X86_64

DATA = ROOT / "tests" / "data"


def recorded() -> list[dict[str, str]]:
    with (DATA / "kernels" / "cmsis_nn_recorded.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", recorded(), ids=lambda row: row["model"])
def test_one_operator_uses_what_the_build_reported(row: dict[str, str]) -> None:
    graph = read_model_file(DATA / "operators" / f"{row['model']}.tflite")
    found = arena(graph, "cmsis-nn", "none", X86_64)
    assert found.used == int(row["used_bytes"])
    assert found.status == "exact"


def test_every_replaced_kernel_is_recorded() -> None:
    names = set()
    for row in recorded():
        graph = read_model_file(DATA / "operators" / f"{row['model']}.tflite")
        names |= {kernel_key(o) for s in graph.subgraphs for o in s.operators}
    assert set(cmsis_nn.kernels("none")) - names == set()


def row_of_one_channel(channels: int) -> Graph:
    """Return a depthwise convolution along a row of one channel."""
    weights = Quantization((0.5,) * channels, (0,) * channels)
    tensors = (
        Tensor(0, "", "INT8", (1, 1, 24, 1), quantization=Quantization((0.5,), (0,))),
        Tensor(1, "", "INT8", (1, 1, 5, channels), quantization=weights, data=memoryview(b"\0")),
        Tensor(2, "", "INT8", (1, 1, 24, channels), quantization=Quantization((0.5,), (0,))),
    )
    operator = Operator(0, "DEPTHWISE_CONV_2D", (0, 1), (2,))
    return Graph((Subgraph(0, "", tensors, (operator,), (0,), (2,)),), 3, "", 0)


def test_scratch_that_depends_on_an_unset_variable_is_not_called_exact() -> None:
    assert arena(row_of_one_channel(8), "cmsis-nn", "mve").status == "bounded"
    assert arena(row_of_one_channel(8), "cmsis-nn", "dsp").status == "exact"
    assert arena(row_of_one_channel(1), "cmsis-nn", "mve").status == "exact"
