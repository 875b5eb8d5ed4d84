"""Breakthrough."""

from tests.games.plain.game import Board, PlainGame, Position, numbers


class Breakthrough(PlainGame):
    """Pawns race to the far row."""

    roles = ("white", "black")

    def start(self) -> Position:
        return Position({(x, y): "white" if y < 3 else "black" for x in range(1, 9) for y in (1, 2, 7, 8)}, 0)

    def moves(self, position: Position) -> list[str]:
        own, forward = self.roles[position.mover], 1 - 2 * position.mover
        found = []
        for x, y in [at for at, piece in position.board.items() if piece == own and 1 <= at[1] + forward <= 8]:
            for to in [x - 1, x, x + 1]:
                there = position.board.get((to, y + forward))
                if 1 <= to <= 8 and (there is None if to == x else there != own):
                    found.append(f"(move {x} {y} {to} {y + forward} {own})")
        return found

    def play(self, position: Position, move: str) -> Position:
        x, y, to_x, to_y = numbers(move)
        board = dict(position.board)
        board[to_x, to_y] = board.pop((x, y))
        return Position(board, 1 - position.mover)

    def winners(self, board: Board) -> list[int]:
        """Return the roles that have broken through or captured everything."""
        far = (8, 1)
        return [
            role
            for role in (0, 1)
            if self.roles[1 - role] not in board.values()
            or any(board.get((x, far[role])) == self.roles[role] for x in range(1, 9))
        ]

    def over(self, position: Position) -> bool:
        return bool(self.winners(position.board))

    def goals(self, position: Position) -> tuple[int, int]:
        (winner,) = self.winners(position.board)
        return self.for_winner(winner)
