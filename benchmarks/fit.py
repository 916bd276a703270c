# SPDX-License-Identifier: Apache-2.0
"""CPU seconds of tinykit's answers, best of five, as CSV; beside the peers that are installed.

    python benchmarks/fit.py [MODEL.tflite ...]

A command's figure is user plus system time of the whole process. The Python API's figure is one
call on bytes already in memory, after one call to warm up.
"""

from __future__ import annotations

import csv
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import tinykit
from tinykit.model.graph import Graph, Operator, OptionValue, Quantization, Subgraph, Tensor

RUNS = 5
ROOT = Path(__file__).resolve().parent.parent
DIGITS = ROOT / "models" / "digits_int8.tflite"


def process_seconds(command: Sequence[str]) -> float:
    """Return the least CPU seconds of `RUNS` runs of a command."""
    best = float("inf")
    for _ in range(RUNS):
        before = os.times()
        subprocess.run(command, check=False, capture_output=True)
        after = os.times()
        spent = after.children_user + after.children_system
        best = min(best, spent - before.children_user - before.children_system)
    return best


def call_seconds(model: bytes | Graph, board: tinykit.Board) -> float:
    """Return the least CPU seconds of one `tinykit.fit`."""
    tinykit.fit(model, board)
    best = float("inf")
    for _ in range(RUNS * 4):
        start = time.process_time()
        tinykit.fit(model, board)
        best = min(best, time.process_time() - start)
    return best


def chain(operators: int) -> Graph:
    """Return a chain of 3x3 depthwise convolutions on `[1, 16, 16, 8]`."""
    scale = Quantization((0.5,), (0,))
    per_channel = Quantization((0.01,) * 8, (0,) * 8, 3)
    weights = memoryview(bytes(72))
    tensors = [Tensor(0, "input", "INT8", (1, 16, 16, 8), quantization=scale)]
    nodes = []
    for k in range(operators):
        tensors.append(
            Tensor(2 * k + 1, "w", "INT8", (1, 3, 3, 8), 1, quantization=per_channel, data=weights)
        )
        tensors.append(Tensor(2 * k + 2, "x", "INT8", (1, 16, 16, 8), quantization=scale))
        options: dict[str, OptionValue] = {
            "padding": "SAME",
            "stride_w": 1,
            "stride_h": 1,
            "depth_multiplier": 1,
        }
        inputs, outputs = (2 * k, 2 * k + 1, -1), (2 * k + 2,)
        nodes.append(Operator(k, "DEPTHWISE_CONV_2D", inputs, outputs, options=options))
    main = Subgraph(0, "main", tuple(tensors), tuple(nodes), (0,), (2 * operators,))
    return Graph((main,), 3, "", 0)


def main() -> None:
    """Print the table."""
    models = [Path(word) for word in sys.argv[1:]] or [DIGITS]
    board = tinykit.find_board("cortex-m7")
    program = str(Path(sys.executable).with_name("tinykit"))
    out = csv.writer(sys.stdout)
    out.writerow(("what", "subject", "cpu_seconds", "python", "machine"))

    def row(what: str, subject: str, seconds: float) -> None:
        machine = f"{platform.machine()} {os.cpu_count()} cores"
        out.writerow((what, subject, f"{seconds:.4f}", platform.python_version(), machine))

    row("python -c pass", "", process_seconds([sys.executable, "-c", "pass"]))
    row("tinykit --help", "", process_seconds([program, "--help"]))
    for model in models:
        command = [program, "fit", str(model), "--board", "cortex-m7"]
        row("tinykit fit", model.name, process_seconds(command))
        row("tinykit.fit()", model.name, call_seconds(model.read_bytes(), board))
        for peer, words in (("mcufit", ["check", str(model), "-b", "stm32h743"]),
                            ("tensorscope", ["analyze", str(model)])):  # fmt: skip
            if found := shutil.which(peer, path=str(Path(sys.executable).parent)):
                row(peer, model.name, process_seconds([found, *words]))
    for operators in (250, 500, 1000, 2000):
        row("tinykit.fit()", f"chain of {operators}", call_seconds(chain(operators), board))


if __name__ == "__main__":
    main()
