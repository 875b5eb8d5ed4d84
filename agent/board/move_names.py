"""Names of moves for people, by the fields of the board that they name."""

from __future__ import annotations

from functools import cache

from gdl_miner.agent.board.layout import Point
from gdl_miner.agent.reasoner.machine import Machine


class MoveNames:
    """The fields and short names of the moves of a game; moves are global rows."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.path = cache(self._path)
        self.label = cache(self._label)

    def piece(self, row: int) -> str | None:
        """Return the piece that a move names, as the sheet spells it; None if it names none."""
        board, move = self._machine.board, self._machine.circuit.moves[row]
        piece = None if board is None else board.target(move)[1]
        return None if piece is None else self._machine.sheet.display(piece)

    def _path(self, row: int) -> tuple[Point, ...]:
        """Return the fields that a move names, the target last."""
        board = self._machine.board
        return () if board is None else board.path(self._machine.circuit.moves[row])

    def _label(self, row: int) -> str:
        """Return the piece and the fields of a move, as `white 4 2 → 4 3`, or the whole move if it names no field."""
        path, piece = self.path(row), self.piece(row)
        if not path:
            return self._machine.sheet.display(self._machine.circuit.moves[row])
        fields = " → ".join(" ".join(map(str, point)) for point in path)
        return fields if piece is None else f"{piece} {fields}"
