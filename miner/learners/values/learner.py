"""A learner of values with ask/tell.

    [ training games → matches against bare UCT, the best so far and random moves ] per step → validate the best

A run that starts from a knowledge file learns on from its values, and the file's player is the first best. The best is
kept: values that lose to it do not replace it, though learning goes on from them. When several steps in a
row bring nothing better, learning ends.
"""

from __future__ import annotations

from agent.knowledge import Knowledge, Values
from agent.search.seeds import derive_seed
from miner.learners.learner import (
    START,
    EndStep,
    Entrant,
    KnowledgeMaker,
    MatchResults,
    PlayMatches,
    Request,
    Result,
    TrainedValues,
    TrainValues,
    Validate,
    Validation,
)
from miner.learners.values.config import ValuesConfig
from miner.learners.values.state import ValuesState
from miner.learners.values.tables import TRAINING_FILE, LearningCurve, training_row
from miner.play.pairing import PairedMatches, make_pair
from miner.play.rating import BASELINE, Score, dispersion, fit_ratings

__all__ = ["ValueTrainingLearner"]

_PRIOR_SD = 400.0  # Elo


class ValueTrainingLearner:
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    def __init__(self, config: ValuesConfig, maker: KnowledgeMaker, state: ValuesState | None = None) -> None:
        self._config = config
        self._maker = maker
        self._state = state or ValuesState(best=None if maker.start is None else Entrant(START, maker.start))
        self._end: EndStep | None = None  # the end of the present step, once its matches are played
        self._best = self._state.best  # the best after these matches
        self._recorded = False  # whether the present step has ended and only its training is left
        self._validated = False

    @property
    def state(self) -> ValuesState:
        """The state between two steps."""
        return self._state

    @property
    def members(self) -> tuple[Entrant, ...]:
        """The player of this step and the best before."""
        return self._state.members

    def knowledge(self) -> Entrant | None:
        """Return the best so far."""
        return self._best or self._state.best

    def ask(self) -> Request | None:
        """Return the work that comes next; None when all work is done."""
        step, settings = self._state.step, self._config.values
        if self._state.ended:
            best = self._state.best
            if self._validated or best is None or not settings.validation_matches:
                return None
            return Validate(step, best, settings.validation_matches)
        if self._recorded or self._state.entrant is None:
            seeds = [derive_seed(self._config.seed, "training", step, shard) for shard in range(settings.shards)]
            learned = self._first_weights() if self._state.trained is None else self._state.trained.learned
            shards = tuple(settings.round(seed) for seed in seeds)
            title = f"learning from {sum(each.games for each in shards)} games of step {step}"
            return TrainValues(step, title, settings.shape, learned, shards)
        if self._end is not None:
            return self._end
        randoms = self._random_pairs()
        pairs = (*self._baseline_pairs(), *self._past_pairs(), *randoms)
        matches = tuple(match for pair in pairs for match in pair.matches)
        return PlayMatches(step, "measuring", 0, f"step {step}", self.members, matches, with_random=bool(randoms))

    def tell(self, result: Result) -> None:
        """Take the result of the request. Raises ValueError where the request asked for something else."""
        match self.ask(), result:
            case PlayMatches(), MatchResults():
                self._measure(result)
            case EndStep() as end, None:
                self._finish(end)
            case TrainValues(), TrainedValues():
                self._begin(result)
            case Validate(), Validation():
                self._validated = True
            case request, _:
                raise ValueError(f"{type(result).__name__} is no result of {type(request).__name__}")

    def _measure(self, results: MatchResults) -> None:
        step, entrant, before, trained = self._state.step, self._state.entrant, self._state.best, self._state.trained
        assert entrant is not None
        assert trained is not None
        curve = LearningCurve(
            *(_sum(pairs, results) for pairs in (self._baseline_pairs(), self._past_pairs(), self._random_pairs()))
        )
        score, past = curve.baseline, curve.past
        rating = fit_ratings(2, [(1, BASELINE, score)], _PRIOR_SD, dispersion([score]))[1]
        self._best = entrant if before is None or past.win_percent >= 50 else before
        values = entrant.knowledge.values
        row = training_row(
            step,
            entrant.name,
            trained.totals,
            0 if values is None else values.n_weights,
            curve,
            rating,
            self._best.name,
        )
        summary = f"step {step}: {score.win_percent:.1f} % against bare UCT"
        if past.matches:
            summary += f", {past.win_percent:.1f} % against the best before"
        if curve.random.matches:
            summary += f", {curve.random.win_percent:.1f} % against random moves"
        standing = f"{score.win_percent:.1f} %"
        self._end = EndStep(step, {TRAINING_FILE: [row]}, self._best.name, summary, standing, last=entrant.name)

    def _finish(self, end: EndStep) -> None:
        """Go on to training after the matches of a step, or to the validation."""
        settings = self._config.values
        if end.step < settings.steps and self._unchanged() < settings.patience:
            self._recorded = True
            return
        self._state = ValuesState(end.step + 1, best=self._best, ended=True)

    def _unchanged(self) -> int:
        grows = self._best is self._state.entrant
        return 0 if grows else self._state.unchanged + 1

    def _begin(self, trained: TrainedValues) -> None:
        step = self._state.step + 1
        unchanged = 0 if self._state.entrant is None else self._unchanged()
        knowledge = self._knowledge(step, trained.values)
        self._state = ValuesState(step, trained, Entrant(f"s{step:03d}", knowledge), self._best, unchanged)
        self._end, self._recorded = None, False

    def _first_weights(self) -> Values | None:
        return None if self._maker.start is None else self._maker.start.values

    def _knowledge(self, step: int, values: Values | None) -> Knowledge:
        """Return the player with these values; features and parameters are those of the start, if there is one."""
        start, nothing = self._maker.start, ((),) * len(self._maker.roles)
        if start is None:
            return self._maker.knowledge(nothing, nothing, self._config.values.parameters(), step, values)
        return self._maker.knowledge(start.winning, start.losing, start.parameters, step, values)

    def _baseline_pairs(self) -> list[PairedMatches]:
        return self._pairs("baseline", BASELINE)

    def _past_pairs(self) -> list[PairedMatches]:
        return [] if self._state.best is None else self._pairs("past", 2)

    def _random_pairs(self) -> list[PairedMatches]:
        return self._pairs("random", len(self.members) + 1, self._config.values.random_matches)

    def _pairs(self, name: str, opponent: int, matches: int | None = None) -> list[PairedMatches]:
        """Return pairs with so many matches, by default those of the configuration."""
        step, roles = self._state.step, len(self._maker.roles)
        count = -(-(self._config.values.matches if matches is None else matches) // max(2, roles))
        return [
            make_pair(
                f"g{step:03d}-{name}-p{number:04d}",
                1,
                derive_seed(self._config.seed, "measuring", name, step, number),
                roles,
                opponent,
            )
            for number in range(count)
        ]


def _sum(pairs: list[PairedMatches], results: MatchResults) -> Score:
    return sum((pair.score(results.goals) for pair in pairs), start=Score())
