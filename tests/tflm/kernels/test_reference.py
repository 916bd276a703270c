# SPDX-License-Identifier: Apache-2.0
"""Every reference kernel against what the runtime recorded for a model of that one operator."""

from __future__ import annotations

import csv

import pytest

from tests.support import ROOT
from tests.tflm.wheel import LAYOUT, WHEEL_KERNELS
from tinykit.model.operators import SUPPORTED
from tinykit.model.reader import read_model_file
from tinykit.tflm.arena import simulate
from tinykit.tflm.kernels.kernel import CUSTOM, kernel_key
from tinykit.tflm.kernels.reference import KERNELS

OPERATORS = ROOT / "tests" / "data" / "operators"


def recorded() -> list[dict[str, str]]:
    with (OPERATORS / "recorded.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", recorded(), ids=lambda row: row["model"])
def test_one_operator_uses_what_the_runtime_recorded(row: dict[str, str]) -> None:
    graph = read_model_file(OPERATORS / f"{row['model']}.tflite")
    found = simulate(graph, WHEEL_KERNELS, LAYOUT)
    assert (found.used, found.head) == (int(row["used_bytes"]), int(row["head_bytes"]))
    assert found.status == "exact"


def test_every_kernel_but_the_npus_is_recorded() -> None:
    names = set()
    for row in recorded():
        graph = read_model_file(OPERATORS / f"{row['model']}.tflite")
        names |= {kernel_key(o) for s in graph.subgraphs for o in s.operators}
    assert set(KERNELS) - names == {f"{CUSTOM}ethos-u"}


def test_every_operator_that_tflm_has_is_in_the_tables() -> None:
    wanted = {f"{CUSTOM}{s.name}" if s.custom else s.name for s in SUPPORTED.values()}
    assert wanted - set(KERNELS) == set()
