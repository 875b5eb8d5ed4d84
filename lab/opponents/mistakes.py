"""Mistakes in connect four: the player's moves that lose game value, as the perfect solver says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.rating import wilson_interval
from lab.opponents.engines.connect_four import ConnectFourSolver, column_of
from lab.opponents.match import OpponentMatch
from lab.opponents.own_player import SearchPlayer, SearchSide
from lab.tables import Row


class SparringSolver:
    """An opponent that plays as the player itself does in the first plies, and perfectly afterwards.

    The positions that the perfect play begins with are therefore of the kind that the player reaches.
    """

    def __init__(self, machine: Machine, side: SearchSide, solver: ConnectFourSolver, from_ply: int) -> None:
        self._search = SearchPlayer(machine, side)
        self._solver = solver
        self._from_ply = from_ply

    def begin(self, seed: int) -> None:
        """Begin a match."""
        self._search.begin(derive_seed(seed, "sparring"))
        self._solver.begin(derive_seed(seed, "solver"))

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the move of the searching player, or a random one of the perfect moves."""
        return (self._solver if match.number >= self._from_ply else self._search).move(match, role)

    def close(self) -> None:
        """End the searching player; the solver belongs to the caller."""
        self._search.close()


@dataclass(frozen=True)
class JudgedMove:
    """A move of the player with the game values of the position before and after it: 1 win, 0 draw, -1 loss."""

    role: int
    ply: int  # joint moves made before
    before: int
    after: int
    chance: bool  # whether any legal move would have lost game value

    @property
    def mistake(self) -> bool:
        """Whether the move loses game value."""
        return self.after < self.before


@dataclass(frozen=True)
class MistakeCount:
    """The number of the player's moves, and of those that lose game value."""

    moves: int  # judged
    chances: int  # moves among them in whose place another could have lost game value
    mistakes: int

    @property
    def percent(self) -> float | None:
        """Share of the moves that lose game value, in percent; None without moves."""
        return 100 * self.mistakes / self.moves if self.moves else None

    @property
    def ci95(self) -> tuple[float, float]:
        """95 % Wilson interval of this share, in percent."""
        low, high = wilson_interval(self.mistakes, self.moves)
        return 100 * low, 100 * high

    def cells(self) -> Row:
        """Return the published keys, in order."""
        return {
            "moves": self.moves,
            "chances": self.chances,
            "mistakes": self.mistakes,
            "mistake_percent": None if self.percent is None else round(self.percent, 4),
            "mistake_ci95": [round(end, 4) for end in self.ci95],
        }


def count_mistakes(judged: Sequence[JudgedMove]) -> MistakeCount:
    """Count moves, chances and mistakes."""
    return MistakeCount(len(judged), sum(move.chance for move in judged), sum(move.mistake for move in judged))


def judge(
    machine: Machine, solver: ConnectFourSolver, matches: Iterable[OpponentMatch], from_ply: int
) -> list[JudgedMove]:
    """Return the player's moves from a ply on, if it had a choice, with their game values.

    Raises EngineError if the solver fails.
    """
    judged = []
    for each in matches:
        match = OngoingMatch(machine)
        for joint in each.joints:
            if match.number >= max(from_ply, each.opening) and len(match.legal(each.role)) > 1:
                scores = {column: int(np.sign(score)) for column, score in solver.scores(match).items()}
                before, after = max(scores.values()), scores[column_of(joint[each.role])]
                judged.append(JudgedMove(each.role, match.number, before, after, min(scores.values()) < before))
            match.advance(joint)
    return judged
