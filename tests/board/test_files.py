# SPDX-License-Identifier: Apache-2.0
"""The shipped board files against a table of the same boards compiled from other sources."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.support import shared_path
from tinykit.board import find_board, list_boards, load_board
from tinykit.board.cores import CORES
from tinykit.board.finder import aliases
from tinykit.resources import folder

IDS = {
    "nano33ble": "nano33ble",
    "nrf52840_dk": "nrf52840-dk",
    "seeed-xiao-mbed-nrf52840-sense": "xiao-nrf52840-sense",
    "nucleo_l4r5zi": "nucleo-l4r5zi",
    "disco_f746ng": "disco-f746ng",
    "nucleo_f767zi": "nucleo-f767zi",
    "nucleo_h743zi": "nucleo-h743zi",
    "portenta_h7_m7": "portenta-h7",
    "nicla_vision": "nicla-vision",
    "nucleo_u575zi_q": "nucleo-u575zi-q",
    "disco_b_u585i_iot02a": "b-u585i-iot02a",
    "portenta_c33": "portenta-c33",
    "esp32dev": "esp32-devkit",
    "esp32-s3-devkitc-1": "esp32-s3-devkitc",
    "seeed_xiao_esp32s3": "xiao-esp32s3-sense",
    "esp32-c3-devkitm-1": "esp32-c3-devkitm",
    "rpipico / pico": "pico",
    "rpipico2": "pico2",
    "teensy41": "teensy41",
    "mimxrt1060_evk": "mimxrt1060-evk",
    "SparkFun_Edge_Development_Board": "sparkfun-edge",
    "adafruit_feather_m4 / adafruit_pybadge_m4 / seeed_wio_terminal": "feather-m4",
    "seeed-xiao-mg24-sense": "xiao-mg24-sense",
}
CUSTOM = {
    "nRF5340": "nrf5340-dk",
    "STM32H7A3ZI": "nucleo-h7a3zi-q",
    "R7FA6M4AF3CFB": "ek-ra6m4",
    "MAX78000": "max78000fthr",
}
"""Boards that PlatformIO does not have, by MCU."""

LARGEST = {
    "portenta-h7": 523_624,
    "nicla-vision": 523_624,
    "esp32-devkit": 180_736,
    "esp32-s3-devkitc": 341_760,
    "xiao-esp32s3-sense": 341_760,
    "esp32-c3-devkitm": 327_680,
    "teensy41": 524_288,
}
"""Boards for which the table writes the largest bank as a remark rather than a figure."""

APPLICATION = {
    "nano33ble": 983_040,
    "xiao-nrf52840-sense": 811_008,
    "portenta-h7": 786_432,
    "nicla-vision": 786_432,
    "sparkfun-edge": 983_040,
    "wio-terminal": 507_904,
    "feather-m4": 507_904,
    "edgebadge": 507_904,
    "esp32-devkit": 1_310_720,
    "nucleo-l4r5zi": 2_097_152,
}
"""Flash after reservations. Source: PlatformIO board JSON; arduino-esp32 default.csv."""


def table() -> list[tuple[str, dict[str, str]]]:
    with shared_path("facts", "boards_tinyml.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [(IDS.get(row["pio_board"]) or CUSTOM[row["mcu"]], row) for row in rows]


def leading(text: str) -> int | None:
    match = re.match(r"\d{4,}", text)
    return int(match[0]) if match else None


def test_every_board_of_the_table_is_there() -> None:
    ids = {board.id for board in list_boards()}
    assert len(table()) == 27
    assert {board_id for board_id, _ in table()} <= ids


def test_core_clock_and_flash_agree_with_the_table() -> None:
    for board_id, row in table():
        board = find_board(board_id)
        assert board.core == row["core"].removesuffix(" x2"), board_id
        assert board.cores == (2 if row["core"].endswith(" x2") else 1), board_id
        assert board.fpu == row["fpu"], board_id
        assert board.f_max_hz == leading(row["f_max_hz"]), board_id
        flash = [r for r in board.regions if r.kind == "flash"]
        assert sum(r.size_bytes for r in flash) == leading(row["flash_bytes"]), board_id
        if address := re.match(r"0x[0-9A-F]+", row["flash_addr"]):
            assert flash[0].address == int(address[0], 16), board_id


def test_regions_agree_with_the_table() -> None:
    column = "ram_regions(name@addr:bytes)"
    seen = 0
    for board_id, row in table():
        regions = {(r.address, r.size_bytes) for r in find_board(board_id).regions}
        for address, size_bytes in re.findall(r"@(0x[0-9A-F]+): ?(\d{4,})", row[column]):
            seen += 1
            assert (int(address, 16), int(size_bytes)) in regions, (board_id, address)
    assert seen >= 40


def test_largest_bank_agrees_with_the_table() -> None:
    for board_id, row in table():
        figure = LARGEST.get(board_id) or leading(row["largest_contiguous_ram_bytes"])
        assert find_board(board_id).largest_ram_bytes == figure, board_id


@pytest.mark.parametrize(("board_id", "figure"), APPLICATION.items())
def test_flash_for_the_application(board_id: str, figure: int) -> None:
    assert find_board(board_id).flash_bytes == figure


def test_facts_from_memory_are_marked() -> None:
    for board_id, row in table():
        if "[mem]" in ",".join(row[c] for c in ("caches", "flash_addr")) and row["caches"] != "ART":
            board = find_board(board_id)
            known = board.icache_bytes is None and board.dcache_bytes is None
            assert known or board.unverified or "memory.ld.in" in board.sources["caches"], board_id


def test_mcunet_device() -> None:
    """Lin et al. 2020, MCUNet: 320 kB SRAM and 1 MB flash (STM32F746)."""
    board = find_board("cortex-m7")
    assert board.largest_ram_bytes == 327_680
    assert board.flash_bytes == 1_048_576


@pytest.mark.parametrize(
    ("board_id", "core", "hz"),
    [
        ("qemu-cortex-m3", "cortex-m3", 25_000_000),
        ("qemu-cortex-m4", "cortex-m4", 25_000_000),
        ("qemu-cortex-m7", "cortex-m7", 25_000_000),
        ("qemu-cortex-m55", "cortex-m55", 32_000_000),
    ],
)
def test_qemu_machines(board_id: str, core: str, hz: int) -> None:
    """Source: hw/arm/mps2.c and hw/arm/mps2-tz.c of QEMU."""
    board = find_board(board_id)
    assert (board.core, board.f_max_hz) == (core, hz)
    size_bytes = 512 * 1024 if core == "cortex-m55" else 4 * 1024 * 1024
    assert (board.flash_bytes, board.largest_ram_bytes) == (size_bytes, size_bytes)


def test_measured_power_agrees_with_mlperf_tiny() -> None:
    """The mean power of the four benchmarks as published, row by row."""
    with shared_path("facts", "mlperf_tiny_results.csv").open(encoding="utf-8") as stream:
        results = [r for r in csv.DictReader(stream) if r["power_mW"]]
    runs: dict[tuple[str, ...], list[float]] = {}
    for row in results:
        if row["benchmark"] in ("AD", "KWS", "VWW", "IC") and row["supply_v"]:
            volts = f"{float(row['supply_v']):g}"
            run = (row["round"], row["soc"], volts, f"{float(row['mhz']):g}", row["stack"])
            runs.setdefault(run, []).append(float(row["power_mW"]))
    means = {run: sum(p) / len(p) for run, p in runs.items() if len(p) == 4}
    rows = [(b, p) for b in list_boards() for p in b.power]
    assert len(rows) >= 9
    for board, power in rows:
        edition = power.source.split("MLPerf Tiny ")[1].split(",")[0]
        matching = [
            mean
            for (round_, soc, volts, mhz, _), mean in means.items()
            if (round_, volts, mhz) == (edition, f"{power.volts:g}", f"{power.hz / 1e6:g}")
            and (soc.startswith(board.mcu[:9]))
        ]
        assert any(mean == pytest.approx(power.watts * 1e3, abs=0.006) for mean in matching)
        assert power.status == "measured"


def test_kernel_library_follows_the_core() -> None:
    assert find_board("disco-f746ng").kernels == "cmsis-nn"
    assert find_board("esp32-c3-devkitm").kernels == "esp-nn"
    assert find_board("host").kernels == "reference"


def test_every_board_has_a_source_for_each_fact() -> None:
    for board in list_boards():
        assert board.checked
        assert {"core", "f_max_hz"} <= board.sources.keys()
        assert {f"region {r.name}" for r in board.regions} <= board.sources.keys()
        assert all(source.strip() for source in board.sources.values())


def test_aliases_name_boards_and_cover_platformio() -> None:
    ids = {path.stem for path in folder("boards").glob("*.toml")}
    names = aliases()
    assert set(names.values()) <= ids
    assert not names.keys() & ids
    assert all(alias == alias.casefold() for alias in names)
    for board in list_boards():
        if board.platformio and board.platformio.board:
            key = board.platformio.board.casefold()
            assert names.get(key, key) == board.id


def test_the_example_of_the_readme_loads(tmp_path: Path) -> None:
    text = (folder("boards") / "README.md").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    board = load_board(path)
    assert (board.largest_ram_bytes, board.flash_bytes) == (196_608, 2_097_152 - 32_768)
    assert all(f"`{core}`" in text or f"`{core.removeprefix('cortex')}`" in text for core in CORES)
