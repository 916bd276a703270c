# SPDX-License-Identifier: Apache-2.0
"""How much flash the TFLM runtime takes for a set of operators, from measured links.

With `-ffunction-sections` and `--gc-sections` a link keeps what its roots reach, and what two
roots reach together is the union of what each reaches. So every registration (`Register_CONV_2D`
with its parser, ..) was linked alone, and the sections were grouped into *atoms*: the bytes that
exactly the same registrations reach. A runtime is the base plus each atom that any of its
operators touches. Against links of several operators that sum is within 180 bytes.

One table per core, kernel library and build lies in `flash_tables/`; its head names the commits,
the compiler and its flags. `correction_bytes` centres it on 80 firmwares that were built
elsewhere, whose core is 1 to 2.3 KB off from this measurement's (release 1.3 and 2.3 KB larger,
default 1.1 KB larger with CMSIS-NN and smaller with the reference kernels); `band_bytes` is the
worst miss that remains: 207 to 301 bytes, 0.94 % at most. Where no firmware of a core was at
hand the correction is the Cortex-M4's and the band is wider by it.

Not counted: the firmware's own `main`, resolver, interpreter object, arena and model.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tinykit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Build = Literal["default", "release"]

_TABLES = Path(__file__).resolve().parent / "flash_tables"

_SIBLINGS: Mapping[str, str] = {
    "cortex-m0": "cortex-m0plus",
    "cortex-m23": "cortex-m0plus",
    "cortex-m85": "cortex-m55",
}
"""Core without tables of its own -> the core with the same or a smaller instruction set."""

_SIBLING_SHARE = 0.05
"""Half-width of the band of a sibling, as a share of the figure; a judgement, not measured."""

_SHIFTED_SHARE = 0.02
"""Likewise where a core was measured in the other build only.

The Cortex-M4's figure is shifted by what the two cores differ by in that build. Source: done so
for the Cortex-M55's default build it is -0.2 to 1.2 % off over the models of the validation set.
"""

_STAND_IN_SHARE = 0.4
"""Likewise where the Cortex-M4 stands in for another Cortex-M.

Source: over the same models the Cortex-M55 takes 0 to 28 % less than the Cortex-M4, the
Cortex-M0+ 1 to 36 % more, the Cortex-M33 -2 to 1 %.
"""

_FOREIGN_SHARE = 0.5
"""Likewise for another architecture or kernel library: a guess, nothing of it was measured."""


@dataclass(frozen=True, slots=True)
class RuntimeFlash:
    """Flash of the runtime, bytes.

    Attributes:
        runtime_bytes: TFLM's core, the kernels, CMSIS-NN and what they pull from the C library.
        status: `estimated` unless every firmware at hand was met to the byte.
        low_bytes: lower end of the band.
        high_bytes: upper end; each operator without a figure adds the costliest one known.
        basis: one sentence: what the figure rests on.
        static_ram_bytes: `.data` and `.bss` of the same objects, for RAM beside the arena.
        unknown: operators that have no figure and are not in `runtime_bytes`.
    """

    runtime_bytes: int
    status: Literal["exact", "bounded", "estimated"]
    low_bytes: int
    high_bytes: int
    basis: str
    static_ram_bytes: int
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """One measured configuration; an atom is an index into `atom_bytes`."""

    core: str
    kernels: str
    base_bytes: int
    band_bytes: int
    validated_rows: int
    base_static_ram_bytes: int
    atom_bytes: tuple[int, ...]
    atom_static_ram_bytes: Mapping[str, int]
    registrations: Mapping[str, str]

    def atoms(self, rows: Iterable[str]) -> set[int]:
        """Return every atom that the named registrations reach, from ranges like `0-4 7`."""
        reached: set[int] = set()
        for row in rows:
            for span in self.registrations[row].split():
                first, _, last = span.partition("-")
                reached.update(range(int(first), int(last or first) + 1))
        return reached

    def code_bytes(self, rows: Collection[str]) -> int:
        """Return the flash of the runtime with the named registrations."""
        return self.base_bytes + sum(self.atom_bytes[i] for i in self.atoms(rows))

    def static_ram_bytes(self, rows: Collection[str]) -> int:
        """Return `.data` and `.bss` of the runtime with the named registrations."""
        held = (self.atom_static_ram_bytes.get(str(i), 0) for i in self.atoms(rows))
        return self.base_static_ram_bytes + sum(held)

    @property
    def costliest_bytes(self) -> int:
        """Return what the largest single registration adds to an empty runtime."""
        return max(self.code_bytes((row,)) for row in self.registrations) - self.base_bytes


@lru_cache(maxsize=8)
def _table(core: str, kernels: str, build: str) -> _Table | None:
    path = _TABLES / f"{core}_{kernels}_{build}.json"
    if path.parent != _TABLES or not path.is_file():
        return None
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return _Table(
        core=core,
        kernels=kernels,
        base_bytes=raw["base_bytes"] + raw["correction_bytes"],
        band_bytes=raw["band_bytes"],
        validated_rows=raw["validated_rows"],
        base_static_ram_bytes=raw["base_static_ram_bytes"],
        atom_bytes=tuple(raw["atom_bytes"]),
        atom_static_ram_bytes=raw["atom_static_ram_bytes"],
        registrations=raw["registrations"],
    )


def _stand_in(core: str, kernels: str, build: str) -> tuple[_Table, float]:
    """Return the table that is nearest, and the half-width of the band that this costs."""
    sibling = _table(_SIBLINGS.get(core, core), kernels, build)
    if sibling is not None:
        return sibling, _SIBLING_SHARE
    share = _STAND_IN_SHARE if core.startswith("cortex-m") else _FOREIGN_SHARE
    table = _table("cortex-m4", kernels, build)
    if table is None:
        table, share = _table("cortex-m4", "reference", build), _FOREIGN_SHARE
    if table is None:
        raise UsageError(f"no flash figures for the build {build!r}", hint="default or release")
    return table, share


def _shift_bytes(core: str, kernels: str, build: str, rows: Collection[str]) -> int | None:
    """Return by how much the core differs from the Cortex-M4 in the other build, if measured."""
    other = "default" if build == "release" else "release"
    ours = _table(_SIBLINGS.get(core, core), kernels, other)
    theirs = _table("cortex-m4", kernels, other)
    if ours is None or theirs is None or core == "cortex-m4":
        return None
    known = [row for row in rows if row in ours.registrations and row in theirs.registrations]
    return ours.code_bytes(known) - theirs.code_bytes(known)


def _basis(table: _Table, core: str, kernels: str, build: str, unknown: Collection[str]) -> str:
    text = f"links for the {table.core} with {table.kernels} kernels ({build} build, gcc 12.2)"
    if (table.core, table.kernels) != (core, kernels):
        text += f" stand in for the {core} with {kernels} kernels"
    elif table.validated_rows:
        text += f", held against {table.validated_rows} firmwares"
    else:
        text += ", held against no firmware of this core"
    if unknown:
        text += f"; not counted, no figure: {', '.join(unknown)}"
    return text


def runtime_flash(
    operators: Collection[str],
    *,
    kernels: str,
    core: str,
    build: Build,
    int8_only: Collection[str] = (),
) -> RuntimeFlash:
    """Return the flash that TFLM takes to run `operators`.

    The band is the worst miss of the configuration's validation: see the module.

    Args:
        operators: schema names such as `CONV_2D`, or custom codes such as `SignalRfft`.
        kernels: `reference`, `cmsis-nn`; another library is guessed from the reference kernels.
        core: a key of `tinykit.board.cores.CORES`.
        build: `release` is `NDEBUG` and `TF_LITE_STRIP_ERROR_STRINGS`.
        int8_only: operators registered with `Register_X_INT8()`; those that have none in this
            kernel library count as registered generically, which is what the call then links.

    Raises:
        UsageError: no table for the build at all.
    """
    own = _table(core, kernels, build)
    table, share = (own, 0.0) if own else _stand_in(core, kernels, build)
    unknown = tuple(sorted(name for name in set(operators) if name not in table.registrations))
    rows = {
        f"{name} int8" if name in int8_only and f"{name} int8" in table.registrations else name
        for name in operators
        if name not in unknown
    }
    runtime_bytes = table.code_bytes(rows)
    if table.core == "cortex-m4" and own is None:
        shift = _shift_bytes(core, kernels, build, rows)
        if shift is not None:
            runtime_bytes, share = runtime_bytes + shift, _SHIFTED_SHARE
    band = table.band_bytes + round(runtime_bytes * share)
    allowance = table.costliest_bytes * len(unknown) if unknown else 0
    return RuntimeFlash(
        runtime_bytes=runtime_bytes,
        status="estimated",
        low_bytes=runtime_bytes - band,
        high_bytes=runtime_bytes + band + allowance,
        basis=_basis(table, core, kernels, build, unknown),
        static_ram_bytes=table.static_ram_bytes(rows),
        unknown=unknown,
    )


def int8_registrations(kernels: str) -> frozenset[str]:
    """Return the operators with a `Register_X_INT8()` of its own in this kernel library.

    Each needs int8 activations and weights throughout; the call compiles with the reference
    kernels too, where it is the generic registration under another name. CMSIS-NN has int16
    registrations likewise (rows `X int16`: int16 activations, int8 weights) for ADD,
    AVERAGE_POOL_2D, BATCH_MATMUL, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, MAX_POOL_2D,
    SOFTMAX and UNIDIRECTIONAL_SEQUENCE_LSTM.

    Source: tensorflow/lite/micro/kernels/*.h at 90b983c2.
    """
    table = _table("cortex-m4", kernels, "release")
    rows = table.registrations if table else ()
    return frozenset(row.removesuffix(" int8") for row in rows if row.endswith(" int8"))
