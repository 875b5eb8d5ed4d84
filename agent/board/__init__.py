"""Boards drawn for people: positions as text and SVG, features, values of fields and values of states as SVG."""

from gdl_miner.agent.board.feature_picture import draw_feature, draw_heat
from gdl_miner.agent.board.layout import Point, board_style
from gdl_miner.agent.board.position_picture import BoardPicture, picture_of
from gdl_miner.agent.board.value_picture import (
    decimals_for,
    draw_single_piece,
    draw_tuple,
    draw_weight_scale,
    draw_weights,
)

__all__ = [
    "BoardPicture",
    "Point",
    "board_style",
    "decimals_for",
    "draw_feature",
    "draw_heat",
    "draw_single_piece",
    "draw_tuple",
    "draw_weight_scale",
    "draw_weights",
    "picture_of",
]
