# SPDX-License-Identifier: Apache-2.0
"""The shipped models are what MODELS.md says they are."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.support import ROOT
from tinykit import read_model
from tinykit.model.findings import find_problems

MODELS = ROOT / "models"
PAGE = (MODELS / "MODELS.md").read_text(encoding="utf-8")

# Prints how many of the vectors the runtime classifies right.
CLASSIFY = """
import sys
import numpy as np
from tflite_micro import runtime

model, vectors = sys.argv[1:]
interpreter = runtime.Interpreter.from_file(model, arena_size=1 << 16)
right = 0
with np.load(vectors, allow_pickle=False) as data:
    for image, label in zip(data["inputs"], data["labels"], strict=True):
        interpreter.set_input(image[None], 0)
        interpreter.invoke()
        right += int(interpreter.get_output(0)[0].argmax() == label)
print(right)
"""


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.tflite")), ids=lambda path: path.name)
def test_page_states_size_and_hash(path: object) -> None:
    data = MODELS.joinpath(str(path)).read_bytes()
    assert hashlib.sha256(data).hexdigest() in PAGE
    assert f"{len(data):,} bytes" in PAGE


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.tflite")), ids=lambda path: path.name)
def test_shipped_model_runs_on_tflm(path: object) -> None:
    findings = find_problems(read_model(str(path)))
    assert [f for f in findings if f.severity == "error"] == []


def test_vectors_load_without_pickles() -> None:
    with np.load(MODELS / "digits_test.npz", allow_pickle=False) as data:
        assert data["inputs"].shape == (100, 32, 32, 1)
        assert data["inputs"].dtype == data["labels"].dtype == np.int8
        assert set(data["labels"].tolist()) <= set(range(10))


@pytest.mark.verify
def test_runtime_classifies_as_many_as_the_page_says() -> None:
    pytest.importorskip("tflite_micro", reason="tflite-micro missing (pip install '.[verify]')")
    files = [str(MODELS / name) for name in ("digits_int8.tflite", "digits_test.npz")]
    command = [sys.executable, "-c", CLASSIFY, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    stated = re.search(r"\| on `digits_test.npz` \| (\d+) of 100", PAGE)
    assert stated is not None
    assert int(done.stdout) == int(stated[1])
