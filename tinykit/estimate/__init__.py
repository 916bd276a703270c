# SPDX-License-Identifier: Apache-2.0
"""What a model costs on a board, before any board is flashed."""
