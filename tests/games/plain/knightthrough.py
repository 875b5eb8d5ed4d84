"""Knightthrough."""

from tests.games.plain.breakthrough import Breakthrough
from tests.games.plain.game import Position


class Knightthrough(Breakthrough):
    """Knights that jump forward race to the far row."""

    def moves(self, position: Position) -> list[str]:
        own, forward = self.roles[position.mover], 1 - 2 * position.mover
        jumps = [(side * aside, forward * ahead) for aside, ahead in ((1, 2), (2, 1)) for side in (-1, 1)]
        return [
            f"(move {x} {y} {x + dx} {y + dy} {own})"
            for (x, y), piece in position.board.items()
            for dx, dy in jumps
            if piece == own and 1 <= x + dx <= 8 and 1 <= y + dy <= 8 and position.board.get((x + dx, y + dy)) != own
        ]
