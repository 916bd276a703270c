# SPDX-License-Identifier: Apache-2.0
"""The firmware's exact arithmetic, compiled for the host, against Python's."""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from pathlib import Path

import pytest

from tests.firmware.build import FIRMWARE, SANITIZERS, WARNINGS, need_program, run_tool

DRIVERS = Path(__file__).parent / "drivers"
MOCKS = Path(__file__).parent / "mocks"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_program("gcc", "gcc")
    program = tmp_path_factory.mktemp("arithmetic") / "driver"
    sources = [
        DRIVERS / "arithmetic.c",
        FIRMWARE / "src" / "decimal.c",
        FIRMWARE / "src" / "text.c",
    ]
    includes = [f"-I{FIRMWARE / 'include'}", f"-I{FIRMWARE / 'src'}"]
    flags = ["-std=gnu11", "-O1", *WARNINGS, *SANITIZERS]
    run_tool(["gcc", *flags, *includes, *sources, "-o", program])
    return program


def answers(driver: Path, lines: Sequence[str]) -> list[str]:
    done = subprocess.run(
        [driver], input="\n".join(lines), capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.split()


def float_of(bits: int) -> float:
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    assert isinstance(value, float)
    return value


def rounded(factor: int, bits: int) -> str:
    """Three decimals by Python's arbitrary precision, ties to even, without a negative zero."""
    with localcontext() as context:
        context.prec = 400
        exact = Decimal(factor) * Decimal(float_of(bits))
        text = str(exact.quantize(Decimal("0.001"), rounding=ROUND_HALF_EVEN))
    return text.removeprefix("-") if not Decimal(text) else text


def test_decimals_are_exact(driver: Path) -> None:
    noise = random.Random(7)
    cases = [(noise.randrange(-(2**17), 2**17 + 1), noise.getrandbits(32)) for _ in range(20_000)]
    # Scales of real models: 2^-20 to 1.
    cases += [
        (noise.randrange(-255, 256), struct.unpack("<I", struct.pack("<f", noise.random() ** 6))[0])
        for _ in range(5_000)
    ]
    cases += [(1, b) for b in (0, 1, 0x80000000, 0x007FFFFF, 0x00800000, 0x3A03126F)]
    # Exact ties: odd multiples of 1/2000 are no binary fractions, k/16 + 1/16 gives .0625.
    cases += [(k, 0x3D800000) for k in range(-40, 41)]
    finite = [(f, b) for f, b in cases if (b >> 23 & 255) != 255 and abs(f * float_of(b)) < 2**40]
    got = answers(driver, [f"d {f} {b:x}" for f, b in finite])
    assert got == [rounded(f, b) for f, b in finite]
    assert len(finite) > 10_000


@pytest.mark.parametrize(
    ("factor", "bits", "text"),
    [
        (1, 0x7F800000, "inf"),
        (-1, 0x7F800000, "-inf"),
        (1, 0xFF800000, "-inf"),
        (1, 0x7FC00000, "nan"),
        (1, 0x7F7FFFFF, "huge"),
        (-1, 0x7F7FFFFF, "-huge"),
        (0, 0x7F7FFFFF, "0.000"),
        (131072, 0x7F7FFFFF, "huge"),
    ],
)
def test_what_has_no_three_decimals(driver: Path, factor: int, bits: int, text: str) -> None:
    assert answers(driver, [f"d {factor} {bits:x}"]) == [text]


def test_signed_numbers_to_the_last(driver: Path) -> None:
    values = [0, -1, 1, 2**63 - 1, -(2**63), 10**18]
    assert answers(driver, [f"s {v}" for v in values]) == [str(v) for v in values]


def test_extension_across_one_wrap(driver: Path) -> None:
    noise = random.Random(8)
    steps = [(noise.getrandbits(63), noise.getrandbits(32)) for _ in range(1000)]
    got = answers(driver, [f"w {last} {(last + step) % 2**32}" for last, step in steps])
    assert got == [str(last + step) for last, step in steps]


def test_extension_by_time_across_many_wraps(driver: Path) -> None:
    """A 600 MHz counter wraps every 7.2 s; readings up to 100 s apart, clocks 1 % apart."""
    noise = random.Random(9)
    hz = 600_000_000
    micros, counts, lines, expected = 0, 0, [], []
    for _ in range(500):
        gap_us = noise.choice([1, 50, 10_000, 7_158_279, 100_000_000])
        micros += gap_us
        counts += int(gap_us * hz / 1e6 * noise.uniform(0.99, 1.01))
        lines.append(f"t {counts % 2**32} {micros} {hz}")
        expected.append(str(counts))
    assert answers(driver, lines) == expected


@pytest.mark.parametrize(
    ("core", "started"),
    [
        ({"LOCKED": 0, "ABSENT": 0, "STUCK": 0}, "1 1"),
        ({"LOCKED": 1, "ABSENT": 0, "STUCK": 0}, "1 1"),
        ({"LOCKED": 0, "ABSENT": 1, "STUCK": 0}, "0 0"),
        ({"LOCKED": 0, "ABSENT": 0, "STUCK": 1}, "0 0"),
    ],
    ids=["m4", "m7-locked", "no-counter", "does-not-move"],
)
def test_the_cycle_counter_is_started_and_checked(
    core: dict[str, int], started: str, tmp_path: Path
) -> None:
    """TRCENA, the lock of the M7 and NOCYCCNT, on registers that behave as the manuals say."""
    need_program("gcc", "gcc")
    # A quoted include looks beside its file first: the source is copied away from the real one.
    for name in ("dwt.c", "dwt.h"):
        (tmp_path / name).write_text((FIRMWARE / "ports" / "cortex-m" / name).read_text())
    program = tmp_path / "driver"
    flags = ["-std=gnu11", *WARNINGS, "-D__ARM_ARCH_7EM__", f"-I{MOCKS / 'registers'}"]
    flags += [f"-DFAKE_{name}={value}" for name, value in core.items()]
    flags += [f"-I{tmp_path}"]
    run_tool(["gcc", *flags, DRIVERS / "dwt.c", tmp_path / "dwt.c", "-o", program])
    assert run_tool([program]).strip() == started
