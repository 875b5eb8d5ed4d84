"""A learner of features with ask/tell.

    [ random games → features → matches against bare UCT ] per step → validate the best

Every step adds the features of further games to those of the steps before. The player with the best result against
bare UCT is the best; of equal results, the later one.
"""

from __future__ import annotations

from agent.search.seeds import derive_seed
from miner.gifl import join_learned
from miner.learners.gifl.config import GiflConfig
from miner.learners.gifl.knowledge import weighted_features
from miner.learners.gifl.state import GiflState
from miner.learners.gifl.tables import GIFL_FILE, gifl_row
from miner.learners.learner import (
    EndStep,
    Entrant,
    FeaturesLearned,
    KnowledgeMaker,
    LearnFeatures,
    MatchResults,
    PlayMatches,
    Request,
    Result,
    Validate,
    Validation,
)
from miner.play.pairing import PairedMatches, make_pair
from miner.play.rating import BASELINE, Score, dispersion, fit_ratings

__all__ = ["GiflLearner"]

_PRIOR_SD = 400.0  # Elo


class GiflLearner:
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    def __init__(self, config: GiflConfig, maker: KnowledgeMaker, state: GiflState | None = None) -> None:
        self._config = config
        self._maker = maker
        self._state = state or GiflState()
        self._end: EndStep | None = None  # the end of the present step, once its matches are played
        self._recorded = False  # whether the present step has ended and the next one's games are to be played
        self._best, self._best_percent = self._state.best, self._state.best_percent
        self._validated = False

    @property
    def state(self) -> GiflState:
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
        state, settings = self._state, self._config.gifl
        if state.ended:
            asked = state.best is not None and settings.validation_matches > 0 and not self._validated
            return Validate(state.step, state.best, settings.validation_matches) if asked and state.best else None
        if self._recorded or state.entrant is None:
            return self._next_games()
        if self._end is not None:
            return self._end
        played = tuple(match for pair in self._pairs() for match in pair.matches)
        return PlayMatches(state.step, "measuring", 0, f"step {state.step}", (state.entrant,), played)

    def tell(self, result: Result) -> None:
        """Take the result of the request. Raises ValueError where the request asked for something else."""
        match self.ask(), result:
            case LearnFeatures(), FeaturesLearned():
                self._learn(result)
            case PlayMatches(), MatchResults():
                self._measure(result)
            case EndStep() as end, None:
                self._finish(end)
            case Validate(), Validation():
                self._validated = True
            case request, _:
                raise ValueError(f"{type(result).__name__} is no result of {type(request).__name__}")

    def _next_games(self) -> LearnFeatures:
        settings, step = self._config.gifl, self._state.step
        title = f"learning from {settings.games} games of step {step}"
        learning = self._config.learning(self._config.seed)
        return LearnFeatures(step, title, learning, step * settings.games, settings.games, settings.shards)

    def _learn(self, result: FeaturesLearned) -> None:
        learned = join_learned([self._state.learned, result.learned])
        step, settings, roles = self._state.step + 1, self._config.gifl, len(self._maker.roles)
        winning = weighted_features(learned.levels, roles, settings.weights())
        knowledge = self._maker.knowledge(winning, ((),) * roles, settings.parameters(), step)
        self._state = GiflState(step, learned, Entrant(f"s{step:03d}", knowledge), self._best, self._best_percent)
        self._end, self._recorded = None, False

    def _measure(self, results: MatchResults) -> None:
        state = self._state
        assert state.entrant is not None
        score = sum((pair.score(results.goals) for pair in self._pairs()), start=Score())
        rating = fit_ratings(2, [(1, BASELINE, score)], _PRIOR_SD, dispersion([score]))[1]
        if self._best is None or score.win_percent >= self._best_percent:
            self._best, self._best_percent = state.entrant, score.win_percent
        features = state.entrant.knowledge.n_features
        row = gifl_row(state.step, state.entrant.name, state.learned, features, score, rating, self._best.name)
        summary = f"step {state.step}: {features} features, {score.win_percent:.1f} % against bare UCT"
        standing = f"{score.win_percent:.1f} %"
        self._end = EndStep(state.step, {GIFL_FILE: [row]}, self._best.name, summary, standing, state.entrant.name)

    def _finish(self, end: EndStep) -> None:
        """Go on to further games after the matches of a step, or to the validation."""
        if end.step < self._config.gifl.steps:
            self._recorded = True
        else:
            self._state = GiflState(end.step + 1, self._state.learned, None, self._best, self._best_percent, ended=True)

    def _pairs(self) -> list[PairedMatches]:
        step, roles, settings = self._state.step, len(self._maker.roles), self._config.gifl
        return [
            make_pair(
                f"g{step:03d}-p{number:04d}",
                1,
                derive_seed(self._config.seed, "measuring", step, number),
                roles,
                BASELINE,
                settings.opening_plies,
            )
            for number in range(-(-settings.matches // max(2, roles)))
        ]
