"""A learner with a learning curve and ask/tell.

    [ learning → matches against bare UCT, the best before and random moves ] per step → validate the best

The best is kept: a player that loses to it does not replace it, though learning goes on from that player.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.curve.settings import CurveMatches
from gdl_miner.miner.learners.curve.state import CurveState
from gdl_miner.miner.learners.curve.tables import Measured, StepTraining, curve_row
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    EndStep,
    Entrant,
    MatchResults,
    PlayMatches,
    Request,
    Result,
    Validate,
    Validation,
)
from gdl_miner.miner.play.pairing import PairedMatches, make_pair
from gdl_miner.miner.play.rating import BASELINE, Score, dispersion, fit_ratings
from gdl_miner.miner.results.tables import Cell

__all__ = ["CurveLearner"]

_PRIOR_SD = 400.0  # Elo

StateT = TypeVar("StateT", bound=CurveState)


class CurveLearner(ABC, Generic[StateT]):
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`.

    A subclass says what is learned between the matches of two steps.
    """

    table: str  # the CSV file of the learning curve

    def __init__(self, seed: int, settings: CurveMatches, maker: KnowledgeMaker, state: StateT) -> None:
        self._seed = seed
        self._settings = settings
        self._maker = maker
        self._state = state
        self._best = state.best  # the best after the matches of the present step
        self._end: EndStep | None = None  # the end of the present step, once its matches are played
        self._recorded = False  # whether the present step has ended and only its learning is left
        self._validated = False

    @property
    def state(self) -> StateT:
        """The state between two steps."""
        return self._state

    @property
    def members(self) -> tuple[Entrant, ...]:
        """The player of this step and the best before."""
        return self._state.members

    def knowledge(self) -> Entrant | None:
        """Return the best so far."""
        return self._best

    def ask(self) -> Request | None:
        """Return the work that comes next; None when all work is done."""
        step = self._state.step
        if self._state.ended:
            best, matches = self._state.best, self._settings.validation_matches
            return None if self._validated or best is None or not matches else Validate(step, best, matches)
        if self._recorded or self._state.entrant is None:
            return self._next_learning()
        if self._end is not None:
            return self._end
        randoms = self._random_pairs()
        pairs = (*self._baseline_pairs(), *self._past_pairs(), *randoms)
        played = tuple(match for pair in pairs for match in pair.matches)
        return PlayMatches(step, "measuring", 0, f"step {step}", self.members, played, with_random=bool(randoms))

    def tell(self, result: Result) -> None:
        """Take the result of the request. Raises ValueError where the request asked for something else."""
        match self.ask(), result:
            case PlayMatches(), MatchResults():
                self._measure(result)
            case EndStep() as end, None:
                self._finish(end)
            case Validate(), Validation():
                self._validated = True
            case request, _:
                if not self._learn(request, result):
                    raise ValueError(f"{type(result).__name__} is no result of {type(request).__name__}")

    @abstractmethod
    def _next_learning(self) -> Request:
        """Return the learner's own work that comes next, between the matches of two steps."""

    @abstractmethod
    def _learn(self, request: Request | None, result: Result) -> bool:
        """Take the result of the learner's own work, perhaps by `_begin`. Return whether it is the result asked for."""

    @abstractmethod
    def _training(self) -> StepTraining:
        """Return the training of the player that this step measures."""

    @abstractmethod
    def _ended(self, step: int) -> StateT:
        """Return the state in which only the validation of the best is left."""

    def _own_cells(self) -> tuple[Cell, ...]:
        """Return the cells of the learner's own columns."""
        return ()

    def _goes_on(self) -> bool:
        """Return whether another step may follow this one, apart from their number."""
        return True

    def _begin(self, state: StateT) -> None:
        """Go on to a step that measures a player."""
        self._state = state
        self._end, self._recorded = None, False

    def _measure(self, results: MatchResults) -> None:
        state = self._state
        entrant = state.entrant
        assert entrant is not None
        baseline, past, random = (
            _sum(pairs, results) for pairs in (self._baseline_pairs(), self._past_pairs(), self._random_pairs())
        )
        rating = fit_ratings(2, [(1, BASELINE, baseline)], _PRIOR_SD, dispersion([baseline]))[1]
        self._best = entrant if state.best is None or past.win_percent >= 50 else state.best
        values = entrant.knowledge.values
        row = curve_row(
            state.step,
            entrant.name,
            self._training(),
            entrant.knowledge.n_features if values is None else values.n_weights,
            self._own_cells(),
            Measured(baseline, past, random, rating),
            self._best.name,
        )
        opponents = ((baseline, "bare UCT"), (past, "the best before"), (random, "random moves"))
        said = [f"{score.win_percent:.1f} % against {name}" for score, name in opponents if score.matches]
        summary = f"step {state.step}: {', '.join(said)}"
        standing = f"{baseline.win_percent:.1f} %"
        self._end = EndStep(state.step, {self.table: [row]}, self._best.name, summary, standing, entrant.name)

    def _finish(self, end: EndStep) -> None:
        """Go on to learning after the matches of a step, or to the validation."""
        if end.step < self._settings.steps and self._goes_on():
            self._recorded = True
        else:
            self._state = self._ended(end.step + 1)

    def _baseline_pairs(self) -> list[PairedMatches]:
        return self._pairs("baseline", BASELINE, self._settings.matches)

    def _past_pairs(self) -> list[PairedMatches]:
        return [] if self._state.best is None else self._pairs("past", 2, self._settings.matches)

    def _random_pairs(self) -> list[PairedMatches]:
        return self._pairs("random", len(self.members) + 1, self._settings.random_matches)

    def _pairs(self, name: str, opponent: int, matches: int) -> list[PairedMatches]:
        step, roles = self._state.step, len(self._maker.roles)
        return [
            make_pair(
                f"g{step:03d}-{name}-p{number:04d}",
                1,
                derive_seed(self._seed, "measuring", name, step, number),
                roles,
                opponent,
                self._settings.opening_plies,
            )
            for number in range(-(-matches // max(2, roles)))
        ]


def _sum(pairs: Sequence[PairedMatches], results: MatchResults) -> Score:
    return sum((pair.score(results.goals) for pair in pairs), start=Score())
