# SPDX-License-Identifier: Apache-2.0
"""Finds what to compile in a TFLM source tree: the interpreter, and the kernels of some operators.

A tree is a checkout of tensorflow/tflite-micro whose third parties were downloaded, or what TFLM's
own project generator (create_tflm_tree.py) makes. Standard library only: it runs inside PlatformIO.
"""

import re
from pathlib import Path

HOW_TO_GET_IT = (
    "set TINYKIT_TFLM (or custom_tflm in platformio.ini) to a checkout of tensorflow/tflite-micro"
    " in which `make -f tensorflow/lite/micro/tools/make/Makefile third_party_downloads` has run,"
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
_DEFINED = re.compile(r"^(?!\s)[\w \*]*?\b(arm_\w+)\s*\(", re.MULTILINE)
_CALLED = re.compile(r"\b(arm_\w+)\s*\(")


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
            head = (git / "HEAD").read_text().strip()
            if not head.startswith("ref: "):
                return head
            name = head[5:]
            if (git / name).is_file():
                return (git / name).read_text().strip()
            packed = (git / "packed-refs").read_text().splitlines()
            return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")
        except OSError:
            return ""

    def check_per_channel(self):
        """Refuse a TFLM that reads only the first scale of FULLY_CONNECTED weights."""
        path = self._source(f"{KERNELS}/fully_connected_common")
        text = path.read_text(encoding="utf-8", errors="replace") if path else ""
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
        folder = self.root / KERNELS
        sources = (p for p in folder.iterdir() if p.suffix in (".cc", ".cpp"))
        files = sorted(p for p in sources if "_test" not in p.stem)
        homes = {}
        for path in files:
            for name in _REGISTER.findall(path.read_text(encoding="utf-8", errors="replace")):
                homes.setdefault(name, path.stem)
        stems = {}
        for name in registrations:
            # Register_CONV_2D_INT8 lives with Register_CONV_2D where it is not inline.
            plain = re.sub(r"_INT(8|16|4)(_INT16)?$", "", name)
            home = homes.get(name) or homes.get(plain)
            if home is None:
                raise TreeError(f"no kernel of {self.root} defines {name}")
            stems[home] = None
            stems.update(dict.fromkeys(RELATED.get(home, [])))
        stems.update(dict.fromkeys(SHARED_KERNEL_CODE))
        return [self._kernel(path, kernels) for path in files if _belongs(path.stem, stems)]

    def _kernel(self, path, kernels):
        """Return the optimised twin of a kernel where the library has one."""
        twin = path.parent / kernels.replace("-", "_") / path.name
        return twin if twin.is_file() else path

    def cmsis_nn_sources(self, callers):
        """Return the CMSIS-NN files that the given sources need, directly or not."""
        files = sorted((self.library("CMSIS-NN") / "Source").rglob("*.c"))
        texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in files}
        home = {name: path for path, text in texts.items() for name in _DEFINED.findall(text)}
        needed, waiting = set(), [p.read_text(encoding="utf-8") for p in callers]
        while waiting:
            for name in _CALLED.findall(waiting.pop()):
                path = home.get(name)
                if path is not None and path not in needed:
                    needed.add(path)
                    waiting.append(texts[path])
        return sorted(needed)


def _belongs(stem, stems):
    """Return whether a kernel file is one of `stems` or a part of it, such as conv_common."""
    return any(stem == s or stem.startswith(f"{s}_") for s in stems)
