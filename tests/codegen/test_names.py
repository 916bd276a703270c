# SPDX-License-Identifier: Apache-2.0
"""Names from strangers as C: compiled where a compiler is at hand, and by rule where not."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinykit.codegen.names import c_string, comment, identifiers

NASTY = ['a"b', "a\\", "a\nb", "*/ int x; /*", "??/", "\x1b[2J", "Größe", "\\\n", "x" * 10_000, ""]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["kws_ref_model"], ["kws_ref_model"]),
        (["A-b c", "a_b_c"], ["a_b_c", "a_b_c_2"]),
        (["1st", "", "日本"], ["model_1st", "model", "model_2"]),
        (["int", "x" * 99], ["model_int", "x" * 32]),
        (["../../etc/passwd"], ["etc_passwd"]),
    ],
)
def test_identifiers(names: list[str], words: list[str]) -> None:
    assert identifiers(names) == words


@given(st.lists(st.text(), max_size=20))
def test_identifiers_are_valid_and_different(names: list[str]) -> None:
    words = identifiers(names)
    assert len(set(words)) == len(names)
    assert all(re.fullmatch(r"[a-z_][a-z0-9_]*", word) for word in words)


@given(st.text())
def test_comment_cannot_end_itself(text: str) -> None:
    kept = comment(text)
    assert kept.isascii()
    assert not re.search(r"[\n\r\\*]|\?\?", kept)


@pytest.mark.slow
def test_compiler_reads_back_what_was_meant(tmp_path: Path) -> None:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("program missing: gcc")
    lines = [f"  puts({c_string(name, limit=50)}); /* {comment(name)} */" for name in NASTY]
    source = tmp_path / "names.c"
    source.write_text("#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n")
    program = tmp_path / "names"
    flags = ["-Wall", "-Wextra", "-Werror", "-trigraphs", "-o", str(program)]
    subprocess.run([gcc, *flags, str(source)], check=True)
    printed = subprocess.run([program], capture_output=True, check=True).stdout
    assert printed == b"".join(name[:50].encode() + b"\n" for name in NASTY)
