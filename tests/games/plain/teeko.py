"""Teeko."""

from itertools import combinations, pairwise

from tests.games.plain.game import DIRECTIONS, Board, PlainGame, Position, numbers


class Teeko(PlainGame):
    """The memory is the number of moves made."""

    roles = ("black", "red")
    longest = 100

    def start(self) -> Position:
        return Position({}, 0, 0)

    def moves(self, position: Position) -> list[str]:
        board, own = position.board, self.roles[position.mover]
        free = [(x, y) for x in range(1, 6) for y in range(1, 6) if (x, y) not in board]
        if position.memory < 8:
            return [f"(move hand hand {x} {y} {own})" for x, y in free]
        return [
            f"(move {x} {y} {x + dx} {y + dy} {own})"
            for (x, y), piece in board.items()
            for dx, dy in DIRECTIONS
            if piece == own and (x + dx, y + dy) in free
        ]

    def play(self, position: Position, move: str) -> Position:
        *start, x, y = numbers(move)
        board = dict(position.board)
        if start:
            del board[start[0], start[1]]
        board[x, y] = self.roles[position.mover]
        return Position(board, 1 - position.mover, position.memory + 1)

    def winner(self, board: Board) -> int | None:
        """Return the role whose four markers are all in one line or square."""
        for role, piece in enumerate(self.roles):
            own = sorted(at for at, other in board.items() if other == piece)
            if len(own) < 4:
                continue
            steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(own)}
            in_line = len(steps) == 1 and steps <= {(0, 1), (1, -1), (1, 0), (1, 1)}
            in_square = all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1 for a, b in combinations(own, 2))
            if in_line or in_square:
                return role
        return None

    def over(self, position: Position) -> bool:
        return self.winner(position.board) is not None or position.memory == self.longest

    def goals(self, position: Position) -> tuple[int, int]:
        return self.for_winner(self.winner(position.board))

    def remembered(self, position: Position) -> set[str]:
        return {f"(ply {position.memory + 1})"}
