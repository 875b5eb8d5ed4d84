"""Checkers with optional captures, or English draughts."""

from collections.abc import Iterator
from itertools import pairwise

from tests.games.plain.game import Board, Field, PlainGame, Position, numbers


class Checkers(PlainGame):
    """The memory is the number of the step. With `forced`, captures are compulsory and go on as long as possible."""

    roles = ("white", "black")
    kinds = ("move", "jump", "doublejump", "triplejump", *(f"jump{n}" for n in range(4, 10)))

    def __init__(self, forced: bool = False) -> None:
        self.forced = forced

    def start(self) -> Position:
        camps = dict.fromkeys([1, 2, 3], "wp") | dict.fromkeys([6, 7, 8], "bp")
        return Position({(x, y): man for y, man in camps.items() for x in range(1, 9) if (x + y) % 2 == 0}, 0, 1)

    def ways(self, piece: str) -> list[tuple[int, int]]:
        """Return the diagonal directions in which a piece goes."""
        rows = [1, -1] if piece[1] == "k" else [1] if piece[0] == "w" else [-1]
        return [(dx, dy) for dx in (-1, 1) for dy in rows]

    def jumps(self, board: Board, piece: str, at: Field, taken: frozenset[Field]) -> Iterator[list[Field]]:
        """Yield the fields that a piece visits when it captures."""
        for dx, dy in self.ways(piece):
            over, to = (at[0] + dx, at[1] + dy), (at[0] + 2 * dx, at[1] + 2 * dy)
            foe = over not in taken and board.get(over, piece)[0] != piece[0]
            if foe and to not in board and min(to) >= 1 and max(to) <= 8:
                further = list(self.jumps(board, piece, to, taken | {over}))
                if not (further and self.forced):
                    yield [to]
                yield from ([to, *rest] for rest in further if self.forced or len(rest) < 3)

    def moves(self, position: Position) -> list[str]:
        board, side = position.board, "wb"[position.mover]
        steps, captures = [], []
        for at, piece in [(at, piece) for at, piece in board.items() if piece[0] == side]:
            for dx, dy in self.ways(piece):
                to = (at[0] + dx, at[1] + dy)
                if to not in board and min(to) >= 1 and max(to) <= 8:
                    steps.append(self.spelled("move", piece, [at, to]))
            without = {other: what for other, what in board.items() if other != at or not self.forced}
            paths = self.jumps(without, piece, at, frozenset())
            captures += [self.spelled(self.kinds[len(path)], piece, [at, *path]) for path in paths]
        return captures if self.forced and captures else steps + captures

    def spelled(self, kind: str, piece: str, path: list[Field]) -> str:
        """Return a move in the sheet's form."""
        places = [str(coordinate) for at in path for coordinate in at]
        return f"(mark {kind} {piece} {' '.join(['dummy'] * (8 - len(places)) + places)})"

    def play(self, position: Position, move: str) -> Position:
        kind, piece = move.split()[1:3]
        places = numbers(move)
        path = list(zip(places[::2], places[1::2], strict=True))
        captured = {((x + u) // 2, (y + v) // 2) for (x, y), (u, v) in pairwise(path) if kind != "move"}
        board = {at: what for at, what in position.board.items() if at != path[0] and at not in captured}
        crowned = path[-1][1] == (8 if piece[0] == "w" else 1)
        board[path[-1]] = piece[0] + "k" if crowned else piece
        return Position(board, 1 - position.mover, position.memory + 1)

    def over(self, position: Position) -> bool:
        return position.memory == 102 or not self.moves(position)

    def goals(self, position: Position) -> tuple[int, int]:
        if not self.moves(position):
            return self.for_winner(1 - position.mover)
        white, black = self.pieces(position.board)
        return self.for_winner(None if white == black else int(black > white))

    def pieces(self, board: Board) -> tuple[int, int]:
        """Return how many pieces each role has."""
        sides = [piece[0] for piece in board.values()]
        return sides.count("w"), sides.count("b")

    def remembered(self, position: Position) -> set[str]:
        white, black = self.pieces(position.board)
        return {f"(step {position.memory})", f"(pieces white {white})", f"(pieces black {black})"}
