# SPDX-License-Identifier: Apache-2.0
"""Flash of the TFLM runtime against 80 firmwares that were linked elsewhere, object by object."""

from __future__ import annotations

import csv
import time
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import shared_path
from tinykit.errors import UsageError
from tinykit.model.operators import SUPPORTED
from tinykit.model.reader import read_model_file
from tinykit.tflm import flash
from tinykit.tflm.flash import RuntimeFlash, int8_registrations, runtime_flash

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

TABLES = sorted(path.stem.split("_") for path in flash._TABLES.glob("*.json"))

USED_INT8 = frozenset(
    {
        "ADD",
        "AVERAGE_POOL_2D",
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "FULLY_CONNECTED",
        "SOFTMAX",
        "SVDF",
    }
)
"""What the firmwares registered with `Register_X_INT8()`; the rest of them generically.

Inferred from the rows themselves: with this set every residual is small; see also
`flash_objects.csv`, e.g. arm_max_pool_s16.c.o in the int8 firmware of blazeface.
"""


def release(
    operators: Collection[str], kernels: str = "cmsis-nn", int8: Collection[str] = ()
) -> RuntimeFlash:
    return runtime_flash(
        operators, kernels=kernels, core="cortex-m4", build="release", int8_only=int8
    )


@cache
def operators_of(path: Path) -> frozenset[str]:
    graph = read_model_file(path)
    return frozenset(op.name for subgraph in graph.subgraphs for op in subgraph.operators)


def firmwares() -> list[dict[str, str]]:
    with shared_path("truth", "flash.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_linked_firmware_is_met_within_its_band() -> None:
    worst: Counter[str] = Counter()
    for row in firmwares():
        main_bytes = int(row["split"].split()[0].removeprefix("main="))
        linked_bytes = int(row["code_bytes"]) - main_bytes
        ours = runtime_flash(
            operators_of(shared_path("models", f"{row['model']}.tflite")),
            kernels=row["kernels"],
            core=row["core"],
            build="release" if row["build"] == "release" else "default",
            int8_only=USED_INT8 if row["int8_only_registrations"] == "1" else (),
        )
        assert ours.low_bytes <= linked_bytes <= ours.high_bytes, row
        assert not ours.unknown
        miss_permille = round(1000 * abs(ours.runtime_bytes - linked_bytes) / linked_bytes)
        worst[row["build"]] = max(worst[row["build"]], miss_permille)
    assert worst["release"] < 10
    assert worst["default"] < 8


def objects(model: str, kernels: str, int8: str) -> Counter[str]:
    """Return part -> bytes of one firmware on the Cortex-M4, release build."""
    parts: Counter[str] = Counter()
    with shared_path("truth", "flash_objects.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["model"], row["kernels"], row["int8_only_registrations"]
            if key == (model, kernels, int8):
                parts[row["part"]] += int(row["bytes"])
    return parts


def test_the_int8_registration_saves_what_the_two_links_differ_by() -> None:
    # FULLY_CONNECTED alone: CMSIS-NN 13,296 -> 10,424 and the kernel 2,576 -> 1,696.
    generic, int8 = (objects("ad01_int8", "cmsis-nn", flag) for flag in "01")
    assert (generic["cmsis-nn"], int8["cmsis-nn"]) == (13_296, 10_424)
    assert (generic["tflm-kernel"], int8["tflm-kernel"]) == (2_576, 1_696)
    only = {"FULLY_CONNECTED"}
    saved = release(only).runtime_bytes - release(only, int8=only).runtime_bytes
    assert saved == (13_296 - 10_424) + (2_576 - 1_696)


def test_a_firmware_of_one_operator_is_the_sum_of_its_objects() -> None:
    parts = objects("ad01_int8", "reference", "0")
    del parts["firmware"]
    ours = release({"FULLY_CONNECTED"}, "reference")
    # 31 bytes of padding between the sections belong to no object.
    assert ours.low_bytes <= parts.total() + 31 <= ours.high_bytes


def test_the_kernels_of_two_operators_share_what_cmsis_nn_shares() -> None:
    # kws is person_detect's operators and FULLY_CONNECTED: 84,376 B against 70,588 B.
    person = {"AVERAGE_POOL_2D", "CONV_2D", "DEPTHWISE_CONV_2D", "RESHAPE", "SOFTMAX"}
    added = release({*person, "FULLY_CONNECTED"}).runtime_bytes - release(person).runtime_bytes
    assert added == pytest.approx(84_376 - 70_588, abs=400)


@pytest.mark.parametrize(("core", "kernels", "build"), TABLES)
def test_each_table_covers_every_builtin_operator_of_tflm(
    core: str, kernels: str, build: str
) -> None:
    table = flash._table(core, kernels, build)
    assert table is not None
    names = {name for name in SUPPORTED if not name.startswith("Signal")}
    assert names - set(table.registrations) <= {"ethos-u"}
    reached = set().union(*(table.atoms((row,)) for row in table.registrations))
    assert reached <= set(range(len(table.atom_bytes)))


@given(st.data())
def test_adding_an_operator_never_shrinks_and_never_exceeds_the_sum(data: st.DataObject) -> None:
    core, kernels, build = data.draw(st.sampled_from(TABLES))
    table = flash._table(core, kernels, build)
    assert table is not None
    rows = st.sets(st.sampled_from(sorted(table.registrations)))
    some, more = data.draw(rows), data.draw(rows)
    union = table.code_bytes(some | more)
    assert union >= max(table.code_bytes(some), table.code_bytes(more))
    assert union <= table.code_bytes(some) + table.code_bytes(more) - table.base_bytes


def test_int8_registrations_are_those_of_the_operator_table() -> None:
    listed = {name for name, row in SUPPORTED.items() if row.int8_registration}
    assert int8_registrations("cmsis-nn") == listed
    assert int8_registrations("reference") == frozenset()


def test_an_operator_without_a_figure_is_named_and_widens_the_band() -> None:
    known, both = release({"CONV_2D"}), release({"CONV_2D", "MyOp"})
    assert both.unknown == ("MyOp",)
    assert "MyOp" in both.basis
    assert both.runtime_bytes == known.runtime_bytes
    assert both.high_bytes > known.high_bytes + 20_000
    assert both.status == "estimated"


@pytest.mark.parametrize("core", ["cortex-m0", "cortex-m23", "xtensa-lx7", "host", "../secret"])
def test_a_core_without_a_table_says_what_stands_in(core: str) -> None:
    ours = runtime_flash({"CONV_2D"}, kernels="cmsis-nn", core=core, build="release")
    assert f"stand in for the {core} with cmsis-nn kernels" in ours.basis
    assert ours.low_bytes < 0.96 * ours.runtime_bytes


def test_a_core_measured_in_the_other_build_shifts_the_cortex_m4() -> None:
    # The Cortex-M55's default build was linked too: hide its table, then compare with it.
    operators = {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "RESHAPE", "SOFTMAX"}
    linked_bytes = 97_508 - 1_557  # str_ww_ref_model in flash.csv, less its main
    table = flash._table

    def hidden(core: str, kernels: str, build: str) -> flash._Table | None:
        return None if (core, build) == ("cortex-m55", "default") else table(core, kernels, build)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flash, "_table", hidden)
        ours = runtime_flash(operators, kernels="cmsis-nn", core="cortex-m55", build="default")
    assert ours.low_bytes <= linked_bytes <= ours.high_bytes
    assert ours.runtime_bytes == pytest.approx(linked_bytes, rel=0.02)


def test_an_unknown_build_is_refused() -> None:
    with pytest.raises(UsageError, match="no flash figures for the build 'fast'"):
        runtime_flash((), kernels="cmsis-nn", core="cortex-m4", build="fast")  # type: ignore[arg-type]


def test_no_operators_is_the_base_and_static_ram_is_small() -> None:
    assert release(()).runtime_bytes < 14_000
    # A firmware's .data and .bss beside the arena are 400 to 570 bytes with its own objects.
    assert 0 < release({"CONV_2D", "SOFTMAX"}).static_ram_bytes < 470


def test_a_table_loads_in_a_few_milliseconds() -> None:
    flash._table.cache_clear()
    start = time.process_time()
    release({"CONV_2D"})
    assert time.process_time() - start < 0.02
