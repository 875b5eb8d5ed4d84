"""A learner of values with ask/tell.

    [ training games → matches against bare UCT, the best so far and random moves ] per step → validate the best

A run that starts from a knowledge file learns on from its values, and the file's player is the first best. When several
steps in a row bring nothing better, learning ends.
"""

from __future__ import annotations

from agent.knowledge import Knowledge, Values
from miner.learners.curve.learner import CurveLearner
from miner.learners.curve.tables import StepTraining
from miner.learners.learner import KnowledgeMaker
from miner.learners.requests import START, Entrant, Request, Result, TrainedValues, TrainValues
from miner.learners.values.config import ValuesConfig
from miner.learners.values.state import ValuesState
from miner.learners.values.tables import TRAINING_FILE

__all__ = ["ValueTrainingLearner"]


class ValueTrainingLearner(CurveLearner[ValuesState]):
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    table = TRAINING_FILE

    def __init__(self, config: ValuesConfig, maker: KnowledgeMaker, state: ValuesState | None = None) -> None:
        first = ValuesState(best=None if maker.start is None else Entrant(START, maker.start))
        super().__init__(config.seed, config.values, maker, state or first)
        self._config = config

    def _next_learning(self) -> TrainValues:
        step, settings = self._state.step, self._config.values
        learned = self._first_weights() if self._state.trained is None else self._state.trained.learned
        shards = settings.rounds(self._seed, step)
        title = f"learning from {sum(each.games for each in shards)} games of step {step}"
        return TrainValues(step, title, settings.shape, learned, shards)

    def _learn(self, request: Request | None, result: Result) -> bool:
        match request, result:
            case TrainValues(), TrainedValues():
                step = self._state.step + 1
                entrant = Entrant(f"s{step:03d}", self._knowledge(step, result.values))
                unchanged = 0 if self._state.entrant is None else self._unchanged()
                self._begin(
                    ValuesState(step=step, trained=result, entrant=entrant, best=self._best, unchanged=unchanged)
                )
                return True
        return False

    def _training(self) -> StepTraining:
        trained = self._state.trained
        assert trained is not None
        moves = sum(each.moves for each in trained.totals)
        squared_error = sum(each.squared_error * each.moves for each in trained.totals) / max(1, moves)
        return StepTraining(
            sum(each.games for each in trained.totals),
            moves,
            sum(each.broken_off for each in trained.totals),
            squared_error**0.5,
        )

    def _goes_on(self) -> bool:
        return self._unchanged() < self._config.values.patience

    def _ended(self, step: int) -> ValuesState:
        return ValuesState(step=step, best=self._best, ended=True)

    def _unchanged(self) -> int:
        grows = self._best is self._state.entrant
        return 0 if grows else self._state.unchanged + 1

    def _first_weights(self) -> Values | None:
        return None if self._maker.start is None else self._maker.start.values

    def _knowledge(self, step: int, values: Values | None) -> Knowledge:
        """Return the player with these values; features and parameters are those of the start, if there is one."""
        start, nothing = self._maker.start, ((),) * len(self._maker.roles)
        if start is None:
            return self._maker.knowledge(nothing, nothing, self._config.values.parameters(), step, values)
        return self._maker.knowledge(start.winning, start.losing, start.parameters, step, values)
