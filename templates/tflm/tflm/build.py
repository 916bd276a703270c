# SPDX-License-Identifier: Apache-2.0
"""Compiles TFLM from the tree that TINYKIT_TFLM or custom_tflm names; PlatformIO runs this."""

import json
import os
import sys
from pathlib import Path

Import("env")  # noqa: F821  # SCons brings it

FOLDER = Path(env.subst("$PROJECT_DIR")) / "tflm"  # noqa: F821
sys.path.insert(0, str(FOLDER))
from sources import HOW_TO_GET_IT, Tree, TreeError  # noqa: E402

# TFLM's own levels: the interpreter for size, the kernels for speed.
LEVELS = {"core": "-Os", "kernels": "-O2", "cmsis-nn": "-O2"}
CXX_FLAGS = ["-std=gnu++17", "-fno-exceptions", "-fno-rtti"]
WARNINGS = ["-w"]  # other people's code, built with this project's warnings


def stop(message):
    """End the build with a sentence."""
    sys.stderr.write(f"Error: {message}\n")
    env.Exit(1)  # noqa: F821


def named_tree():
    """Return the path of the tree that the environment or platformio.ini names."""
    path = os.environ.get("TINYKIT_TFLM") or env.GetProjectOption("custom_tflm", "")  # noqa: F821
    if not path:
        stop(f"no TFLM source tree is named: {HOW_TO_GET_IT}")
    return Path(os.path.expandvars(path)).expanduser()


def check_commit(tree, wanted):
    """Refuse a tree at another commit: its arena and its kernels may differ."""
    found = tree.commit()
    if not found:
        print(f"tinykit: this tree does not say its commit; the project was made for {wanted}")
    elif not found.startswith(wanted):
        stop(
            f"the TFLM tree is at {found[:12]}, the project was made for {wanted}; check that one"
            " out, or set custom_tflm_any_commit = yes and expect another arena"
        )


def compile_all(part, paths, root):
    """Add the sources of one part of TFLM to the program."""
    level = LEVELS[part]
    for path in paths:
        try:
            name = path.relative_to(root).as_posix()
        except ValueError:
            name = path.name
        target = f"$BUILD_DIR/tflm/{part}/{name}.o"
        flags = [*env.get("CPPFLAGS", []), level, *WARNINGS]  # noqa: F821
        env.Append(PIOBUILDFILES=env.Object(target, str(path), CPPFLAGS=flags))  # noqa: F821


def main():
    """Find the tree and add what the plan asks for."""
    plan = json.loads((FOLDER / "plan.json").read_text(encoding="utf-8"))
    kernels = plan["kernels"]
    try:
        tree = Tree(named_tree())
        if env.GetProjectOption("custom_tflm_any_commit", "no") != "yes":  # noqa: F821
            check_commit(tree, plan["commit"])
        if plan["per_channel_fully_connected"]:
            tree.check_per_channel()
        chosen = tree.kernel_sources(plan["registrations"], kernels)
        parts = {"core": tree.core(), "kernels": chosen}
        if kernels == "cmsis-nn":
            parts["cmsis-nn"] = tree.cmsis_nn_sources(chosen)
        includes = tree.includes(kernels)
    except (TreeError, OSError) as error:
        stop(str(error))
    env.Append(CPPPATH=[str(path) for path in includes], CXXFLAGS=CXX_FLAGS)  # noqa: F821
    for part, paths in parts.items():
        compile_all(part, paths, tree.root)


main()
