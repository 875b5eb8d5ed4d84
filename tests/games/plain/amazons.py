"""The Game of the Amazons, turns split in two."""

from collections.abc import Iterator

from tests.games.plain.game import DIRECTIONS, Board, Field, PlainGame, Position, numbers


class Amazons(PlainGame):
    """The memory is the field of the amazon that has to shoot, None in the first half of a turn."""

    roles = ("white", "black")

    def start(self) -> Position:
        white, black = [(1, 4), (4, 1), (7, 1), (10, 4)], [(1, 7), (4, 10), (7, 10), (10, 7)]
        return Position(dict.fromkeys(white, "white") | dict.fromkeys(black, "black"), 0)

    def queen_moves(self, board: Board, at: Field) -> Iterator[Field]:
        """Yield the fields that a queen reaches."""
        for dx, dy in DIRECTIONS:
            x, y = at[0] + dx, at[1] + dy
            while 1 <= x <= 10 and 1 <= y <= 10 and (x, y) not in board:
                yield x, y
                x, y = x + dx, y + dy

    def moves(self, position: Position) -> list[str]:
        board, own = position.board, self.roles[position.mover]
        if position.memory:
            return [f"(play dummy dummy {x} {y} arrow)" for x, y in self.queen_moves(board, position.memory)]
        queens = [at for at, piece in board.items() if piece == own]
        return [f"(play {at[0]} {at[1]} {x} {y} {own})" for at in queens for x, y in self.queen_moves(board, at)]

    def play(self, position: Position, move: str) -> Position:
        *start, x, y = numbers(move)
        board = dict(position.board)
        if not start:
            return Position({**board, (x, y): "arrow"}, 1 - position.mover)
        board[x, y] = board.pop((start[0], start[1]))
        return Position(board, position.mover, (x, y))

    def stuck(self, board: Board) -> list[int]:
        """Return the roles that cannot move any of their amazons."""
        queens = [[at for at, piece in board.items() if piece == role] for role in self.roles]
        return [role for role in (0, 1) if not any(any(self.queen_moves(board, at)) for at in queens[role])]

    def over(self, position: Position) -> bool:
        return bool(self.stuck(position.board))

    def goals(self, position: Position) -> tuple[int, int]:
        stuck = self.stuck(position.board)
        return self.for_winner(1 - (stuck[0] if len(stuck) == 1 else position.mover))

    def remembered(self, position: Position) -> set[str]:
        if position.memory is None:
            return {"(phase moving)"}
        return {"(phase shooting)", f"(archer {position.memory[0]} {position.memory[1]})"}
