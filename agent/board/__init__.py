"""Boards drawn for people: positions as text and SVG, and the layout and pieces of all pictures of boards."""

from gdl_miner.agent.board.layout import CELL, Layout, Point, board_style, square, svg_of
from gdl_miner.agent.board.looks import drawn_names, looks_of
from gdl_miner.agent.board.piece import draw_piece
from gdl_miner.agent.board.position_picture import BoardPicture, MoveNames, picture_of, position_in_words

__all__ = [
    "CELL",
    "BoardPicture",
    "Layout",
    "MoveNames",
    "Point",
    "board_style",
    "draw_piece",
    "drawn_names",
    "looks_of",
    "picture_of",
    "position_in_words",
    "square",
    "svg_of",
]
