"""Matrix games of one joint move, with goals that add up to 100, and how much a strategy can be exploited in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class MatrixGame:
    """The goals of the first role by the moves of both; `equilibrium` is an optimal strategy of the first role."""

    moves: tuple[str, ...]
    goals: tuple[tuple[int, ...], ...]  # [move of the first role][move of the second]
    equilibrium: tuple[float, ...]
    value: float

    @property
    def rules(self) -> str:
        """The rule sheet."""
        lines = ["(role one) (role two) (init start)", "(<= terminal (not (true start)))"]
        for role in ("one", "two"):
            lines += [f"(<= (legal {role} {move}) (true start))" for move in self.moves]
            lines += [f"(<= (next (made {role} {move})) (does {role} {move}))" for move in self.moves]
        for first, row in zip(self.moves, self.goals, strict=True):
            for second, goal in zip(self.moves, row, strict=True):
                made = f"(true (made one {first})) (true (made two {second}))"
                lines += [f"(<= (goal one {goal}) {made})", f"(<= (goal two {100 - goal}) {made})"]
        return "\n".join(lines)

    def strategy(self, made: Sequence[str]) -> NDArray[np.float64]:
        """Return the shares of the moves among those made."""
        return np.array([made.count(move) / len(made) for move in self.moves])

    def exploitability(self, strategy: NDArray[np.float64]) -> float:
        """Return how much less than the value a strategy of the first role brings against the best reply to it."""
        return self.value - float((strategy @ np.array(self.goals)).min())


ROCK_PAPER_SCISSORS = MatrixGame(
    ("rock", "paper", "scissors"), ((50, 0, 100), (100, 50, 0), (0, 100, 50)), (1 / 3, 1 / 3, 1 / 3), 50.0
)
BIASED = MatrixGame(  # rock wins twice as much as the others
    ("rock", "paper", "scissors"), ((50, 25, 100), (75, 50, 25), (0, 75, 50)), (0.25, 0.5, 0.25), 50.0
)
PENNIES = MatrixGame(("heads", "tails"), ((100, 0), (20, 80)), (3 / 8, 5 / 8), 50.0)

MATRIX_GAMES: Mapping[str, MatrixGame] = {
    "rock paper scissors": ROCK_PAPER_SCISSORS,
    "biased rock paper scissors": BIASED,
    "biased pennies": PENNIES,
}
