# SPDX-License-Identifier: Apache-2.0
"""Builds, trains and quantises the digits model that tinykit ships.

    pip install 'tinykit[models]'
    python models/digits.py [--output FOLDER]

Data: scikit-learn's digits, 1,797 images of 8x8 pixels, enlarged to 32x32 before they reach the
network so that it has the shape of a real visual model. Network: a small depthwise-separable CNN.

What the script takes care of, because a runtime on a microcontroller needs it: the batch is 1 and
static; the model is INT8 throughout, input and output included; the representative images come
from the training set, in the scale the network was trained in.

It writes `digits_int8.tflite` and `digits_test.npz` (INT8 inputs and labels of held-out images).
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_DETERMINISTIC_OPS", "1")

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = 20
SIDE = 32
EPOCHS = 30
REPRESENTATIVE = 200
VECTORS = 100


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return training and test images `[N, 32, 32, 1]` in [0, 1] and their labels."""
    digits = load_digits()
    images = np.kron(digits.images / 16.0, np.ones((1, SIDE // 8, SIDE // 8)))
    images = images.astype(np.float32)[..., None]
    parts = train_test_split(
        images, digits.target, test_size=0.25, random_state=SEED, stratify=digits.target
    )
    train, test, train_labels, test_labels = parts
    return train, train_labels, test, test_labels


def build(batch: int | None = None) -> tf.keras.Model:
    """Return the untrained network for batches of `batch` images, None for any."""
    layers = tf.keras.layers
    inputs = tf.keras.Input(batch_shape=(batch, SIDE, SIDE, 1))
    x = layers.Conv2D(16, 3, strides=2, padding="same", use_bias=False)(inputs)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    for channels, stride in ((24, 2), (32, 1), (48, 2)):
        x = layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
        x = layers.Conv2D(channels, 1, use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.AveragePooling2D(4)(x)
    x = layers.Reshape((48,))(x)
    return tf.keras.Model(inputs, layers.Dense(10, activation="softmax")(x))


def quantise(network: tf.keras.Model, samples: np.ndarray) -> bytes:
    """Return the full-integer INT8 model of `network`, with a static batch of 1."""
    fixed = build(batch=1)
    fixed.set_weights(network.get_weights())
    converter = tf.lite.TFLiteConverter.from_keras_model(fixed)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([sample[None]] for sample in samples)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    return bytes(converter.convert())


def run(model: bytes, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return INT8 inputs and the predicted classes, by LiteRT's reference kernels."""
    interpreter = tf.lite.Interpreter(
        model_content=model,
        experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF,
    )
    interpreter.allocate_tensors()
    (source,), (sink,) = interpreter.get_input_details(), interpreter.get_output_details()
    scale, zero_point = source["quantization"]
    inputs = np.clip(np.round(images / scale) + zero_point, -128, 127).astype(np.int8)
    classes = []
    for image in inputs:
        interpreter.set_tensor(source["index"], image[None])
        interpreter.invoke()
        classes.append(int(interpreter.get_tensor(sink["index"])[0].argmax()))
    return inputs, np.array(classes)


def write(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all."""
    temporary = path.with_name(f".{path.name}")
    temporary.write_bytes(data)
    temporary.replace(path)
    print(f"wrote {path} ({len(data):,} bytes)")


def main() -> None:
    """Make the files and print what MODELS.md states."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent)
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)  # a bad path fails here, not after the training
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    train, train_labels, test, test_labels = load()
    network = build()
    network.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    network.fit(train, train_labels, batch_size=32, epochs=EPOCHS, verbose=2)
    classes = network.predict(test, verbose=0).argmax(1)
    print(f"float accuracy {np.mean(classes == test_labels):.4f} on {len(test)} images")
    model = quantise(network, train[:REPRESENTATIVE])
    inputs, classes = run(model, test)
    print(f"int8 accuracy  {np.mean(classes == test_labels):.4f}, LiteRT reference kernels")
    correct = int(np.sum(classes[:VECTORS] == test_labels[:VECTORS]))
    print(f"int8 on the first {VECTORS}: {correct} right")
    write(folder / "digits_int8.tflite", model)
    vectors = folder / ".digits_test.npz"
    labels = test_labels[:VECTORS].astype(np.int8)
    np.savez_compressed(vectors, inputs=inputs[:VECTORS], labels=labels)
    vectors.replace(folder / "digits_test.npz")
    print(f"wrote {folder / 'digits_test.npz'}")


if __name__ == "__main__":
    main()
