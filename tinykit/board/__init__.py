# SPDX-License-Identifier: Apache-2.0
"""What the silicon offers: memories, core and clock of a board, each figure with its source."""

from tinykit.board.board import Bank, Board, PlatformIO, Power, Region
from tinykit.board.finder import aliases_of, find_board, list_boards, search_boards
from tinykit.board.loader import load_board

__all__ = [
    "Bank",
    "Board",
    "PlatformIO",
    "Power",
    "Region",
    "aliases_of",
    "find_board",
    "list_boards",
    "load_board",
    "search_boards",
]
