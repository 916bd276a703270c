# SPDX-License-Identifier: Apache-2.0
"""Finds what to compile in a TFLM source tree: the interpreter, and the kernels of some operators.

A tree is a checkout of tensorflow/tflite-micro whose third parties were downloaded, or what TFLM's
own project generator (create_tflm_tree.py) makes. Standard library only: it runs inside PlatformIO.
"""

import re
from pathlib import Path

# Without the kernel folder the Makefile leaves CMSIS-NN out.
DOWNLOAD = (
    "make -f tensorflow/lite/micro/tools/make/Makefile OPTIMIZED_KERNEL_DIR=cmsis_nn"
    " third_party_downloads"
)
HOW_TO_GET_IT = (
    "set TINYKIT_TFLM (or custom_tflm in platformio.ini) to a checkout of tensorflow/tflite-micro"
    f" in which `{DOWNLOAD}` has run (it needs wget, unzip, and Python with numpy and pillow),"
    " or to the output of its create_tflm_tree.py"
)

MICRO = "tensorflow/lite/micro"
KERNELS = f"{MICRO}/kernels"
CORE = [
    "tensorflow/compiler/mlir/lite/core/api/error_reporter",
    "tensorflow/compiler/mlir/lite/schema/schema_utils",
    "tensorflow/lite/core/api/flatbuffer_conversions",
    "tensorflow/lite/core/api/tensor_utils",
    "tensorflow/lite/core/c/common",
    "tensorflow/lite/kernels/internal/common",
    "tensorflow/lite/kernels/internal/portable_tensor_utils",
    "tensorflow/lite/kernels/internal/quantization_util",
    "tensorflow/lite/kernels/internal/runtime_shape",
    "tensorflow/lite/kernels/internal/tensor_ctypes",
    "tensorflow/lite/kernels/internal/tensor_utils",
    "tensorflow/lite/kernels/kernel_util",
    f"{MICRO}/arena_allocator/non_persistent_arena_buffer_allocator",
    f"{MICRO}/arena_allocator/persistent_arena_buffer_allocator",
    f"{MICRO}/arena_allocator/single_arena_buffer_allocator",
    f"{MICRO}/flatbuffer_utils",
    f"{MICRO}/memory_helpers",
    f"{MICRO}/memory_planner/greedy_memory_planner",
    f"{MICRO}/memory_planner/linear_memory_planner",
    f"{MICRO}/micro_allocation_info",
    f"{MICRO}/micro_allocator",
    f"{MICRO}/micro_context",
    f"{MICRO}/micro_interpreter",
    f"{MICRO}/micro_interpreter_context",
    f"{MICRO}/micro_interpreter_graph",
    f"{MICRO}/micro_log",
    f"{MICRO}/micro_op_resolver",
    f"{MICRO}/micro_resource_variable",
    f"{MICRO}/micro_utils",
    f"{MICRO}/tflite_bridge/flatbuffer_conversions_bridge",
    f"{MICRO}/tflite_bridge/micro_error_reporter",
]
"""Sources of the interpreter without their ending, which is .cc or .cpp."""

SHARED_KERNEL_CODE = ["decompress", "decompress_common", "kernel_util", "micro_tensor_utils"]
RELATED = {
    "depthwise_conv": ["conv_common"],
    "unidirectional_sequence_lstm": ["lstm_eval", "lstm_eval_common", "fully_connected_common"],
}
"""Kernel -> files of other kernels that it calls, as the undefined symbols of its object tell."""


# name: (folder, file that proves that it is there), below one of THIRD_PARTY.
THIRD_PARTY = ["third_party", f"{MICRO}/tools/make/downloads"]
LIBRARIES = {
    "flatbuffers": ("flatbuffers/include", "flatbuffers/flatbuffers.h"),
    "gemmlowp": ("gemmlowp", "fixedpoint/fixedpoint.h"),
    "ruy": ("ruy", "ruy/profiler/instrumentation.h"),
    "CMSIS-NN": ("cmsis_nn", "Include/arm_nnfunctions.h"),
}
ALWAYS = ["flatbuffers", "gemmlowp", "ruy"]

_REGISTER = re.compile(r"^TFLMRegistration\*?\s+(Register_\w+)\s*\(", re.MULTILINE)
_FUNCTION = re.compile(r"^(?!\s)[\w \*]*?\b(arm_\w+)\s*\(", re.MULTILINE)
_TABLE = re.compile(r"^const \w+ (\w+)\[\w*\] = \{", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"\w+")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


class TreeError(Exception):
    """The tree is not there, not whole, or not the one that the project was made for."""


class Tree:
    """A TFLM source tree and where its parts lie."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        if not self._source(f"{MICRO}/micro_interpreter"):
            raise TreeError(f"{root} holds no TFLM sources: {HOW_TO_GET_IT}")

    def _source(self, stem):
        """Return the source with that stem, None where there is none."""
        for ending in (".cc", ".cpp", ".c"):
            path = self.root / f"{stem}{ending}"
            if path.is_file():
                return path
        return None

    def library(self, name):
        """Return the include folder of a third-party library."""
        folder, proof = LIBRARIES[name]
        for base in THIRD_PARTY:
            if (self.root / base / folder / proof).is_file():
                return self.root / base / folder
        raise TreeError(f"{self.root} lacks {name}: {HOW_TO_GET_IT}")

    def commit(self):
        """Return the commit that is checked out, "" where the tree does not say."""
        git = self.root / ".git"
        try:
            if git.is_file():  # of a submodule or a second work tree
                git = self.root / git.read_text().removeprefix("gitdir: ").strip()
            found = _head(git)
        except (OSError, ValueError):
            return ""
        return found if _COMMIT.fullmatch(found) else ""

    def check_per_channel(self):
        """Refuse a TFLM that reads only the first scale of FULLY_CONNECTED weights."""
        path = self._source(f"{KERNELS}/fully_connected_common")
        text = _text(path) if path else ""
        if "is_per_channel" not in text:
            raise TreeError(
                f"{self.root} computes FULLY_CONNECTED with per-channel weights wrong, and a model"
                " has it: take a TFLM of 2024 or later"
            )

    def includes(self, kernels):
        """Return the include folders that every source file needs."""
        found = [self.root, *(self.library(name) for name in ALWAYS)]
        if kernels == "cmsis-nn":
            # TFLM's kernels say "Include/arm_nnfunctions.h", CMSIS-NN itself leaves the folder out.
            found += [self.library("CMSIS-NN"), self.library("CMSIS-NN") / "Include"]
        return found

    def core(self):
        """Return the sources of the interpreter."""
        found = [(stem, self._source(stem)) for stem in CORE]
        missing = [stem for stem, path in found if path is None]
        if missing:
            raise TreeError(f"{self.root} lacks {missing[0]}.cc: not the TFLM of this project?")
        return [path for _, path in found]

    def kernel_sources(self, registrations, kernels):
        """Return the kernels that define the given `Register_…` functions, and what they share."""
        files = self._kernels(kernels)
        homes = {}
        for stem, path in files.items():
            for name in _REGISTER.findall(_text(path)):
                homes.setdefault(name, stem)
        stems = {}
        for name in registrations:
            # Register_CONV_2D_INT8 lives with Register_CONV_2D where it is not inline.
            plain = re.sub(r"_INT(8|16|4)(_INT16)?$", "", name)
            home = homes.get(name) or homes.get(plain)
            if home is None:
                raise TreeError(
                    f"no {kernels} kernel of {self.root} defines {name}: a tree that was generated"
                    " holds the kernels of one library"
                )
            stems[home] = None
            stems.update(dict.fromkeys(RELATED.get(home, [])))
        stems.update(dict.fromkeys(SHARED_KERNEL_CODE))
        return [path for stem, path in files.items() if _belongs(stem, stems)]

    def _kernels(self, kernels):
        """Return the kernels by stem: the library's own, where it has one, and the reference.

        A checkout holds both; a generated tree holds the one that was chosen when it was made.
        """
        found = {}
        for folder in (self.root / KERNELS, self.root / KERNELS / kernels.replace("-", "_")):
            for path in folder.iterdir() if folder.is_dir() else ():
                if path.suffix in (".cc", ".cpp") and "_test" not in path.stem:
                    found[path.stem] = path
        return dict(sorted(found.items()))

    def cmsis_nn_sources(self, callers):
        """Return the CMSIS-NN files that the given sources need, directly or not."""
        files = sorted((self.library("CMSIS-NN") / "Source").rglob("*.c"))
        texts = {path: _COMMENT.sub("", _text(path)) for path in files}
        home = {}
        for path, text in texts.items():
            names = [*_FUNCTION.findall(text), *_TABLE.findall(text)]
            home.update(dict.fromkeys(names, path))
        needed, waiting = set(), [_COMMENT.sub("", _text(path)) for path in callers]
        while waiting:
            for name in home.keys() & set(_WORD.findall(waiting.pop())):
                path = home[name]
                if path not in needed:
                    needed.add(path)
                    waiting.append(texts[path])
        return sorted(needed)


def _text(path):
    return path.read_text(encoding="utf-8", errors="replace")


def _head(git):
    """Return what HEAD of a git folder says, followed through one branch."""
    head = (git / "HEAD").read_text().strip()
    if not head.startswith("ref: "):
        return head
    common = git / "commondir"  # where a second work tree keeps its branches
    if common.is_file():
        git = git / common.read_text().strip()
    name = head.removeprefix("ref: ")
    if (git / name).is_file():
        return (git / name).read_text().strip()
    packed = (git / "packed-refs").read_text().splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")


def _belongs(stem, stems):
    """Return whether a kernel file is one of `stems` or a part of it, such as conv_common."""
    return any(stem == s or stem.startswith(f"{s}_") for s in stems)
