"""An opponent: it looks some moves ahead, and assumes that the others make the moves that are worst for it."""

from random import Random

from pydantic import Field

from gdl_miner import Game, OpponentPlugin, State


class Minimax(OpponentPlugin):
    """A full search to a depth, which counts states beyond it as even."""

    depth: int = Field(default=3, ge=1, le=12)

    def prepare(self, game: Game) -> "Minimax":
        """Return the player, which needs no preparation."""
        return self

    def __call__(self, state: State, role: str, dice: Random) -> int:
        """Return the best move of a role; among equals the dice choose."""
        number = state.game.role_number(role)
        worth = {int(row): self._least(state, number, row, self.depth) for row in state.legal_ids(number).tolist()}
        best: list[int] = [row for row, value in worth.items() if value == max(worth.values())]
        return dice.choice(best)

    def _least(self, state: State, role: int, row: int, depth: int) -> float:
        """Return what a move is worth where all others answer as they like."""
        others = [state.legal_ids(other).tolist() for other in range(len(state.game.roles))]
        others[role] = [row]
        joints: list[list[int]] = [[]]
        for moves in others:
            joints = [[*joint, move] for joint in joints for move in moves]
        least = 100.0
        for joint in joints:
            after = state.clone()
            after.apply(joint)
            least = min(least, self._worth(after, role, depth - 1))
        return least

    def _worth(self, state: State, role: int, depth: int) -> float:
        if state.is_terminal():
            return float(state.returns()[role])
        if depth == 0:
            return 50.0
        return max(self._least(state, role, row, depth) for row in state.legal_ids(role).tolist())
