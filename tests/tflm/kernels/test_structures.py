# SPDX-License-Identifier: Apache-2.0
"""Parameters and operator data on a Cortex-M4 against the sizes in compiled code.

The table holds what each parser and each Init asks for, read from objects that
arm-none-eabi-g++ 12.2 compiled from TFLM 90b983c2 (`-mcpu=cortex-m4 -O2`).
"""

from __future__ import annotations

import csv

from tests.support import ROOT
from tinykit.tflm.kernels import kernel_table
from tinykit.tflm.kernels.kernel import CUSTOM
from tinykit.tflm.layout import ARM32, Struct

TABLES = {
    "reference": kernel_table("reference", "none"),
    "cmsis-nn": kernel_table("cmsis-nn", "dsp"),
}


def test_structures_have_the_size_that_compiled_code_asks_for() -> None:
    path = ROOT / "tests" / "data" / "kernels" / "arm32_structures.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = []
    for row in rows:
        kernel = TABLES[row["library"]][row["operator"]]
        params = ARM32.struct(kernel.params)
        asked = Struct(int(row["params_bytes"]), int(row["params_alignment"]))
        if params != asked or ARM32.struct(kernel.op_data).size != int(row["op_data_bytes"]):
            wrong.append(row)
    assert wrong == []
    listed = {row["operator"] for row in rows if row["library"] == "reference"}
    assert set(TABLES["reference"]) - listed == {f"{CUSTOM}ethos-u"}
