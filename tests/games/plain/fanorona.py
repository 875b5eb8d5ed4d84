"""Fanorona."""

from collections.abc import Iterator

from tests.games.plain.game import DIRECTIONS, Board, Field, PlainGame, Position, numbers


class Fanorona(PlainGame):
    """The memory is the number of the step and, in a turn that goes on, the points that its piece has stood on."""

    roles = ("white", "black")
    longest = 150

    def start(self) -> Position:
        rows = {1: "wwwwwwwww", 2: "wwwwwwwww", 3: "bwbw.bwbw", 4: "bbbbbbbbb", 5: "bbbbbbbbb"}
        pieces = {"w": "white", "b": "black"}
        placed = {(x, y): pieces[letter] for y, row in rows.items() for x, letter in enumerate(row, 1) if letter != "."}
        return Position(placed, 0, (1, ()))

    def neighbours(self, at: Field) -> Iterator[Field]:
        """Yield the next points along the lines; only those whose coordinates have an even sum have diagonal lines."""
        x, y = at
        for dx, dy in DIRECTIONS:
            if ((x + y) % 2 == 0 or dx == 0 or dy == 0) and 1 <= x + dx <= 9 and 1 <= y + dy <= 5:
                yield x + dx, y + dy

    def captured(self, board: Board, at: Field, to: Field) -> dict[str, list[Field]]:
        """Return the pieces that a move takes in each of the ways to capture, without ways that take nothing."""
        foe = {"white": "black", "black": "white"}[board[at]]
        dx, dy = to[0] - at[0], to[1] - at[1]
        found = {"approach": [(to[0] + dx, to[1] + dy)], "withdrawal": [(at[0] - dx, at[1] - dy)]}
        for kind, line in found.items():
            sign = 1 if kind == "approach" else -1
            while board.get(line[-1]) == foe:
                line.append((line[-1][0] + sign * dx, line[-1][1] + sign * dy))
            line.pop()
        return {kind: line for kind, line in found.items() if line}

    def captures(self, board: Board, at: Field, path: tuple[Field, ...]) -> Iterator[tuple[Field, str]]:
        """Yield the target and the way of each capture by a piece that has come along a path in this turn."""
        last = (at[0] - path[-2][0], at[1] - path[-2][1]) if path else None
        for to in self.neighbours(at):
            if to not in board and to not in path and (to[0] - at[0], to[1] - at[1]) != last:
                for kind in self.captured(board, at, to):
                    yield to, kind

    def moves(self, position: Position) -> list[str]:
        board, own, (_, path) = position.board, self.roles[position.mover], position.memory
        pieces = [path[-1]] if path else [at for at, piece in board.items() if piece == own]
        found = [(at, to, kind) for at in pieces for to, kind in self.captures(board, at, path)]
        if not found:
            found = [(at, to, "paika") for at in pieces for to in self.neighbours(at) if to not in board]
        spelled = [f"(move {at[0]} {at[1]} {to[0]} {to[1]} {own} {kind})" for at, to, kind in found]
        return [*spelled, "stop"] if path else spelled

    def play(self, position: Position, move: str) -> Position:
        (step, path), board = position.memory, dict(position.board)
        if move != "stop":
            kind, (x1, y1, x2, y2) = move.strip("()").split()[-1], numbers(move)
            at, to = (x1, y1), (x2, y2)
            taken = [] if kind == "paika" else self.captured(board, at, to)[kind]
            board = {point: piece for point, piece in board.items() if point not in taken}
            board[to] = board.pop(at)
            path = (*(path or (at,)), to)
            if taken and any(self.captures(board, to, path)):
                return Position(board, position.mover, (step + 1, path))
        return Position(board, 1 - position.mover, (step + 1, ()))

    def over(self, position: Position) -> bool:
        return position.memory[0] > self.longest or not self.moves(position)

    def goals(self, position: Position) -> tuple[int, int]:
        return self.for_winner(None if self.moves(position) else 1 - position.mover)

    def remembered(self, position: Position) -> set[str]:
        step, path = position.memory
        facts = {f"(step {step})"}
        if path:
            ahead = tuple(2 * to - at for at, to in zip(path[-2], path[-1], strict=True))
            facts |= {f"(capturer {path[-1][0]} {path[-1][1]})"} | {f"(visited {x} {y})" for x, y in path[:-1]}
            facts |= {f"(ahead {x} {y})" for x, y in self.neighbours(path[-1]) if (x, y) == ahead}
        return facts
