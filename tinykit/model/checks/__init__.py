# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a model on TFLM, one file per family of findings.

Each file owns a `check(view)` that yields findings; `tinykit.model.findings` runs them all.
"""
