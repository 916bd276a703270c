# SPDX-License-Identifier: Apache-2.0
"""Renders the templates; an undefined name is an error, and what goes in is escaped by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tinykit.codegen.names import c_string, comment
from tinykit.resources import folder


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folder("templates")),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["c_string"] = c_string
    environment.filters["comment"] = comment
    return environment


def render(template: str, facts: Mapping[str, Any]) -> bytes:
    """Return the rendered template.

    Args:
        template: path below `templates/`.
        facts: every name that the template uses.
    """
    return _environment().get_template(template).render(facts).encode()


def template_bytes(template: str) -> bytes:
    """Return a file below `templates/` as it is."""
    return (folder("templates") / template).read_bytes()
