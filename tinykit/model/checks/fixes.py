# SPDX-License-Identifier: Apache-2.0
"""Code to paste that mends a finding, in one place so that it can be tried against TensorFlow.

Written for and tried with TensorFlow 2.21 and Keras 3.15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinykit.model.graph import Tensor

FULL_INT8 = """\
converter.optimizations = [tf.lite.Optimize.DEFAULT]
converter.representative_dataset = representative_dataset  # yields [sample] as float32
converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
converter.inference_input_type = converter.inference_output_type = tf.int8"""

INT8_INPUT_OUTPUT = "converter.inference_input_type = converter.inference_output_type = tf.int8"

INT16_INPUT_OUTPUT = "converter.inference_input_type = converter.inference_output_type = tf.int16"

BUILTINS_ONLY = "converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]"

PER_TENSOR_DENSE = (
    "converter._experimental_disable_per_channel_quantization_for_dense_layers = True"
)

STRIP_PRUNING = """\
model = tfmot.sparsity.keras.strip_pruning(model)
converter.optimizations = [tf.lite.Optimize.DEFAULT]  # without EXPERIMENTAL_SPARSITY"""

LEGACY_KERAS = """\
import tf_keras as keras  # Keras 2 writes one UNIDIRECTIONAL_SEQUENCE_LSTM
inputs = keras.Input(batch_shape=(1, steps, features))"""

ARG_INT32 = "tf.argmax(x, axis=-1, output_type=tf.int32)"

CALIBRATE = """\
def representative_dataset():
    for sample in training_samples[:200]:  # prepared as for training, all classes
        yield [sample[None].astype("float32")]"""


def fixed_batch(inputs: list[Tensor]) -> str:
    """Return Keras code that gives the model's open dimensions the value 1."""
    if len(inputs) == 1:
        shape = tuple(max(d, 1) for d in inputs[0].shape)
        return (
            f"fixed = keras.Input(batch_shape={shape})\n"
            "model = keras.Model(fixed, model(fixed))  # then convert"
        )
    shapes = ", ".join(str(tuple(max(d, 1) for d in t.shape)) for t in inputs)
    return (
        f"fixed = [keras.Input(batch_shape=s) for s in ({shapes})]\n"
        "model = keras.Model(fixed, model(fixed))  # then convert"
    )


def resource_variables(names: int) -> str:
    """Return the C++ that gives an interpreter room for `names` resource variables."""
    return (
        "tflite::MicroResourceVariables* variables = tflite::MicroResourceVariables::Create(\n"
        "    tflite::MicroAllocator::Create(variable_arena, sizeof(variable_arena)), "
        f"{names});\n"
        "tflite::MicroInterpreter interpreter(model, resolver, arena, sizeof(arena), variables);"
    )
