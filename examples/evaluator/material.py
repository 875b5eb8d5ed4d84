"""A leaf evaluator: who has more pieces on the board is ahead."""

import math
from collections.abc import Callable

from pydantic import Field

from gdl_miner import EvaluatorPlugin, Game, Knowledge, State, fact_values


class Material(EvaluatorPlugin):
    """Every piece adds to the log-odds of its owner, the last word of facts such as (cell 1 1 x)."""

    piece: float = Field(default=0.2, ge=0, le=10)
    native: bool = True  # whether the search is native; otherwise it asks a function for each new state

    def prepare(self, game: Game) -> Knowledge | Callable[[State], list[float]]:
        """Return the weights of all facts as knowledge, or a function that adds them up."""
        weights = {fact: self._weights(game, fact) for fact in game.facts}
        if self.native:
            return fact_values(game, weights)

        def judge(state: State) -> list[float]:
            sums = [sum(column) for column in zip(*(weights[fact] for fact in state.facts), strict=True)]
            return [100 / (1 + math.exp(-total)) for total in sums]

        return judge

    def _weights(self, game: Game, fact: str) -> list[float]:
        """Return [role] what a fact adds: nothing unless it is a piece on a field."""
        *where, piece = fact.strip("()").split()
        if len(where) < 2 or piece not in game.roles:
            return [0.0] * len(game.roles)
        return [self.piece if role == piece else -self.piece for role in game.roles]
