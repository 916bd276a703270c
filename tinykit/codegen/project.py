# SPDX-License-Identifier: Apache-2.0
"""What a firmware project is made from, and the project as a mapping of paths to bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from tinykit._version import __version__
from tinykit.board import Board
from tinykit.codegen.names import identifiers
from tinykit.codegen.operators import Registration, registrations
from tinykit.codegen.ports import Port
from tinykit.codegen.render import render, template_bytes
from tinykit.codegen.tensors import Interface, interface
from tinykit.estimate.firmware import firmware_cost
from tinykit.estimate.fit import Fit, shared_runtime
from tinykit.model.findings import find_problems
from tinykit.model.graph import Graph
from tinykit.tflm import COMMIT
from tinykit.tflm.shared import SharedArena

MANIFEST = "tinykit.json"
"""Lists every file that was generated with its hash: only these may be replaced."""


@dataclass(frozen=True, slots=True)
class Golden:
    """An input and the reference's output for it: all tensors, one after the other."""

    input: bytes
    output: bytes


@dataclass(frozen=True, slots=True)
class Model:
    """One model of the image.

    Attributes:
        name: of its file, without the ending.
        data: the file.
        result: its fit on the project's board.
        golden: test vectors; empty where no reference was at hand.
    """

    name: str
    data: bytes
    result: Fit
    golden: tuple[Golden, ...] = ()


@dataclass(frozen=True, slots=True)
class DataFile:
    """Bytes that the image links in as they are."""

    symbol: str
    path: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ModelCode:
    """One model as the templates see it."""

    name: str
    ident: str
    data: DataFile
    interface: Interface
    operators: int
    resource_variables: int
    golden: tuple[tuple[DataFile, DataFile], ...]

    @property
    def files(self) -> tuple[DataFile, ...]:
        """Return the model and its test vectors."""
        return (self.data, *(file for pair in self.golden for file in pair))


def project(
    board: Board, port: Port, models: Sequence[Model], arena: SharedArena, tflm: str = ""
) -> dict[str, bytes]:
    """Return the files of a PlatformIO project that runs `models` on `board`.

    Args:
        port: of the board.
        models: at least one, all fitted to the board with the same setup.
        arena: of all models together.
        tflm: path of the TFLM source tree to write into platformio.ini, "" for none.
    """
    codes = [
        _code(model, ident)
        for model, ident in zip(models, identifiers(m.name for m in models), strict=True)
    ]
    kernels = models[0].result.kernels
    setup = models[0].result.setup
    # On an ESP32, TFLM comes as a component; elsewhere the project compiles it from a tree.
    component = kernels == "esp-nn"
    kind = "generic" if component else setup.registrations
    chosen = registrations([m.result.graph for m in models], kind)
    facts = {
        "version": __version__,
        "board": board,
        "port": port,
        "models": codes,
        "arena": arena,
        "registrations": chosen,
        "kernels": kernels,
        "component": component,
        "release": setup.build == "release",
        "commit": COMMIT,
        "tflm": tflm,
        "input_buffer_bytes": max(c.interface.encoded_bytes for c in codes),
    }
    rendered = _RENDERED | (_RENDERED_FOR_COMPONENT if component else {})
    files = {path: render(template, facts) for path, template in rendered.items()}
    for code in codes:
        files[f"src/{code.ident}_io.h"] = render("tflm/src/model_io.h.j2", {**facts, "model": code})
    copied = _COPIED_FOR_COMPONENT if component else _COPIED
    files |= {path: template_bytes(template) for path, template in copied.items()}
    files |= dict(port.files)
    if not component:
        files["tflm/plan.json"] = _plan(kernels, chosen, [m.result.graph for m in models])
    for code, model in zip(codes, models, strict=True):
        files[code.data.path] = model.data
        for (given, wanted), golden in zip(code.golden, model.golden, strict=True):
            files[given.path], files[wanted.path] = golden.input, golden.output
    files[MANIFEST] = _manifest(board, codes, arena, files, _predicted(models, chosen), kernels)
    return dict(sorted(files.items()))


_RENDERED = {
    "platformio.ini": "tflm/platformio.ini.j2",
    "README.md": "tflm/README.md.j2",
    "src/image.cc": "tflm/src/image.cc.j2",
    "src/op_resolver.h": "tflm/src/op_resolver.h.j2",
    "src/model_data.S": "tflm/src/model_data.S.j2",
}
_RENDERED_FOR_COMPONENT = {
    "src/idf_component.yml": "esp/idf_component.yml.j2",
    "sdkconfig.defaults": "esp/sdkconfig.defaults.j2",
}
_COPIED_FOR_COMPONENT = {"src/CMakeLists.txt": "esp/CMakeLists.txt"}
_COPIED = {"tflm/build.py": "tflm/tflm/build.py", "tflm/sources.py": "tflm/tflm/sources.py"}


def _code(model: Model, ident: str) -> ModelCode:
    graph = model.result.graph
    golden = tuple(
        (
            _file(f"tk_input_{ident}_{k}", f"models/{ident}.{k}.input.bin", g.input),
            _file(f"tk_output_{ident}_{k}", f"models/{ident}.{k}.output.bin", g.output),
        )
        for k, g in enumerate(model.golden)
    )
    arena = model.result.arena
    return ModelCode(
        name=model.name,
        ident=ident,
        data=_file(f"tk_data_{ident}", f"models/{ident}.tflite", model.data),
        interface=interface(graph),
        operators=len(graph.main.operators),
        resource_variables=0 if arena is None else arena.resource_variables,
        golden=golden,
    )


def _file(symbol: str, path: str, data: bytes) -> DataFile:
    return DataFile(symbol, path, sha256(data).hexdigest(), len(data))


def _plan(kernels: str, chosen: Sequence[Registration], graphs: Sequence[Graph]) -> bytes:
    plan = {
        "commit": COMMIT,
        "kernels": kernels,
        "registrations": [r.function for r in chosen],
        "per_channel_fully_connected": any(
            f.code == "per-channel-fully-connected" for g in graphs for f in find_problems(g)
        ),
    }
    return (json.dumps(plan, indent=2) + "\n").encode()


def _predicted(models: Sequence[Model], chosen: Sequence[Registration]) -> dict[str, object]:
    """Return what the linked image should be; one runtime serves all models."""
    runtime = shared_runtime([m.result for m in models])
    firmware = firmware_cost([m.result.graph for m in models], len(chosen))
    constants = sum(len(m.data) for m in models)
    constants += sum(len(g.input) + len(g.output) for m in models for g in m.golden)
    optimised = models[0].result.kernels == "cmsis-nn"
    convolves = any(r.name == "CONV_2D" for r in chosen)
    return {
        "flash_bytes": constants + runtime.runtime_bytes + firmware.flash_bytes,
        "runtime_bytes": runtime.runtime_bytes,
        "firmware_bytes": firmware.flash_bytes,
        "static_bytes": firmware.static_bytes + firmware.input_buffer_bytes,
        "symbols": ["arm_convolve"] if optimised and convolves else [],
    }


def _manifest(
    board: Board,
    codes: Sequence[ModelCode],
    arena: SharedArena,
    files: Mapping[str, bytes],
    predicted: Mapping[str, object],
    kernels: str,
) -> bytes:
    document = {
        "schema": "tinykit.project",
        "schema_version": "1.0",
        "tinykit": __version__,
        "board": board.id,
        "kernels": kernels,
        "predicted": predicted,
        "models": [{"name": c.name, "sha256": c.data.sha256, "path": c.data.path} for c in codes],
        "arena": {"needed_bytes": arena.needed, "used_bytes": arena.used},
        "files": {path: sha256(data).hexdigest() for path, data in sorted(files.items())},
    }
    return (json.dumps(document, indent=2, ensure_ascii=True) + "\n").encode()
