# SPDX-License-Identifier: Apache-2.0
"""Sizes and symbols of a linked firmware, read by pyelftools.

Chosen over a reader of our own because it is what the field uses and knows every variant; it comes
with the extra `flash`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinykit.errors import ToolError
from tinykit.sanitise import printable
from tinykit.toolchain.platformio import INSTALL

_WRITABLE, _ALLOCATED = 1, 2


@dataclass(frozen=True, slots=True)
class Image:
    """A linked firmware; bytes.

    Attributes:
        flash_bytes: what is programmed: code, constants and the start values of variables.
        static_ram_bytes: variables, with and without a start value; stack and heap left out.
        symbols: names of the functions and objects that were linked.
    """

    flash_bytes: int
    static_ram_bytes: int
    symbols: frozenset[str]


def read_image(path: Path) -> Image:
    """Return the sizes of a linked firmware.

    Raises:
        ToolError: pyelftools is missing, or the file is no ELF.
    """
    try:
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile
        from elftools.elf.sections import SymbolTableSection
    except ImportError as error:
        raise ToolError("pyelftools is not installed", hint=INSTALL) from error
    flash = ram = 0
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            for section in elf.iter_sections():
                flags = section["sh_flags"]
                if not flags & _ALLOCATED or section.name in (".stack", ".heap"):
                    continue
                stored = section["sh_type"] != "SHT_NOBITS"
                flash += section["sh_size"] if stored else 0
                ram += section["sh_size"] if flags & _WRITABLE else 0
            table = elf.get_section_by_name(".symtab")
            symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else ()
            names = frozenset(symbol.name for symbol in symbols)
    except (OSError, ELFError, ValueError, AssertionError) as error:
        name = printable(str(path))
        raise ToolError(f"cannot read the linked firmware {name}: {error}") from error
    return Image(flash, ram, names)
