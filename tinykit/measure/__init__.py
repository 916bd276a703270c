# SPDX-License-Identifier: Apache-2.0
"""Listens to a board: the serial link and the line protocol on it."""
