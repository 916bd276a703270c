# SPDX-License-Identifier: Apache-2.0
"""The PlatformIO catalogue: complete, corrected where known to be wrong, marked as unchecked."""

from __future__ import annotations

import csv

import pytest

from tests.support import shared_path
from tinykit.board import find_board
from tinykit.board.catalogue import (
    catalogue_board,
    catalogue_ids,
    corrections,
    entry,
)
from tinykit.board.cores import CORES, FPUS


def test_the_catalogue_is_the_published_one() -> None:
    """Every row of the ten PlatformIO platforms, figures unchanged."""
    with shared_path("facts", "boards_platformio.csv").open(encoding="utf-8") as stream:
        wanted = {(r["platform"], r["id"]): r for r in csv.DictReader(stream)}
    rows = {(r["platform"], r["id"]): r for group in catalogue_ids().values() for r in group}
    assert len(rows) == len(wanted) == 1182
    for key, row in rows.items():
        for column in ("name", "vendor", "mcu", "f_cpu_hz", "ram_bytes", "flash_bytes"):
            assert row[column] == wanted[key][column], key


def test_every_board_loads_as_unchecked() -> None:
    for board_id in catalogue_ids():
        board = catalogue_board(board_id)
        assert board is not None
        assert not board.checked
        assert board.isa in CORES[board.core]
        assert board.fpu in FPUS
        assert len(board.ram_banks()) == 1
        assert board.largest_ram_bytes > 0
        assert board.flash_bytes > 0
        assert board.f_max_hz > 0
        assert "not checked" in board.notes[0]
        assert {"core", "f_max_hz", "region RAM", "region flash"} <= board.sources.keys()
    assert catalogue_board("no-such-board") is None


def test_every_correction_changes_a_row() -> None:
    rows = [{**r, "note": "", "app_bytes": ""} for rs in catalogue_ids().values() for r in rs]
    for correction in corrections():
        assert correction.source.strip()
        hits = [r for r in rows if correction.applies(r)]
        assert hits, correction
        if correction.field in rows[0]:
            assert any(r[correction.field] != correction.value for r in hits), correction


@pytest.mark.parametrize(
    ("board_id", "field", "value"),
    [
        ("weact_mini_h750vbtx", "ram_bytes", 524_288),
        ("weact_mini_h750vbtx", "flash_bytes", 131_072),
        ("devebox_h750vbtx", "ram_bytes", 524_288),
        ("devebox_h750vbtx", "flash_bytes", 131_072),
        ("disco_b_u585i_iot02a", "ram_bytes", 786_432),
        ("sakuraio_evb_01", "flash_bytes", 524_288),
        ("mts_mdot_f405rg", "mcu", "stm32f405rgt6"),
        ("efm32gg11_stk3701", "core", "cortex-m4"),
        ("seeed-xiao-mg24", "core", "cortex-m33"),
        ("seeed-xiao-mg24", "f_cpu_hz", 78_000_000),
        ("seeed-xiao-mg24", "flash_bytes", 1_572_864),
        ("portenta_h7_m4", "f_cpu_hz", 240_000_000),
        ("nucleo_h743zi", "f_cpu_hz", 480_000_000),
        ("disco_l4s5i_iot01a", "f_cpu_hz", 120_000_000),
        ("rymcu_f407ve", "flash_bytes", 524_288),
        ("disco_f750n8", "ram_bytes", 327_680),
        ("mimxrt1050_evk", "ram_bytes", 524_288),
        ("nanorp2040connect", "ram_bytes", 262_144),
        ("disco_f429zi", "ram_bytes", 196_608),
        ("nucleo_f429zi", "ram_bytes", 196_608),
        ("seeedArchMax", "ram_bytes", 131_072),
        ("cloud_jam_l4", "ram_bytes", 98_304),
        ("nucleo_l476rg", "ram_bytes", 98_304),
    ],
)
def test_known_errors_are_corrected(board_id: str, field: str, value: int | str) -> None:
    """The values are those of the data sheets, not of PlatformIO."""
    assert getattr(entry(catalogue_ids()[board_id][0]), field) == value


@pytest.mark.parametrize("board_id", ["m5stack-core2", "m5stack-core-esp32-16M", "lolin32"])
def test_esp32_static_data_end_at_the_linker_limit(board_id: str) -> None:
    """dram0_0_seg of esp-idf's esp32/memory.ld.in has 0x2C200 bytes, whatever PlatformIO says."""
    board = find_board(board_id)
    assert board.largest_ram_bytes == 0x2C200
    assert board.flash_bytes == 1_310_720
    assert board.kernels == "esp-nn"
    assert "memory.ld.in" in board.sources["region RAM"]


@pytest.mark.parametrize(
    ("board_id", "isa", "fpu"),
    [
        ("nucleo_h753zi", "dsp", "fpv5-d16"),
        ("nucleo_f746zg", "dsp", "fpv5-sp-d16"),
        ("bluepill_f103c8", "none", "none"),
        ("teensy31", "dsp", "none"),
        ("teensy36", "dsp", "fpv4-sp-d16"),
        ("lora_e5_dev_board", "dsp", "none"),
        ("seeed-xiao-stm32c5", "none", "none"),
        ("adafruit_feather_esp32s3", "pie", "single"),
        ("adafruit_feather_esp32s2", "none", "none"),
    ],
)
def test_extension_and_fpu_only_where_certain(board_id: str, isa: str, fpu: str) -> None:
    board = find_board(board_id)
    assert (board.isa, board.fpu) == (isa, fpu)


def test_a_curated_board_wins_over_its_platformio_row() -> None:
    board = find_board("mimxrt1060_evk")
    assert board.checked
    assert board.id == "mimxrt1060-evk"


def test_an_id_of_several_platforms_says_so() -> None:
    board = find_board("lolin32")
    assert board.platformio is not None
    assert board.platformio.platform == "espressif32"
    assert any("espressif32-pioarduino" in note for note in board.notes)
