"""Boards that were found, described in words."""

from __future__ import annotations

from collections.abc import Callable

from gdl_miner.agent.reasoner.discovery.board import why_no_board
from gdl_miner.agent.reasoner.discovery.result import DiscoveredMove, Discovery, FoundBoard

__all__ = ["board_in_words", "discovery_in_words"]

_MOST_PIECES = 12  # listed


def discovery_in_words(discovery: Discovery, display: Callable[[str], str]) -> str:
    """Return the boards of a game, and why features cannot use them if they cannot."""
    if not discovery.boards:
        return "none: the rules show no board"
    said = "; ".join(board_in_words(board, display) for board in discovery.boards)
    why = why_no_board(discovery)
    return f"{said}; not used by features, since {why}" if why else said


def board_in_words(board: FoundBoard, display: Callable[[str], str]) -> str:
    """Return a board in a line: `grid of 8 x 6, 48 cells, in (cell column row …)`."""
    size = " x ".join(map(str, board.extents)) if board.kind != "graph" else "named cells"
    if board.hexagonal:
        size += " hexagons" if board.kind != "graph" else " on hexagons"
    words = ["dim" if place in board.coordinates else "piece" for place in range(board.arity)]
    pieces = [display(piece) for piece in board.pieces[:_MOST_PIECES]]
    more = f" and {len(board.pieces) - _MOST_PIECES} more" if len(board.pieces) > _MOST_PIECES else ""
    fluents = " or ".join(f"({display(relation)} {' '.join(words)})" for relation in board.relations)
    said = f"{board.kind} of {size}, {board.cells} cells, fluents {fluents}"
    said += f", pieces {', '.join(pieces)}{more}"
    if board.neighbours:
        said += f", neighbours in {len(board.neighbours)} directions"
    moves = [_move_in_words(move, display) for move in board.moves]
    return f"{said}, moves {', '.join(moves)}" if moves else said


def _move_in_words(move: DiscoveredMove, display: Callable[[str], str]) -> str:
    words = ["skip"] * move.arity
    for place in move.source:
        words[place] = "from"
    for target in move.target:
        if target is not None:
            words[target] = "to" if move.source else "dim"
    if move.piece is not None:
        words[move.piece] = "piece"
    return f"({display(move.functor)} {' '.join(words)})"
