"""Othello."""

from tests.games.plain.game import DIRECTIONS, Field, PlainGame, Position, numbers


class Othello(PlainGame):
    """The memory says whether the last player passed."""

    roles = ("black", "white")

    def start(self) -> Position:
        return Position({(4, 5): "black", (5, 4): "black", (4, 4): "white", (5, 5): "white"}, 0, False)

    def flips(self, position: Position, at: Field) -> list[Field]:
        """Return the discs that a disc at a free field turns over."""
        board, own, other = position.board, self.roles[position.mover], self.roles[1 - position.mover]
        flipped: list[Field] = []
        for dx, dy in DIRECTIONS if at not in board else ():
            run, (x, y) = [], (at[0] + dx, at[1] + dy)
            while board.get((x, y)) == other:
                run.append((x, y))
                x, y = x + dx, y + dy
            if board.get((x, y)) == own:
                flipped += run
        return flipped

    def placements(self, position: Position) -> list[Field]:
        """Return the fields where a disc would turn something over."""
        return [(x, y) for x in range(1, 9) for y in range(1, 9) if self.flips(position, (x, y))]

    def moves(self, position: Position) -> list[str]:
        return [f"(place {x} {y} {self.roles[position.mover]})" for x, y in self.placements(position)] or ["noop"]

    def play(self, position: Position, move: str) -> Position:
        if move == "noop":
            return Position(position.board, 1 - position.mover, True)
        at = tuple(numbers(move))
        taken = dict.fromkeys([at, *self.flips(position, at)], self.roles[position.mover])
        return Position(position.board | taken, 1 - position.mover, False)

    def over(self, position: Position) -> bool:
        return len(position.board) == 64 or (position.memory and not self.placements(position))

    def goals(self, position: Position) -> tuple[int, int]:
        black, white = (list(position.board.values()).count(role) for role in self.roles)
        return self.for_winner(None if black == white else int(white > black))

    def remembered(self, position: Position) -> set[str]:
        return {"passed"} if position.memory else set()
