# SPDX-License-Identifier: Apache-2.0
"""Bare metal: the project's own start-up code, and `board_build.ldscript` for the linker."""

import sys
from pathlib import Path

from SCons.Script import DefaultEnvironment

env = DefaultEnvironment()

script = env.BoardConfig().get("build.ldscript", "")
if not script:
    sys.stderr.write("Error: framework bare needs `board_build.ldscript = FILE` in the project\n")
    env.Exit(1)
path = Path(env.subst("$PROJECT_DIR"), script)
if not path.is_file():
    sys.stderr.write(f"Error: board_build.ldscript = {script}: no such file in the project\n")
    env.Exit(1)
env.Replace(LDSCRIPT_PATH=str(path))
# Its folder is where the script finds those that it includes.
env.Append(LINKFLAGS=["-nostartfiles"], LIBPATH=[str(path.parent)])
