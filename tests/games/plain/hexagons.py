"""Games on boards of hexagonal cells, named by two of the three directions of their lines."""

from collections.abc import Sequence

from tests.games.plain.game import Board, Field, PlainGame, Position, numbers

NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


class HexagonGame(PlainGame):
    """Stones are placed on free cells."""

    cells: Sequence[Field]

    def moves(self, position: Position) -> list[str]:
        own = self.roles[position.mover]
        return [f"(place {x} {y} {own})" for x, y in self.cells if (x, y) not in position.board]

    def play(self, position: Position, move: str) -> Position:
        x, y = numbers(move)
        return Position({**position.board, (x, y): self.roles[position.mover]}, 1 - position.mover)


class Yavalath(HexagonGame):
    """Four in a line win, three lose."""

    roles = ("white", "black")
    cells = tuple((x, y) for x in range(1, 10) for y in range(1, 10) if abs(x + y - 10) <= 4)

    def longest(self, board: Board, piece: str) -> int:
        """Return the length of the longest line of a piece."""
        lengths = [0]
        for at in (at for at, other in board.items() if other == piece):
            for dx, dy in ((0, 1), (1, 0), (1, -1)):
                length = 0
                while board.get((at[0] + length * dx, at[1] + length * dy)) == piece:
                    length += 1
                lengths.append(length)
        return max(lengths)

    def over(self, position: Position) -> bool:
        decided = any(self.longest(position.board, piece) >= 3 for piece in self.roles)
        return decided or len(position.board) == len(self.cells)

    def goals(self, position: Position) -> tuple[int, int]:
        for role, piece in enumerate(self.roles):
            length = self.longest(position.board, piece)
            if length >= 3:
                return self.for_winner(role if length >= 4 else 1 - role)
        return self.for_winner(None)


class Hex(HexagonGame):
    """A chain from side to side wins."""

    roles = ("red", "blue")

    def __init__(self, size: int) -> None:
        self.size = size
        self.cells = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]

    def winner(self, board: Board) -> int | None:
        """Return the role with a chain."""
        for role, piece in enumerate(self.roles):
            own = {at for at, other in board.items() if other == piece}
            reached, left = set[Field](), [at for at in own if at[role] == 1]
            while left:
                at = left.pop()
                if at in reached:
                    continue
                reached.add(at)
                left += [beside for dx, dy in NEIGHBOURS if (beside := (at[0] + dx, at[1] + dy)) in own]
            if any(at[role] == self.size for at in reached):
                return role
        return None

    def over(self, position: Position) -> bool:
        return self.winner(position.board) is not None

    def goals(self, position: Position) -> tuple[int, int]:
        return self.for_winner(self.winner(position.board))
