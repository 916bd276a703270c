# SPDX-License-Identifier: Apache-2.0
"""The processor cores and floating-point units that a board may name.

Nothing here says how fast a core is; that is `tinykit.estimate`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Isa = Literal["none", "dsp", "mve", "pie"]
KernelLibrary = Literal["cmsis-nn", "esp-nn", "reference"]

CORES: Mapping[str, tuple[Isa, ...]] = {
    "cortex-m0": ("none",),
    "cortex-m0plus": ("none",),
    "cortex-m3": ("none",),
    "cortex-m4": ("dsp",),
    "cortex-m7": ("dsp",),
    "cortex-m23": ("none",),
    "cortex-m33": ("none", "dsp"),
    "cortex-m55": ("dsp", "mve"),
    "cortex-m85": ("dsp", "mve"),
    "xtensa-lx6": ("none",),
    "xtensa-lx7": ("none", "pie"),
    "xtensa-l106": ("none",),
    "riscv32imc": ("none",),
    "riscv32imac": ("none",),
    "riscv32imafc": ("none",),
    "avr8": ("none",),
    "host": ("none",),
}
"""Core name -> the extensions it can be built with, of those that a kernel library makes use of.

`dsp` is 16-bit SIMD, `mve` is Helium, `pie` is the ESP32-S3's 128-bit extension.
Source: the Arm architectures of the cores (DSP is optional on the M33, MVE on the M55 and M85);
ESP-NN has assembly kernels for the ESP32-S3 and C for the other chips.
"""

FPUS: frozenset[str] = frozenset(
    {"none", "fpv4-sp-d16", "fpv5-sp-d16", "fpv5-d16", "single", "double"}
)
"""GCC's `-mfpu` names; `single` and `double` where GCC has no name (Xtensa, RISC-V, the host).

Source: GCC manual, section ARM Options.
"""


def default_kernels(core: str, mcu: str) -> KernelLibrary:
    """Return the kernel library that a firmware for this core takes unless told otherwise."""
    if core.startswith("cortex-m"):
        return "cmsis-nn"
    return "esp-nn" if mcu.casefold().startswith("esp32") else "reference"
