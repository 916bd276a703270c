# SPDX-License-Identifier: Apache-2.0
"""Findings against a runtime's verdict and against the codes that public problem reports call for.

FAILS and RUNS were recorded with the PyPI package tflite-micro 0.dev20261023 on x86-64: each model
was loaded with an arena of 64 MB and invoked once with zeros, in a process of its own because the
runtime crashes on some files. `test_the_record_holds` repeats that.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.graphs import model, operator, subgraph, tensor
from tests.support import shared_path
from tinykit.errors import ModelError
from tinykit.model.cost import count_cost
from tinykit.model.findings import Finding, find_problems
from tinykit.model.graph import BITS, Graph, Operator, Quantization, Tensor
from tinykit.model.operators import SUPPORTED
from tinykit.model.reader import read_model

if TYPE_CHECKING:
    from pathlib import Path

FAILS = {  # model: what the runtime printed
    "coral_mobilenet_v1_0.25_128_quant": "Hybrid models are not supported on TFLite Micro.",
    "coral_split_concat": "concatenation.cc:146 input_type == kTfLiteFloat32 || ...",
    "kws_ref_model_float32": "Hybrid models are not supported on TFLite Micro.",
    "person_detect_vela": "Failed to get registration from op code CUSTOM",
    "problems/k2_b_2587_fp16": "dequantize_common.cc:42 input->type == kTfLiteInt8 || ...",
    "problems/k2_b_43386_dynrange": "Input type: FLOAT32 with filter type: INT8 not supported.",
    "problems/k2_b_43386_dynrange_1024dense": "Input type: FLOAT32 with filter type: INT8 not ...",
    "problems/k2_b_argmax_i64": "Only int32_t are supported currently, got INT64.",  # at invoke
    "problems/k2_b_conv3d": "Didn't find op for builtin opcode 'CONV_3D'",
    "problems/k2_b_custom_atan": "Failed to get registration from op code CUSTOM",
    "problems/k2_b_dynslice_867": "Non-constant >end< tensor is not supported",
    "problems/k2_b_gelu_float": "Didn't find op for builtin opcode 'GELU'",
    "problems/k2_b_lstm_none_select": "Failed to get registration from op code CUSTOM",
    "problems/k2_b_rfft": "Didn't find op for builtin opcode 'RFFT2D'",
    "problems/k2_b_topk": "Didn't find op for builtin opcode 'TOPK_V2'",
}
RUNS = """
ad01_int8 audio_preprocessor_int8 coral_keras_lstm_mnist_ptq dtln_noise_suppression
emza_ssd_slim_120x160 hello_world_float hello_world_int8 keyword_scrambled_8bit kws_ref_model
mcunet_detection mcunet_vww micro_speech_quantized mlonmcu_catdog mlonmcu_cifar10
mlonmcu_magic_wand mlonmcu_micro_kws_m_quantized mlonmcu_rnnoise_INT8 mlonmcu_text_class
mltk_fingerprint mltk_kws_on_off_v3 mww_v2_alexa mww_v2_okay_nabu openmv_blazeface_front_128
openmv_fomo_face_detection openmv_yolo_lc_192 person_detect pretrainedResnet
pretrainedResnet_quant problems/k2_a_2513_float problems/k2_a_2513_int8
problems/k2_b_344_16x8_floatio problems/k2_b_344_16x8_int16io problems/k2_b_cond
problems/k2_b_conv1d_causal_dilated problems/k2_b_gru_bs1 problems/k2_b_gru_unroll_bs1
problems/k2_b_layernorm_float problems/k2_b_layernorm_int8 problems/k2_b_lstm_backwards_bs1
problems/k2_b_lstm_bs1 problems/k2_b_lstm_bs1_int8 problems/k2_b_lstm_stateful
problems/k2_b_lstm_unroll_bs1 problems/k2_b_reshape_bs1 problems/k2_b_reshape_none
problems/k2_b_transposeconv_int8 problems/k2_b_transposeconv_none
problems/k2_b_upsample_bilinear_float problems/k2_b_upsample_bilinear_int8
problems/k2_c_40477_default_floatio problems/k2_c_int8_ref problems/k2_c_uint8_io
problems/k2_h_branches_int8 problems/k2_h_residual_int8 problems/k2_h_two_outputs_unused
problems/k3_a_2513_int8 problems/k3_b_layernorm_int8 problems/k3_b_lstm_bs1
problems/k3_b_reshape_none simple_add_model str_ww_ref_model tflm_mbv2_pytorch_int8
tinymaix_mnist_dw_q tinymaix_mnist_resnet_q trained_lstm_int8 vww_96_int8
""".split()  # noqa: SIM905

HOSTILE_RUNS = {  # damaged, yet the runtime loads and runs it: whether tinykit objects, and why
    "buf9999": True,  # a buffer index outside the file
    "noident": True,  # another format, for all anybody knows; --lenient reads on
    "ops_reversed": True,  # operators read what is not written yet: the outputs are garbage
    "shortweights": True,  # the weights end before the tensor does: read out of bounds
    "trailing": False,  # harmless
}
HOSTILE_FAILS = (
    "eight", "empty", "fuzz0", "fuzz1", "hugeshape", "lfs", "negshape", "noquant_filter",
    "nosubgraph", "offline_truncated", "opin9999", "trunc_64", "trunc_half",
)  # fmt: skip

EXPECTED = {  # from the rows of the problem reports, by hand
    "coral_mobilenet_v1_0.25_128_quant": {"uint8-core"},
    "coral_keras_lstm_mnist_ptq": {"uint8-io"},
    "mww_v2_alexa": {"resource-variables", "uint8-io"},
    "mcunet_vww": {"float-io"},
    "person_detect_vela": {"ethos-u", "offline-plan"},
    "pretrainedResnet": {"float-model"},
    "pretrainedResnet_quant": {"suspicious-input-scale"},
    "vww_96_int8": {"suspicious-input-scale", "esp-nn-conv-same-padding"},
    "problems/k2_a_2513_float": {"float-model"},
    "problems/k2_b_2587_fp16": {"float16-weights"},
    "problems/k2_b_344_16x8_floatio": {"float-io", "per-channel-fully-connected-int16"},
    "problems/k2_b_43386_dynrange": {"hybrid-operator"},
    "problems/k2_b_43386_dynrange_1024dense": {"hybrid-operator"},
    "problems/k2_b_argmax_i64": {"unsupported-type"},
    "problems/k2_b_conv3d": {"missing-operator"},
    "problems/k2_b_custom_atan": {"custom-operator"},
    "problems/k2_b_dynslice_867": {"non-constant-input"},
    "problems/k2_b_gelu_float": {"missing-operator"},
    "problems/k2_b_gru_bs1": {"gru-as-while"},
    "problems/k2_b_gru_unroll_bs1": {"unrolled-recurrence"},
    "problems/k2_b_lstm_none_select": {"flex-operator", "dynamic-batch"},
    "problems/k2_b_lstm_stateful": {"resource-variables", "unrolled-recurrence"},
    "problems/k2_b_reshape_none": {"dynamic-batch"},
    "problems/k2_b_rfft": {"missing-operator"},
    "problems/k2_b_topk": {"missing-operator"},
    "problems/k2_b_transposeconv_none": {"dynamic-batch"},
    "problems/k2_c_40477_default_floatio": {"float-io"},
    "problems/k2_c_int8_ref": {"per-channel-fully-connected"},
    "problems/k2_c_uint8_io": {"uint8-io"},
    "problems/k2_h_two_outputs_unused": {"unused-output"},
    "problems/k3_a_2513_int8": {"dynamic-batch"},
    "problems/k3_b_layernorm_int8": {"float-island"},
    "problems/k3_b_lstm_bs1": {"lstm-as-while"},
    "problems/k3_b_reshape_none": {"dynamic-batch"},
}
CLEAN = ("ad01_int8", "hello_world_int8", "keyword_scrambled_8bit", "micro_speech_quantized")


def read(name: str) -> Graph:
    return read_model(shared_path("models", f"{name}.tflite").read_bytes())


def errors(graph: Graph) -> list[Finding]:
    """Return what keeps a model from running on the recorded runtime: reference kernels, no NPU."""
    there = ("any", "boards-without-ethos-u")
    return [f for f in find_problems(graph) if f.severity == "error" and f.applies_to in there]


@pytest.mark.parametrize("name", [*FAILS, *RUNS])
def test_errors_are_found_exactly_where_the_runtime_fails(name: str) -> None:
    assert bool(errors(read(name))) == (name in FAILS)


@pytest.mark.parametrize("name", [*HOSTILE_FAILS, *HOSTILE_RUNS])
def test_damaged_files_are_refused_unless_harmless(name: str) -> None:
    try:
        refused = bool(errors(read(f"hostile/{name}")))
    except ModelError:
        refused = True
    assert refused == HOSTILE_RUNS.get(name, True)


@pytest.mark.parametrize("name", EXPECTED)
def test_each_reported_problem_is_found(name: str) -> None:
    assert {f.code for f in find_problems(read(name))} >= EXPECTED[name]


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_model_has_no_findings(name: str) -> None:
    assert find_problems(read(name)) == ()


def found(name: str, code: str) -> Finding:
    return next(f for f in find_problems(read(name)) if f.code == code)


def test_figures_in_messages() -> None:
    # mww: six streams of state; NEG works on [1, 16, 1] floats, in and out
    assert " 6 resource variables" in found("mww_v2_okay_nabu", "resource-variables").message
    assert (
        " 2 resource variables"
        in found("problems/k2_b_lstm_stateful", "resource-variables").message
    )
    island = found("problems/k3_b_layernorm_int8", "float-island").message
    assert "run NEG" in island
    assert " 128 B of float" in island
    assert "ARG_MAX (operator 0)" in found("problems/k2_b_argmax_i64", "unsupported-type").message
    assert "20 steps" in found("problems/k2_b_gru_unroll_bs1", "unrolled-recurrence").message
    batch = found("problems/k3_a_2513_int8", "dynamic-batch")
    assert "batch_shape=(1, 125, 90, 1)" in batch.fix


def test_gravest_first_and_the_same_each_time() -> None:
    graph = read("problems/k2_b_lstm_none_select")
    problems = find_problems(graph)
    gravity = [("error", "warning", "info").index(f.severity) for f in problems]
    assert gravity == sorted(gravity)
    assert problems == find_problems(graph)


LOAD_AND_RUN = """
import sys, numpy
from tflite_micro import runtime
interpreter = runtime.Interpreter.from_file(sys.argv[1], arena_size=64 << 20)
for i in range(int(sys.argv[2])):
    d = interpreter.get_input_details(i)
    interpreter.set_input(numpy.zeros(d["shape"], d["dtype"]), i)
interpreter.invoke()
"""


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize("name", [*FAILS, *RUNS])
def test_the_record_holds(name: str) -> None:
    pytest.importorskip("tflite_micro")
    path: Path = shared_path("models", f"{name}.tflite")
    inputs = str(len(read(name).main.inputs))
    done = subprocess.run(
        [sys.executable, "-c", LOAD_AND_RUN, str(path), inputs],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode != 0) == (name in FAILS)
    expected = FAILS.get(name, "").removesuffix("...")
    assert " ".join(expected.split()) in " ".join(done.stderr.split())


NAMES = [*SUPPORTED, "CUSTOM", "GELU", "FlexAbs"]
INDEX = st.integers(-3, 6)
OPTION = st.one_of(st.integers(-(2**31), 2**31 - 1), st.booleans(), st.just("SAME"))
OPTIONS = st.dictionaries(
    st.sampled_from(
        ["axis", "padding", "stride_h", "stride_w", "init_subgraph_index", "then_subgraph_index",
         "else_subgraph_index", "cond_subgraph_index", "body_subgraph_index", "depth_multiplier",
         "filter_height", "filter_width", "shared_name", "dilation_h_factor"]
    ),
    OPTION,
)  # fmt: skip
QUANTIZATIONS = st.one_of(
    st.none(),
    st.builds(
        Quantization,
        st.lists(st.floats(width=32), max_size=3).map(tuple),
        st.lists(st.integers(-200, 200), max_size=3).map(tuple),
        st.integers(-2, 5),
    ),
)


@st.composite
def tensors(draw: st.DrawFn) -> Tensor:
    made = tensor(
        "INT8",
        tuple(draw(st.lists(st.integers(-1, 2**20), max_size=5))),
        data=draw(st.one_of(st.none(), st.binary(max_size=9))),
        signature=tuple(draw(st.lists(st.integers(-1, 3), max_size=4))),
        quantization=draw(QUANTIZATIONS),
        offset=draw(st.one_of(st.none(), st.integers(0, 99))),
        variable=draw(st.booleans()),
    )
    object.__setattr__(made, "type", draw(st.sampled_from([*BITS, "RESOURCE", "VARIANT"])))
    return made


@st.composite
def operators(draw: st.DrawFn) -> Operator:
    name = draw(st.sampled_from(NAMES))
    custom = (
        draw(st.sampled_from(["", "ethos-u", "FlexAbs", "QUANTIZE"])) if name == "CUSTOM" else ""
    )
    indices = st.lists(INDEX, max_size=25)
    return operator(
        name,
        draw(indices),
        draw(indices),
        draw(OPTIONS),
        custom=custom,
        intermediates=draw(indices),
    )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    parts = [
        subgraph(
            draw(st.lists(tensors(), max_size=6)),
            draw(st.lists(operators(), max_size=5)),
            draw(st.lists(INDEX, max_size=3)),
            draw(st.lists(INDEX, max_size=3)),
            i,
        )
        for i in range(draw(st.integers(0, 3)))
    ]
    metadata: dict[str, Any] = {}
    if draw(st.booleans()):
        metadata["OfflineMemoryAllocation"] = draw(st.binary(max_size=24))
    return model(*parts, metadata=metadata)


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_any_graph_gets_an_answer(graph: Graph) -> None:
    for finding in find_problems(graph):
        assert finding.message.endswith(".")
        assert "\n" not in finding.message
    count_cost(graph)
