# SPDX-License-Identifier: Apache-2.0
"""Scratch of ESP-NN against its own functions, compiled from d45b843c and called on samples.

Each sample holds the most that the functions of the ESP32-S3 and of the ESP32-P4 gave.
"""

from __future__ import annotations

import csv

from tests.support import ROOT
from tests.tflm.graphs import kws
from tests.tflm.kernels.windows import window
from tinykit.tflm.arena import arena
from tinykit.tflm.kernels.esp_nn import conv, depthwise_conv


def rows(function: str) -> list[dict[str, str]]:
    with (ROOT / "tests" / "data" / "kernels" / "esp_nn_scratch.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["function"] == function]


def test_a_convolution_is_given_the_most_that_a_chip_asks_for() -> None:
    samples = rows("esp_nn_conv_s8")
    assert len(samples) == 150
    assert [conv(window(r)) for r in samples] == [int(r["most_bytes"]) for r in samples]


def test_a_depthwise_convolution_is_given_what_the_esp32_s3_asks_for() -> None:
    samples = rows("esp_nn_depthwise_conv_s8")
    assert len(samples) == 150
    assert [depthwise_conv(window(r), int(r["depth_multiplier"])) for r in samples] == [
        int(r["most_bytes"]) for r in samples
    ]


def test_the_arena_is_an_upper_bound_and_says_why() -> None:
    found = arena(kws(), "esp-nn", "none")
    assert found.status == "bounded"
    assert all("ESP-NN differs by chip and release" in doubt for doubt in found.doubts)
    assert found.needed > arena(kws(), "reference", "none").needed
