"""A learner of features with ask/tell.

    [ random games → features → scores in matches → matches against bare UCT and others ] per step → validate the best

Every step adds the features of further games to those of the steps before. Where features are scored, those that are
clearly poor are dropped; one that is learned again in a later step is scored again.
"""

from __future__ import annotations

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.miner.gifl import GameCounts, GiflFeatures, join_learned
from gdl_miner.miner.learners.curve.learner import CurveLearner
from gdl_miner.miner.learners.curve.tables import StepTraining
from gdl_miner.miner.learners.gifl.config import GiflConfig
from gdl_miner.miner.learners.gifl.knowledge import acting_features, weighted_features
from gdl_miner.miner.learners.gifl.state import GiflState
from gdl_miner.miner.learners.gifl.tables import GIFL_FILE, SIDES
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    Entrant,
    FeaturesLearned,
    FeaturesScored,
    LearnFeatures,
    Request,
    Result,
    ScoreFeatures,
)
from gdl_miner.miner.results.tables import Cell

__all__ = ["GiflLearner"]


class GiflLearner(CurveLearner[GiflState]):
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    table = GIFL_FILE

    def __init__(self, config: GiflConfig, maker: KnowledgeMaker, state: GiflState | None = None) -> None:
        super().__init__(config.seed, config.gifl, maker, state or GiflState())
        self._config = config
        self._learned: GiflFeatures | None = None  # features of all games so far, until they are scored
        self._played = GameCounts()  # the games of the present step

    def _next_learning(self) -> LearnFeatures | ScoreFeatures:
        settings, step = self._config.gifl, self._state.step
        if self._learned is not None:
            title = f"scoring features in {settings.scoring_matches} matches of step {step}"
            return ScoreFeatures(
                step=step,
                title=title,
                knowledge=self._knowledge(self._learned),
                features=acting_features(self._learned.levels, settings.weights()),
                settings=self._config.gains(),
                playouts=settings.scoring_playouts,
                first=step * settings.scoring_matches,
                matches=settings.scoring_matches,
                shards=settings.shards,
                false_drops=settings.false_drops,
            )
        title = f"learning from {settings.games} games of step {step}"
        first = step * settings.games
        return LearnFeatures(step, title, self._config.learning(), first, settings.games, settings.shards)

    def _learn(self, request: Request | None, result: Result) -> bool:
        match request, result:
            case LearnFeatures(), FeaturesLearned():
                before = () if self._state.learned is None else (self._state.learned,)
                self._played = result.learned.counts
                self._learned = join_learned([*before, result.learned])
                if not self._config.gifl.scoring_matches:
                    self._measure_next(self._learned, 0)
                return True
            case ScoreFeatures(), FeaturesScored() if self._learned is not None:
                self._measure_next(self._learned.without(result.poor), sum(result.poor))
                return True
        return False

    def _measure_next(self, learned: GiflFeatures, dropped: int) -> None:
        step = self._state.step + 1
        entrant = Entrant(f"s{step:03d}", self._knowledge(learned))
        state = GiflState(
            step=step, entrant=entrant, best=self._best, learned=learned, played=self._played, dropped=dropped
        )
        self._learned = None
        self._begin(state)

    def _knowledge(self, learned: GiflFeatures) -> Knowledge:
        """Return the knowledge of the step that comes next."""
        settings = self._config.gifl
        winning, losing = weighted_features(learned.levels, len(self._maker.roles), settings.weights())
        return self._maker.knowledge(winning, losing, settings.parameters(), self._state.step + 1)

    def _training(self) -> StepTraining:
        played = self._state.played
        return StepTraining(played.games, played.moves, broken_off=0, rms_error=None)

    def _own_cells(self) -> tuple[Cell, ...]:
        played, learned = self._state.played, self._state.learned
        assert learned is not None
        return played.decided, played.variants, *(learned.count(side) for side in SIDES), self._state.dropped

    def _ended(self, step: int) -> GiflState:
        return GiflState(step=step, best=self._best, ended=True)
