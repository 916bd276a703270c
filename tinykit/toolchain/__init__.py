# SPDX-License-Identifier: Apache-2.0
"""Runs other programs, and writes the folders that they work in."""
