"""A learner of features with ask/tell.

    [ random games → features → matches against bare UCT and others ] per step → validate the best

Every step adds the features of further games to those of the steps before.
"""

from __future__ import annotations

from miner.gifl import join_learned
from miner.learners.curve.learner import CurveLearner
from miner.learners.curve.tables import StepTraining
from miner.learners.gifl.config import GiflConfig
from miner.learners.gifl.knowledge import weighted_features
from miner.learners.gifl.state import GiflState
from miner.learners.gifl.tables import GIFL_FILE, SIDES
from miner.learners.learner import KnowledgeMaker
from miner.learners.requests import Entrant, FeaturesLearned, LearnFeatures, Request, Result
from miner.results.tables import Cell

__all__ = ["GiflLearner"]


class GiflLearner(CurveLearner[GiflState]):
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    table = GIFL_FILE

    def __init__(self, config: GiflConfig, maker: KnowledgeMaker, state: GiflState | None = None) -> None:
        super().__init__(config.seed, config.gifl, maker, state or GiflState())
        self._config = config

    def _next_learning(self) -> LearnFeatures:
        settings, step = self._config.gifl, self._state.step
        title = f"learning from {settings.games} games of step {step}"
        first = step * settings.games
        return LearnFeatures(step, title, self._config.learning(), first, settings.games, settings.shards)

    def _learn(self, request: Request | None, result: Result) -> bool:
        match request, result:
            case LearnFeatures(), FeaturesLearned():
                before = () if self._state.learned is None else (self._state.learned,)
                learned = join_learned([*before, result.learned])
                step, settings, roles = self._state.step + 1, self._config.gifl, len(self._maker.roles)
                winning = weighted_features(learned.levels, roles, settings.weights())
                knowledge = self._maker.knowledge(winning, ((),) * roles, settings.parameters(), step)
                entrant = Entrant(f"s{step:03d}", knowledge)
                played = result.learned.counts
                self._begin(GiflState(step=step, entrant=entrant, best=self._best, learned=learned, played=played))
                return True
        return False

    def _training(self) -> StepTraining:
        played = self._state.played
        return StepTraining(played.games, played.moves, broken_off=0, rms_error=None)

    def _own_cells(self) -> tuple[Cell, ...]:
        played, learned = self._state.played, self._state.learned
        assert learned is not None
        return played.decided, played.variants, *(learned.count(side) for side in SIDES)

    def _ended(self, step: int) -> GiflState:
        return GiflState(step=step, best=self._best, ended=True)
