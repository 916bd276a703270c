# SPDX-License-Identifier: Apache-2.0
"""The TFLM in the PyPI package tflite-micro: what it reports, and how its build differs.

The package's interpreter records its allocations, keeps the table of resource variables in the
same arena and is built with support for compressed tensors, from a later commit than
`tinykit.tflm.COMMIT`. The differences below were read from the compiled code of
0.dev20261023182759 (sizes that each Init and each parser asks for); all other sizes are equal.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tinykit.tflm.kernels.contraction import (
    CONV_PARAMS,
    OP_DATA_CONV,
    OP_DATA_FULLY_CONNECTED,
)
from tinykit.tflm.kernels.kernel import Kernel
from tinykit.tflm.kernels.reference import KERNELS
from tinykit.tflm.layout import X86_64, RuntimeLayout

LAYOUT = RuntimeLayout(
    X86_64,
    changes={
        # RecordingSingleArenaBufferAllocator: four counters more
        "arena_allocator": "2p 5p p i 4p",
        # RecordingMicroAllocator: the allocator again, eight records of three counters
        "micro_allocator": "p 4p b p p p p 8(3p)",
        "subgraph_allocations": "2p p",  # list of compressed tensors
    },
    variables_in_arena=True,
)


def _changed(name: str, op_data: str, params: str | None = None) -> tuple[str, Kernel]:
    kernel = KERNELS[name]
    return name, replace(kernel, op_data=op_data, params=params or kernel.params)


WHEEL_KERNELS: Mapping[str, Kernel] = {
    **KERNELS,
    **dict(
        (
            # indices of decompression scratch buffers
            _changed("ASSIGN_VARIABLE", "i"),
            _changed("CONCATENATION", "i 2p 2i f 10i"),
            _changed("CONV_2D", f"{OP_DATA_CONV} 2i"),
            _changed("DEPTHWISE_CONV_2D", f"{OP_DATA_CONV} 2i"),
            _changed("TRANSPOSE_CONV", f"({CONV_PARAMS}) 4i 2p"),
            # likewise; and the later commit has two more parameters
            _changed("FULLY_CONNECTED", f"{OP_DATA_FULLY_CONNECTED} 2i", "2e 2b e 2p"),
        )
    ),
}

_CHILD = """
import sys
from tflite_micro import runtime
for line in sys.stdin:
    size, path = line.rstrip("\\n").split(" ", 1)
    print("@model@", file=sys.stderr, flush=True)
    try:
        interpreter = runtime.Interpreter.from_file(path, arena_size=int(size))
        interpreter.print_allocations()
    except Exception as error:
        print("@failed@", error, file=sys.stderr, flush=True)
"""
_LINE = re.compile(r"Arena allocation (total|head|tail) (\d+) bytes")
_ENDS = ("total", "head", "tail")
_PLENTY = 1 << 23
_SECONDS = 60


@dataclass(frozen=True)
class Recorded:
    """What the recording interpreter reports, in bytes."""

    used: int
    head: int
    tail: int


def record(models: Sequence[Path]) -> dict[Path, Recorded]:
    """Return what the interpreter reports for each model that it can allocate."""
    reports = _run([(path, _PLENTY) for path in models])
    return {path: ends for path, ends in zip(models, reports, strict=True) if ends is not None}


def works(requests: Sequence[tuple[Path, int]]) -> list[bool]:
    """Return for each model and arena size in bytes whether the interpreter can allocate."""
    return [ends is not None for ends in _run(requests)]


def _run(requests: Sequence[tuple[Path, int]]) -> list[Recorded | None]:
    """Try each model in an arena of the given size.

    The models share a child process; when it dies, the next child goes on behind the model that
    killed it.
    """
    found: list[Recorded | None] = []
    while len(found) < len(requests):
        child = subprocess.run(
            [sys.executable, "-c", _CHILD],
            input="".join(f"{size} {path}\n" for path, size in requests[len(found) :]),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
        reports = _reports(child.stderr)
        if not reports:
            raise AssertionError(f"the interpreter does not start: {child.stderr[-500:]}")
        found += reports
    return found


def _reports(text: str) -> list[Recorded | None]:
    """Return one report for each model that the child began, None where it failed."""
    reports: list[Recorded | None] = []
    for part in text.split("@model@")[1:]:
        ends = dict(_LINE.findall(part))
        complete = "@failed@" not in part and len(ends) == 3
        reports.append(Recorded(*(int(ends[k]) for k in _ENDS)) if complete else None)
    return reports
