"""The bundled games written directly in Python, for comparison with the rule sheets.

They are independent of the sheets, of the reasoner and of the interpreter.
"""

from typing import Any, NamedTuple

Field = tuple[int, ...]
Board = dict[Field, str]

DIRECTIONS = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)


class Position(NamedTuple):
    """A board, the index of the role to move, and the rest of the game's state."""

    board: Board
    mover: int
    memory: Any = None


DIRECTIONS = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)


def numbers(move: str) -> list[int]:
    """Return the coordinates in a move."""
    return [int(word) for word in move.strip("()").split() if word.isdigit()]


class PlainGame:
    """A game of two roles, of which one moves while the other waits."""

    roles: tuple[str, str]
    board_functor = "cell"

    def start(self) -> Position:
        """Return the initial position."""
        return Position({}, 0)

    def moves(self, position: Position) -> list[str]:
        """Return the legal moves of the role to move."""
        raise NotImplementedError

    def play(self, position: Position, move: str) -> Position:
        """Return the position after a move."""
        raise NotImplementedError

    def over(self, position: Position) -> bool:
        """Return whether the game has ended."""
        raise NotImplementedError

    def goals(self, position: Position) -> tuple[int, int]:
        """Return both goals in a position that ends the game."""
        raise NotImplementedError

    def remembered(self, position: Position) -> set[str]:
        """Return the fluents that are neither on the board nor name the role to move."""
        return set()

    def facts(self, position: Position) -> set[str]:
        """Return all fluents of a position."""
        board = {f"({self.board_functor} {' '.join(map(str, at))} {piece})" for at, piece in position.board.items()}
        return board | {f"(control {self.roles[position.mover]})"} | self.remembered(position)

    def for_winner(self, winner: int | None) -> tuple[int, int]:
        """Return both goals, given the index of the winner or None for a draw."""
        return (50, 50) if winner is None else (100, 0) if winner == 0 else (0, 100)


def perft(game: PlainGame, position: Position, depth: int) -> int:
    """Return the number of move sequences of a length."""
    if depth == 0:
        return 1
    if game.over(position):
        return 0
    return sum(perft(game, game.play(position, move), depth - 1) for move in game.moves(position))
