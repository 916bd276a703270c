# SPDX-License-Identifier: Apache-2.0
"""Banks of RAM: what joins, what does not, and what is left after reservations."""

from __future__ import annotations

import pickle
from dataclasses import replace

from tinykit.board import Board, Region, find_board

FLASH = Region("flash", "flash", 0, 1 << 20, "test", use="image")


def board(*regions: Region) -> Board:
    return replace(find_board("cortex-m4"), regions=(FLASH, *regions))


def test_f746_dtcm_and_sram_are_one_bank() -> None:
    """64 + 240 + 16 KiB from 0x20000000. Source: Zephyr stm32f746.dtsi."""
    first, *rest = find_board("disco-f746ng").ram_banks()
    assert (first.label, first.address) == ("DTCM+SRAM1+SRAM2", 0x2000_0000)
    assert first.size_bytes == 65_536 + 245_760 + 16_384 == 327_680
    assert [b.names for b in rest] == [("SDRAM",)]
    assert not rest[0].on_chip


def test_l4r5_has_one_bank_of_640_kib() -> None:
    banks = find_board("nucleo-l4r5zi").ram_banks()
    assert [b.size_bytes for b in banks] == [655_360]


def test_esp32_heap_is_not_for_static_data() -> None:
    """0x3FFB0000 to 0x40000000 is 320 KiB, of which 0x2C200 are static. Source: memory.ld.in."""
    static, heap = find_board("esp32-devkit").ram_banks()
    assert (static.use, static.size_bytes) == ("data", 0x2C200)
    assert (heap.use, heap.size_bytes) == ("heap", 327_680 - 0x2C200)


def test_pico_stacks_do_not_join_the_bank() -> None:
    assert [b.size_bytes for b in find_board("pico").ram_banks()] == [262_144]


def test_regions_with_a_gap_stay_apart() -> None:
    low = Region("A", "sram", 0x2000_0000, 0x1000, "test")
    high = Region("B", "sram", 0x2000_1010, 0x2000, "test")
    assert [b.names for b in board(low, high).ram_banks()] == [("B",), ("A",)]


def test_a_reservation_at_the_seam_parts_two_regions() -> None:
    low = Region("A", "sram", 0x2000_0000, 0x1000, "test")
    at_start = Region("B", "sram", 0x2000_1000, 0x1000, "test", 16, "stack")
    assert [b.size_bytes for b in board(low, at_start).ram_banks()] == [0x1000, 0xFF0]
    at_end = replace(at_start, reserved_at="end")
    assert [b.size_bytes for b in board(low, at_end).ram_banks()] == [0x1FF0]


def test_external_memory_joins_nothing_and_comes_last() -> None:
    sram = Region("A", "sram", 0x2000_0000, 0x1000, "test")
    sdram = Region("B", "sdram", 0x2000_1000, 0x10_0000, "test")
    made = board(sram, sdram)
    assert [b.names for b in made.ram_banks()] == [("A",), ("B",)]
    assert made.largest_ram_bytes == 0x1000


def test_itcm_is_no_data_ram() -> None:
    itcm = Region("ITCM", "tcm", 0x1FFF_0000, 0x1_0000, "test", use="code")
    dtcm = Region("DTCM", "tcm", 0x2000_0000, 0x1000, "test")
    assert [b.names for b in board(itcm, dtcm).ram_banks()] == [("DTCM",)]


def test_a_board_can_be_hashed_and_sent_to_another_process() -> None:
    one = find_board("pico")
    assert pickle.loads(pickle.dumps(one)) == one
    assert len({one, find_board("pico")}) == 1
