# SPDX-License-Identifier: Apache-2.0
"""Generated projects as readable golden trees; `pytest --update-golden` writes them anew.

The golden trees hold what is rendered. What is copied from `firmware/` and the model itself are
left out: they are tested where they live.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.firmware.build import need_program
from tests.support import ROOT, shared_path
from tinykit import find_board, fit, list_boards
from tinykit.codegen.ports import find_port
from tinykit.codegen.project import MANIFEST, Golden, Model, project
from tinykit.errors import UsageError
from tinykit.tflm.shared import shared_arena
from tinykit.toolchain.platformio import run_platformio

GOLDEN = ROOT / "tests" / "golden"
MOCKS = ROOT / "tests" / "codegen" / "mocks"
RENDERED = ("platformio.ini", "README.md", "src/", "tflm/plan.json", "sdkconfig.defaults")
COPIED = ("src/tflm_",)

CASES = {
    "digits-qemu-cortex-m4": ("qemu-cortex-m4", ["digits_int8"]),
    "digits-esp32-s3-devkitc": ("esp32-s3-devkitc", ["digits_int8"]),
    "digits-nano33ble": ("nano33ble", ["digits_int8"]),
    "alexa-qemu-cortex-m55": ("qemu-cortex-m55", ["mww_v2_alexa"]),
    "kws-and-hello-qemu-cortex-m7": ("qemu-cortex-m7", ["kws_ref_model", "hello_world_int8"]),
}


def _path(name: str) -> Path:
    own = ROOT / "models" / f"{name}.tflite"
    return own if own.exists() else shared_path("models", f"{name}.tflite")


def _project(board_name: str, names: list[str]) -> dict[str, bytes]:
    board = find_board(board_name)
    golden = (Golden(b"\1\2\3", b"\4"),)
    models = [Model(n, _path(n).read_bytes(), fit(_path(n), board), golden) for n in names]
    graphs = [m.result.graph for m in models]
    arena = shared_arena(graphs, models[0].result.kernels, board.cmsis_nn_isa)
    return project(board, find_port(board), models, arena)


def _rendered(files: dict[str, bytes]) -> dict[str, str]:
    return {
        path: data.decode()
        for path, data in files.items()
        if path.startswith(RENDERED) and not path.startswith(COPIED)
    }


@pytest.mark.parametrize("case", CASES)
def test_rendered_files_equal_the_golden_tree(case: str, request: pytest.FixtureRequest) -> None:
    files = _rendered(_project(*CASES[case]))
    folder = GOLDEN / case
    if request.config.getoption("--update-golden"):
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    found = {
        p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8")
        for p in folder.rglob("*")
        if p.is_file()
    }
    assert files == found


def test_manifest_lists_every_other_file() -> None:
    import json

    files = _project("qemu-cortex-m4", ["digits_int8"])
    manifest = json.loads(files[MANIFEST])
    assert set(manifest["files"]) == set(files) - {MANIFEST}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_sources_compile_against_the_signatures_of_tflm(case: str, tmp_path: Path) -> None:
    gcc = need_program("g++", "g++")
    for path, data in _project(*CASES[case]).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    flags = ["-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror"]
    defines = ["-DTF_LITE_STATIC_MEMORY", "-DCMSIS_NN"]
    includes = [f"-I{MOCKS}", f"-I{tmp_path / 'lib' / 'tinykit' / 'include'}"]
    for strip in ([], ["-DTF_LITE_STRIP_ERROR_STRINGS"]):
        for source in sorted((tmp_path / "src").glob("*.cc")):
            command = [gcc, *flags, *defines, *strip, *includes, "-c", str(source)]
            subprocess.run([*command, "-o", str(tmp_path / "o")], check=True, cwd=tmp_path)
    subprocess.run(
        ["gcc", "-c", "src/model_data.S", "-o", str(tmp_path / "data.o")], check=True, cwd=tmp_path
    )


@pytest.mark.slow
def test_hostile_names_compile_and_stay_in_the_folder(tmp_path: Path) -> None:
    gcc = need_program("g++", "g++")
    board, path = find_board("qemu-cortex-m4"), _path("digits_int8")
    name = 'q"\\\n*/ int x; /*??/' + "y" * 10_000
    result = fit(path, board)
    main = result.graph.main
    tensors = tuple(replace(t, name=f"{name}{t.index}") for t in main.tensors)
    graph = replace(result.graph, subgraphs=(replace(main, tensors=tensors),))
    model = Model(name, path.read_bytes(), replace(result, graph=graph))
    arena = shared_arena([graph], result.kernels, board.cmsis_nn_isa)
    for file, data in project(board, find_port(board), [model], arena).items():
        assert not file.startswith(("/", ".."))
        assert len(file) < 100
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(data)
    flags = ["-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-trigraphs", "-DCMSIS_NN"]
    includes = [f"-I{MOCKS}", f"-I{tmp_path / 'lib' / 'tinykit' / 'include'}"]
    command = [gcc, *flags, "-DTF_LITE_STATIC_MEMORY", *includes, "-c", "src/image.cc"]
    subprocess.run([*command, "-o", str(tmp_path / "o")], check=True, cwd=tmp_path)


@pytest.mark.parametrize("macro", ["TF_LITE_STATIC_MEMORY", "CMSIS_NN"])
def test_missing_flag_stops_the_compiler(macro: str, tmp_path: Path) -> None:
    gcc = need_program("g++", "g++")
    image = tmp_path / "image.cc"
    image.write_bytes(_project("qemu-cortex-m4", ["digits_int8"])["src/image.cc"])
    defines = [f"-D{m}" for m in ("TF_LITE_STATIC_MEMORY", "CMSIS_NN") if m != macro]
    done = subprocess.run(
        [gcc, *defines, "-E", str(image)], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert f"{macro} must be defined" in done.stderr


def _boards_with_a_port() -> list[str]:
    names = []
    for board in list_boards():
        try:
            find_port(board)
        except UsageError as error:
            assert board.id in error.message or board.core == "host"  # noqa: PT017 - it says which board has none
        else:
            names.append(board.id)
    return names


def test_nearly_every_board_has_a_port() -> None:
    without = {board.id for board in list_boards()} - set(_boards_with_a_port())
    # PlatformIO has no board for the first four, and the next two are described for Zephyr.
    assert without == {"ek-ra6m4", "max78000fthr", "nrf5340-dk", "nucleo-h7a3zi-q"} | {
        "mimxrt1060-evk",
        "nrf52840-dk",
    } | {"host"} | {board.id for board in list_boards() if board.platformio is None}


@pytest.mark.slow
@pytest.mark.platformio
@pytest.mark.parametrize("board", _boards_with_a_port())
def test_platformio_accepts_the_configuration(
    board: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("platformio", reason="platformio missing (pip install '.[flash]')")
    monkeypatch.setenv("TINYKIT_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    ini = tmp_path / "platformio.ini"
    ini.write_bytes(_project(board, ["digits_int8"])["platformio.ini"])
    said = run_platformio(tmp_path, ["project", "config"], online=True, timeout_seconds=60)
    for part in ("env:performance", "env:energy", "env:profile"):
        assert part in said
