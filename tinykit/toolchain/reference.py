# SPDX-License-Identifier: Apache-2.0
"""The reference for a model's outputs: the PyPI package `tflite-micro`, in a process of its own.

The runtime is no validator and can crash on a damaged model, so it never runs in this process.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

MISSING = "tflite-micro is not installed (pip install 'tinykit[verify]')"

# Reads inputs of all vectors one after the other, writes outputs likewise.
_RUN = """
import sys
import numpy
from tflite_micro import runtime

model, given, wanted, arena, inputs, outputs = sys.argv[1:]
interpreter = runtime.Interpreter.from_file(model, arena_size=int(arena))
details = [interpreter.get_input_details(i) for i in range(int(inputs))]
sizes = [int(numpy.prod(d["shape"])) * numpy.dtype(d["dtype"]).itemsize for d in details]
with open(given, "rb") as source, open(wanted, "wb") as sink:
    while chunk := source.read(sum(sizes)):
        at = 0
        for i, (detail, size) in enumerate(zip(details, sizes)):
            values = numpy.frombuffer(chunk[at : at + size], detail["dtype"])
            interpreter.set_input(values.reshape(detail["shape"]), i)
            at += size
        interpreter.invoke()
        for i in range(int(outputs)):
            sink.write(interpreter.get_output(i).tobytes())
"""
_TIMEOUT_SECONDS = 300


class ReferenceFailedError(Exception):
    """The reference runtime could not run the model; the message says why."""


def available() -> bool:
    """Return whether the reference runtime is installed."""
    return find_spec("tflite_micro") is not None


def reference_outputs(
    model: bytes, vectors: Sequence[bytes], *, inputs: int, outputs: int, arena_bytes: int
) -> list[bytes]:
    """Return the outputs of `model`, one string of bytes per input vector.

    Args:
        vectors: each all input tensors, one after the other; at least one.
        arena_bytes: of the arena on a 32-bit core; the 64-bit runtime gets several times that.

    Raises:
        ReferenceFailedError: the runtime refused the model, crashed or hung.
    """
    with TemporaryDirectory() as folder:
        names = [str(Path(folder, name)) for name in ("model.tflite", "inputs", "outputs")]
        Path(names[0]).write_bytes(model)
        Path(names[1]).write_bytes(b"".join(vectors))
        figures = [str(4 * arena_bytes + (1 << 20)), str(inputs), str(outputs)]
        try:
            done = subprocess.run(
                [sys.executable, "-c", _RUN, *names, *figures],
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ReferenceFailedError("tflite-micro did not answer in time") from error
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            raise ReferenceFailedError(f"tflite-micro refused the model: {last}")
        data = Path(names[2]).read_bytes()
    size = len(data) // len(vectors)
    return [data[k * size : (k + 1) * size] for k in range(len(vectors))]
