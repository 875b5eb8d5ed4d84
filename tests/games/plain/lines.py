"""Games won by a line of pieces."""

from tests.games.plain.game import Board, PlainGame, Position, numbers


class TicTacToe(PlainGame):
    """Three marks in a line win."""

    roles = ("x", "o")
    size = (3, 3)
    in_line = 3

    def moves(self, position: Position) -> list[str]:
        width, height = self.size
        fields = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
        return [f"(mark {x} {y} {self.roles[position.mover]})" for x, y in fields if (x, y) not in position.board]

    def play(self, position: Position, move: str) -> Position:
        x, y = numbers(move)
        return Position({**position.board, (x, y): self.roles[position.mover]}, 1 - position.mover)

    def lines(self, board: Board) -> set[str]:
        """Return the pieces that have a line."""
        steps = [(1, 0), (0, 1), (1, 1), (1, -1)]
        return {
            piece
            for (x, y), piece in board.items()
            for dx, dy in steps
            if all(board.get((x + i * dx, y + i * dy)) == piece for i in range(self.in_line))
        }

    def over(self, position: Position) -> bool:
        return bool(self.lines(position.board)) or len(position.board) == self.size[0] * self.size[1]

    def goals(self, position: Position) -> tuple[int, int]:
        return self.for_winner(next((self.roles.index(piece) for piece in self.lines(position.board)), None))


class TicTacToeFive(TicTacToe):
    """Five marks in a line win."""

    size = (5, 5)
    in_line = 5


class ConnectFour(TicTacToe):
    """Four pieces in a line win, and pieces fall to the lowest free row."""

    roles = ("white", "red")
    size = (8, 6)
    in_line = 4

    def moves(self, position: Position) -> list[str]:
        heights = {x: sum((x, y) in position.board for y in range(1, 7)) for x in range(1, self.size[0] + 1)}
        return [f"(play {x} {h + 1} {self.roles[position.mover]})" for x, h in heights.items() if h < 6]


class ConnectFourSeven(ConnectFour):
    """Connect four on seven columns."""

    size = (7, 6)


class Gomoku(TicTacToe):
    """Five stones or more in a line win."""

    roles = ("black", "white")
    size = (15, 15)
    in_line = 5

    def moves(self, position: Position) -> list[str]:
        return [move.replace("mark", "place") for move in super().moves(position)]
