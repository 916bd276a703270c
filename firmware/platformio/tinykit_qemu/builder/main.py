# SPDX-License-Identifier: Apache-2.0
"""Toolchain, flags and targets of the QEMU machines."""

import shutil
import sys
from pathlib import Path

from SCons.Script import AlwaysBuild, Default, DefaultEnvironment

env = DefaultEnvironment()
board = env.BoardConfig()
sys.path.insert(0, str(Path(env.PioPlatform().get_dir(), "builder")))
import machine  # noqa: E402  # found through the line above

PREFIX = env.GetProjectOption("custom_toolchain_prefix", "arm-none-eabi-")
if not shutil.which(PREFIX + "gcc"):
    sys.stderr.write(
        f"Error: {PREFIX}gcc is not on PATH (Debian: apt install gcc-arm-none-eabi"
        " libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib)\n"
    )
    env.Exit(1)

CORE_FLAGS = ["-mthumb", *board.get("build.machine_flags").split()]

env.Replace(
    AR=PREFIX + "gcc-ar",
    AS=PREFIX + "gcc",
    CC=PREFIX + "gcc",
    CXX=PREFIX + "g++",
    GDB="gdb-multiarch",
    RANLIB=PREFIX + "gcc-ranlib",
    SIZETOOL=PREFIX + "size",
    ARFLAGS=["rc"],
    PROGNAME="firmware",
    PROGSUFFIX=".elf",
    SIZEPROGREGEXP=r"^\.(?:vectors|text|rodata|ARM\.ex\w+|init_array|data)\s+(\d+).*",
    SIZEDATAREGEXP=r"^\.(?:stack|data|bss|noinit)\s+(\d+).*",
    SIZECHECKCMD="$SIZETOOL -A -d $SOURCES",
    SIZEPRINTCMD="$SIZETOOL -B -d $SOURCES",
)
env.Append(
    ASFLAGS=CORE_FLAGS,
    ASPPFLAGS=["-x", "assembler-with-cpp"],
    CCFLAGS=[*CORE_FLAGS, "-O2", "-ffunction-sections", "-fdata-sections", "-Wall"],
    CFLAGS=["-std=gnu11"],
    CXXFLAGS=[
        "-std=gnu++17",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-threadsafe-statics",
        "-fno-use-cxa-atexit",
    ],
    CPPDEFINES=[("F_CPU", "$BOARD_F_CPU")],
    LINKFLAGS=[
        *CORE_FLAGS,
        "--specs=nano.specs",
        "-static",
        "-Wl,--gc-sections",
        "-Wl,-Map,${BUILD_DIR}/${PROGNAME}.map",
    ],
    LIBS=["stdc++", "m", "c", "gcc"],
)

elf = "$BUILD_DIR/${PROGNAME}.elf" if "nobuild" in sys.argv else env.BuildProgram()
AlwaysBuild(env.Alias("nobuild", elf))


def stop(target, source, env):
    """Stop the machine, as SCons calls an action."""
    machine.stop(env)


size = env.AddPlatformTarget(
    "size",
    elf,
    env.VerboseAction("$SIZEPRINTCMD", "Calculating size $SOURCE"),
    "Program Size",
    "Calculate program size",
)
env.AddPlatformTarget(
    "upload",
    elf,
    [env.VerboseAction(machine.upload, "Starting QEMU with $SOURCE")],
    "Upload",
    "Start the machine, its serial line on upload_port",
)
env.AddPlatformTarget(
    "exec",
    elf,
    [env.VerboseAction(machine.execute, "Running $SOURCE in QEMU")],
    "Execute",
    "Run in the foreground",
)
env.AddPlatformTarget(
    "stop",
    None,
    [env.VerboseAction(stop, "Stopping QEMU")],
    "Stop",
    "Stop the machine",
)

Default([elf, size])
