# SPDX-License-Identifier: Apache-2.0
"""What the silicon offers, as frozen dataclasses; no I/O and no knowledge of any file format.

Address ranges are half-open: `[address, address + size_bytes)`. Whoever holds a `Board` may rely on
what `tinykit.board.loader` checks: regions do not overlap, no reservation exceeds its region, and
each fact has a source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tinykit.board.cores import Isa, KernelLibrary, default_kernels

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["flash", "tcm", "sram", "psram", "sdram"]
Use = Literal["image", "data", "heap", "code"]
Status = Literal["measured", "exact", "bounded", "estimated", "declared"]

UNVERIFIED = "unverified"
"""A source with this word in it comes at least in part from memory: nobody has looked it up."""


@dataclass(frozen=True, slots=True)
class Region:
    """One memory as the core sees it.

    Attributes:
        address: of the first byte; where a memory management unit maps it, the start of its window.
        size_bytes: of the whole memory, reservations included.
        reserved_bytes: not the application's, in [0, size_bytes].
        reserved_for: who holds them: a bootloader, a SoftDevice, a partition; "" for none.
        reserved_at: the end of the region at which they lie.
        use: `image` holds code and constants (flash); `data` may hold static data; `heap` is handed
            out by malloc only; `code` is for execution only, such as ITCM.
    """

    name: str
    kind: Kind
    address: int
    size_bytes: int
    source: str
    reserved_bytes: int = 0
    reserved_for: str = ""
    reserved_at: Literal["start", "end"] = "start"
    use: Use = "data"

    @property
    def end(self) -> int:
        """Address after the last byte."""
        return self.address + self.size_bytes

    @property
    def usable_bytes(self) -> int:
        """Bytes left for the application."""
        return self.size_bytes - self.reserved_bytes

    @property
    def usable_address(self) -> int:
        """Address of the first byte left for the application."""
        return self.address + (self.reserved_bytes if self.reserved_at == "start" else 0)

    @property
    def on_chip(self) -> bool:
        """True for RAM in the same package as the core, behind no external bus."""
        return self.kind in ("tcm", "sram")


@dataclass(frozen=True, slots=True)
class Bank:
    """A contiguous range of RAM in which one arena can lie: one region, or several that touch.

    Attributes:
        names: of the regions it spans, in address order.
        use: `data` or `heap`, see `Region.use`.
    """

    names: tuple[str, ...]
    address: int
    size_bytes: int
    on_chip: bool
    use: Use

    @property
    def label(self) -> str:
        """The names of its regions joined, e.g. `DTCM+SRAM1+SRAM2`."""
        return "+".join(self.names)


@dataclass(frozen=True, slots=True)
class PlatformIO:
    """How PlatformIO names the board.

    Attributes:
        board: its board id, None where upstream has none and the project must bring the JSON.
        framework: the one a generated project uses, None for none.
    """

    platform: str
    board: str | None = None
    framework: str | None = None


@dataclass(frozen=True, slots=True)
class Power:
    """Power of the whole supply while the core runs inferences.

    Attributes:
        volts: supply voltage; a linear regulator draws the same current at any voltage.
        hz: core clock.
    """

    watts: float
    volts: float
    hz: int
    source: str
    status: Status


@dataclass(frozen=True, slots=True)
class Board:
    """A board, or a bare device that stands for its core.

    Attributes:
        id: what a user types.
        core: a key of `tinykit.board.cores.CORES`.
        cores: how many of them; the runtime uses one.
        isa: the extension that the kernel libraries gain from.
        fpu: GCC's name, `single` or `double` where it has none, or `none`.
        icache_bytes: instruction cache in front of the core; 0 for none, None where unknown.
        dcache_bytes: data cache, likewise.
        power: measured rows; empty where nothing was measured, never a guess.
        notes: what the figures cannot say, as sentences.
        checked: False for a board of the PlatformIO catalogue: one RAM bank that nobody checked.
        sources: fact -> where it comes from; regions by `region NAME`.
    """

    id: str
    name: str
    vendor: str
    mcu: str
    core: str
    cores: int
    isa: Isa
    fpu: str
    f_max_hz: int
    regions: tuple[Region, ...]
    icache_bytes: int | None = None
    dcache_bytes: int | None = None
    platformio: PlatformIO | None = None
    power: tuple[Power, ...] = ()
    notes: tuple[str, ...] = ()
    checked: bool = True
    sources: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def cmsis_nn_isa(self) -> Literal["none", "dsp", "mve"]:
        """The extension that CMSIS-NN's code for this core uses."""
        return "none" if self.isa == "pie" else self.isa

    @property
    def kernels(self) -> KernelLibrary:
        """The kernel library that suits the core."""
        return default_kernels(self.core, self.mcu)

    @property
    def flash_bytes(self) -> int:
        """Bytes of flash left for the application: firmware, runtime and model."""
        return sum(r.usable_bytes for r in self.regions if r.kind == "flash")

    @property
    def largest_ram_bytes(self) -> int:
        """Size of the largest on-chip bank that may hold static data; no arena there can exceed it.

        External RAM is not counted: it is slow, and a linker script does not use it unasked.
        """
        return max(b.size_bytes for b in self.ram_banks() if b.on_chip and b.use == "data")

    @property
    def unverified(self) -> tuple[str, ...]:
        """The facts that rest, at least in part, on somebody's memory."""
        return tuple(fact for fact, source in self.sources.items() if UNVERIFIED in source)

    def ram_banks(self) -> tuple[Bank, ...]:
        """Return the contiguous ranges of RAM, the likeliest home of an arena first.

        On-chip banks for static data come first, then heap-only ones, then external memory; within
        each group the largest first, at equal size the lower address. On-chip regions that touch
        become one bank (DTCM and SRAM of an STM32F746); external memory never joins another, and
        execution-only memory (ITCM) is no data RAM at all.
        """
        banks: list[Bank] = []
        for region in sorted(self.regions, key=lambda r: r.address):
            if region.use not in ("data", "heap") or not region.usable_bytes:
                continue
            last = banks[-1] if banks else None
            if last is not None and _touch(last, region):
                names = (*last.names, region.name)
                size_bytes = last.size_bytes + region.usable_bytes
                banks[-1] = Bank(names, last.address, size_bytes, on_chip=True, use=last.use)
            else:
                address, size_bytes = region.usable_address, region.usable_bytes
                bank = Bank((region.name,), address, size_bytes, region.on_chip, region.use)
                banks.append(bank)
        banks.sort(key=lambda b: (not b.on_chip, b.use != "data", -b.size_bytes, b.address))
        return tuple(banks)


def _touch(bank: Bank, region: Region) -> bool:
    """True when the region continues the bank, byte after byte and for the same use."""
    return (
        bank.on_chip
        and region.on_chip
        and bank.use == region.use
        and bank.address + bank.size_bytes == region.usable_address
    )
