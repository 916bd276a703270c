# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow Lite Micro costs on a core; everything here is tied to one TFLM commit."""

COMMIT = "90b983c2b"
"""The TFLM commit whose arena and code size the tables below describe."""
