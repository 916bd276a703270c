# SPDX-License-Identifier: Apache-2.0
"""One Document, several faces: text for a person, JSON for a program."""
