# SPDX-License-Identifier: Apache-2.0
"""Finds the data folders that ship with tinykit: boards, models, templates, firmware.

In a wheel they lie in `tinykit/_data/`, in a checkout at its root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Folder = Literal["boards", "models", "templates", "firmware"]

_PACKAGE = Path(__file__).resolve().parent


def folder(name: Folder) -> Path:
    """Return the folder `name` of the installed wheel, else of the checkout.

    Raises:
        FileNotFoundError: neither holds it; the installation is broken.
    """
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise FileNotFoundError(f"data folder {name!r} is missing from the tinykit installation")
