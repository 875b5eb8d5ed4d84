"""Cubicup."""

from tests.games.plain.game import Board, Field, PlainGame, Position, numbers


class Cubicup(PlainGame):
    """The memory is the number of cubes that each role has left."""

    roles = ("yellow", "red")
    board_functor = "cube"
    places = tuple((x, y, z) for x in range(1, 7) for y in range(1, 7) for z in range(1, 7) if x + y + z <= 8)

    def start(self) -> Position:
        return Position({}, 0, (28, 28))

    def carriers(self, board: Board, at: Field) -> list[str | None]:
        """Return the three cubes that a place rests on; the ground carries the lowest layer."""
        x, y, z = at
        return [board.get(below) for below in [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)]]

    def cups(self, position: Position) -> list[Field]:
        """Return the cups that the role to move has to fill."""
        board, other = position.board, self.roles[1 - position.mover]
        free = [at for at in self.places if at not in board and sum(at) < 8]
        return [at for at in free if self.carriers(board, at) == [other] * 3]

    def moves(self, position: Position) -> list[str]:
        board = position.board
        free = [at for at in self.places if at not in board and (sum(at) == 8 or None not in self.carriers(board, at))]
        return [f"(put {x} {y} {z} {self.roles[position.mover]})" for x, y, z in self.cups(position) or free]

    def play(self, position: Position, move: str) -> Position:
        mover, left = position.mover, list(position.memory)
        again = (self.cups(position) and left[mover] > 1) or left[1 - mover] == 0
        left[mover] -= 1
        board = {**position.board, tuple(numbers(move)): self.roles[mover]}
        return Position(board, mover if again else 1 - mover, tuple(left))

    def over(self, position: Position) -> bool:
        return (1, 1, 1) in position.board

    def goals(self, position: Position) -> tuple[int, int]:
        winner = self.roles.index(position.board[1, 1, 1])
        drawn = self.carriers(position.board, (1, 1, 1)) == [self.roles[1 - winner]] * 3
        return self.for_winner(None if drawn else winner)

    def remembered(self, position: Position) -> set[str]:
        return {f"(cubes {role} {left})" for role, left in zip(self.roles, position.memory, strict=True)}
