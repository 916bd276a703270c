# SPDX-License-Identifier: Apache-2.0
"""What a project compiles of a TFLM tree: small trees by hand, and the linker on a real one."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.firmware.build import need_arm_gcc, need_program, run_tool
from tests.support import ROOT, tflm_tree
from tinykit.model.operators import SUPPORTED


def _load() -> Any:
    """Return the module that is copied into a project, where nothing of tinykit is."""
    spec = importlib.util.spec_from_file_location(
        "tflm_sources", ROOT / "templates" / "tflm" / "tflm" / "sources.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sources = _load()
TreeError: type[Exception] = sources.TreeError

KERNELS = "tensorflow/lite/micro/kernels"
DOWNLOADS = "tensorflow/lite/micro/tools/make/downloads"
CONV = "TFLMRegistration Register_CONV_2D() {\n"
CONV_CMSIS = f"{CONV}}}\nTFLMRegistration Register_CONV_2D_INT8() {{ arm_convolve_s8(a);\n"
SHARED = ("decompress", "decompress_common", "kernel_util", "micro_tensor_utils")


def _write(root: Path, path: str, text: str = "") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def _tree(root: Path, *, generated: bool = False, ending: str = ".cc") -> Path:
    """Write a tree: a checkout, or what TFLM's generator makes for CMSIS-NN."""
    base = "third_party" if generated else DOWNLOADS
    for stem in [*sources.CORE, *(f"{KERNELS}/{name}" for name in SHARED)]:
        _write(root, f"{stem}{ending}")
    for folder, proof in sources.LIBRARIES.values():
        _write(root, f"{base}/{folder}/{proof}")
    if not generated:
        _write(root, f"{KERNELS}/conv{ending}", CONV)
        _write(root, f"{KERNELS}/conv_test{ending}", CONV)
    _write(root, f"{KERNELS}/conv_common{ending}")
    _write(root, f"{KERNELS}/convenient{ending}")
    _write(root, f"{KERNELS}/cmsis_nn/conv{ending}", CONV_CMSIS)
    _write(root, f"{KERNELS}/reshape{ending}", "TFLMRegistration Register_RESHAPE() {\n")
    nn = f"{base}/cmsis_nn/Source"
    _write(
        root,
        f"{nn}/C/arm_convolve_s8.c",
        "/* like arm_other_s8() */\narm_cmsis_nn_status arm_convolve_s8(const int8_t *a)\n"
        "{\n    f = arm_nn_mat_mult; // not arm_other_s8(a)\n}\n",
    )
    _write(root, f"{nn}/C/arm_other_s8.c", "void arm_other_s8(void)\n{}\n")
    _write(
        root, f"{nn}/S/mat_mult.c", "int8_t *arm_nn_mat_mult(void)\n{ return sigmoid_table[3]; }\n"
    )
    _write(
        root, f"{nn}/S/tables.c", "const uint16_t sigmoid_table[256] = {\n    arm_nn_mat_mult};\n"
    )
    return root


def _names(tree: Any, paths: Sequence[Path]) -> list[str]:
    return [path.relative_to(tree.root).as_posix() for path in paths]


@pytest.mark.parametrize("ending", [".cc", ".cpp"])  # the generator can rename them
@pytest.mark.parametrize("generated", [False, True], ids=["checkout", "generated"])
def test_kernels_of_a_library_in_either_layout(
    tmp_path: Path, generated: bool, ending: str
) -> None:
    tree = sources.Tree(_tree(tmp_path, generated=generated, ending=ending))
    assert len(tree.core()) == len(sources.CORE)
    found = tree.kernel_sources(["Register_CONV_2D_INT8", "Register_RESHAPE"], "cmsis-nn")
    stems = ["cmsis_nn/conv", "conv_common", *SHARED, "reshape"]
    assert _names(tree, found) == [f"{KERNELS}/{stem}{ending}" for stem in stems]
    below = [path.name for path in tree.cmsis_nn_sources(found)]
    assert below == ["arm_convolve_s8.c", "mat_mult.c", "tables.c"]


def test_reference_kernels_of_a_checkout(tmp_path: Path) -> None:
    tree = sources.Tree(_tree(tmp_path))
    # Inline in conv.h where the library has no such kernel.
    found = tree.kernel_sources(["Register_CONV_2D_INT8"], "reference")
    stems = ["conv", "conv_common", *SHARED]
    assert _names(tree, found) == [f"{KERNELS}/{stem}.cc" for stem in stems]
    assert len(tree.includes("reference")) == 4


def test_reference_kernels_that_a_generated_tree_lacks(tmp_path: Path) -> None:
    tree = sources.Tree(_tree(tmp_path, generated=True))
    with pytest.raises(TreeError, match=r"no reference kernel of .* defines Register_CONV_2D"):
        tree.kernel_sources(["Register_CONV_2D"], "reference")


@pytest.mark.parametrize("name", sources.LIBRARIES)
def test_missing_library_is_named(name: str, tmp_path: Path) -> None:
    root = _tree(tmp_path)
    folder, proof = sources.LIBRARIES[name]
    (root / DOWNLOADS / folder / proof).unlink()
    with pytest.raises(TreeError, match=f"lacks {name}: .*OPTIMIZED_KERNEL_DIR=cmsis_nn"):
        sources.Tree(root).includes("cmsis-nn")


def test_missing_core_file_and_no_tree(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    (root / "tensorflow/lite/micro/micro_log.cc").unlink()
    with pytest.raises(TreeError, match=r"lacks tensorflow/lite/micro/micro_log\.cc"):
        sources.Tree(root).core()
    for nothing in (tmp_path / "absent", tmp_path / "tensorflow", root / "BUILD"):
        with pytest.raises(TreeError, match="holds no TFLM sources: set TINYKIT_TFLM"):
            sources.Tree(nothing)


def _git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always"]
    return run_tool([need_program("git", "git"), "-C", folder, *who, *words]).strip()


def test_commit_in_every_state_of_a_checkout(tmp_path: Path) -> None:
    root = _tree(tmp_path / "tree")
    tree = sources.Tree(root)
    assert tree.commit() == ""
    _git(root, "init", "-q")
    assert tree.commit() == ""  # nothing is committed yet
    _git(root, "commit", "-q", "--allow-empty", "-m", "one")
    commit = _git(root, "rev-parse", "HEAD")
    assert tree.commit() == commit
    _git(root, "pack-refs", "--all")
    assert tree.commit() == commit
    _git(root, "worktree", "add", "-q", str(tmp_path / "second"))
    assert sources.Tree(_tree(tmp_path / "second")).commit() == commit
    outer = tmp_path / "outer"
    outer.mkdir()
    _git(outer, "init", "-q")
    _git(outer, "submodule", "--quiet", "add", str(root), "tflm")
    assert sources.Tree(_tree(outer / "tflm")).commit() == commit
    _git(root, "checkout", "-q", "--detach")
    assert tree.commit() == commit


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".git/HEAD", b"\xff\xfe\x00"),
        (".git/HEAD", b"ref: refs/heads/x\n"),
        (".git/HEAD", b"ref: \x00"),
        (".git/HEAD", b"\x1b[2J" * 20),
        (".git", b"gitdir: .git"),
        (".git", b"gitdir: " + b"x" * 5000),
    ],
)
def test_damaged_git_folder_says_no_commit(tmp_path: Path, name: str, content: bytes) -> None:
    root = _tree(tmp_path)
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_bytes(content)
    assert sources.Tree(root).commit() == ""


def test_old_fully_connected_is_refused(tmp_path: Path) -> None:
    root = _tree(tmp_path)
    with pytest.raises(TreeError, match="per-channel weights wrong"):
        sources.Tree(root).check_per_channel()
    _write(root, f"{KERNELS}/fully_connected_common.cc", "data->is_per_channel = true;")
    sources.Tree(root).check_per_channel()


# Cortex-M4, and flags that decide which functions a kernel calls.
CORE = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
SPLIT = ["-ffunction-sections", "-fdata-sections", "-O1", "-w"]
DEFINES = ["-DTF_LITE_STATIC_MEMORY", "-DKERNELS_OPTIMIZED_FOR_SPEED", "-DNDEBUG"]
PLATFORM = """
#include <cstdint>
extern "C" void DebugLog(const char *, ...) {}
extern "C" int DebugVsnprintf(char *, unsigned, const char *, ...) { return 0; }
namespace tflite {
uint32_t GetCurrentTimeTicks() { return 0; }
uint32_t ticks_per_second() { return 1; }
}
int main() {}
"""


def _registrations() -> list[str]:
    rows = {name: row for name, row in SUPPORTED.items() if not row.custom}
    names = {f"Register_{name}" for name in rows}
    return sorted(names | {r.int8_registration for r in rows.values() if r.int8_registration})


def _compile(path: Path, made: Path, flags: Sequence[str]) -> Path:
    if path.suffix == ".c":
        compiler = ["arm-none-eabi-gcc", "-std=gnu17"]
    else:
        compiler = ["arm-none-eabi-g++", "-std=gnu++17", "-fno-exceptions", "-fno-rtti"]
    run_tool([*compiler, *CORE, *SPLIT, *DEFINES, *flags, "-c", path, "-o", made])
    return made


def _undefined(objects: Sequence[Path], roots: Sequence[str], folder: Path) -> set[str]:
    """Return what the linker still looks for when it keeps `roots` and what they need."""
    keep = [f"-Wl,-u,{symbol}" for symbol in roots]
    specs = ["--specs=nano.specs", "--specs=nosys.specs", "-Wl,--gc-sections"]
    out = folder / f"{roots[-1]}.elf"
    done = subprocess.run(
        ["arm-none-eabi-g++", *CORE, *specs, *keep, *objects, "-lm", "-o", out],
        capture_output=True,
        text=True,
        check=False,
    )
    out.unlink(missing_ok=True)
    found = set(re.findall(r"undefined reference to `([^']+)'", done.stderr))
    assert found or done.returncode == 0, done.stderr
    return found


def _mangled(name: str, objects: Sequence[Path]) -> str:
    """Return the symbol of a registration, the general one where the INT8-only one is inline."""
    symbols = set(run_tool(["arm-none-eabi-nm", "-jg", "--defined-only", *objects]).split())
    plain = re.sub(r"_INT(8|16|4)(_INT16)?$", "", name)
    tries = [f"_ZN6tflite{len(word)}{word}Ev" for word in (name, plain)]
    return next(word for word in tries if word in symbols)


@pytest.mark.tflm
@pytest.mark.parametrize("kernels", ["reference", "cmsis-nn"])
def test_every_registration_has_a_kernel_in_tflm(kernels: str) -> None:
    tree = sources.Tree(tflm_tree())
    names = _registrations()
    assert len(names) > 100
    for name in names:
        assert tree.kernel_sources([name], kernels)


# The operators of kws_ref_model, and the one that needs a table of CMSIS-NN's.
LINKED = (
    "Register_AVERAGE_POOL_2D_INT8",
    "Register_CONV_2D_INT8",
    "Register_DEPTHWISE_CONV_2D_INT8",
    "Register_FULLY_CONNECTED_INT8",
    "Register_RESHAPE",
    "Register_SOFTMAX_INT8",
    "Register_UNIDIRECTIONAL_SEQUENCE_LSTM_INT8",
)


@pytest.mark.tflm
@pytest.mark.slow
@pytest.mark.toolchain
def test_each_operator_alone_links_with_what_is_listed_for_it(tmp_path: Path) -> None:
    need_arm_gcc()
    tree = sources.Tree(tflm_tree())
    flags = ["-DCMSIS_NN", *(f"-I{path}" for path in tree.includes("cmsis-nn"))]
    listed: dict[str, list[Path]] = {}
    for name in LINKED:
        chosen = tree.kernel_sources([name], "cmsis-nn")
        listed[name] = [*tree.core(), *chosen, *tree.cmsis_nn_sources(chosen)]
    platform = _write(tmp_path, "platform.cc", PLATFORM)
    paths = sorted({platform, *(path for files in listed.values() for path in files)})
    objects = [tmp_path / f"{k}.o" for k in range(len(paths))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        compiled = pool.map(_compile, paths, objects, [flags] * len(paths))
        made = dict(zip(paths, compiled, strict=True))
    methods = ("MicroInterpreter15AllocateTensorsEv", "MicroInterpreter6InvokeEv")
    for name, files in listed.items():
        mine = [made[path] for path in (platform, *files)]
        roots = [*(f"_ZN6tflite16{method}" for method in methods), _mangled(name, mine)]
        assert _undefined(mine, roots, tmp_path) == set(), name
