# SPDX-License-Identifier: Apache-2.0
"""PlatformIO with its downloads cut off; run as a script in the place of `-m platformio`.

Left to itself, PlatformIO looks for a package that is not installed in two registries, for a minute
where neither can be reached, and then says nothing about what it looked for. Here the first package
that it would download ends the run at once, with its name on a line that begins with `MISSING`.

Source: PlatformIO 6.2, platformio/package/manager/_install.py and _registry.py.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NoReturn

MISSING = "tinykit-missing: "
STATUS = 69  # EX_UNAVAILABLE of sysexits.h
_LOCAL = ("file://", "symlink://")


def cut_off() -> None:
    """Make every way from PlatformIO to the network end the process."""
    requests = import_module("requests")
    base = import_module("platformio.package.manager.base").BasePackageManager
    http = import_module("platformio.http")
    from_uri = base.install_from_uri

    def local_only(manager: Any, uri: str, spec: Any, *rest: Any, **named: Any) -> Any:
        if uri.startswith(_LOCAL):
            return from_uri(manager, uri, spec, *rest, **named)
        refuse(manager.pkg_type, spec.humanize())

    def refuse_package(manager: Any, spec: Any, *_: Any, **__: Any) -> NoReturn:
        refuse(manager.pkg_type, spec.humanize())

    def refuse_request(*_: Any, **__: Any) -> NoReturn:
        refuse("answer", "of a server")

    base.install_from_uri = local_only
    base.install_from_registry = refuse_package
    http.HTTPClient.send_request = refuse_request
    requests.Session.request = refuse_request


def refuse(kind: str, name: str) -> NoReturn:
    """End the process, saying what is missing."""
    sys.stdout.flush()
    sys.stdout.write(f"\n{MISSING}{kind} {name}\n")
    sys.stdout.flush()
    sys.exit(STATUS)


if __name__ == "__main__":
    cut_off()
    sys.exit(import_module("platformio.__main__").main())
