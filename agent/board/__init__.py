"""Boards drawn for people: positions as text and SVG, features and values of fields as SVG."""

from agent.board.feature_picture import draw_feature, draw_heat
from agent.board.layout import board_style
from agent.board.position_picture import BoardPicture, picture_of

__all__ = ["BoardPicture", "board_style", "draw_feature", "draw_heat", "picture_of"]
