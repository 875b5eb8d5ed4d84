"""A learner of values with ask/tell.

    [ training games → matches against bare UCT, the best so far and random moves ] per step → validate the best

Where there are several discounts, the training games of the first step are played once with each, and learning goes on
from the values that have most points against the others. The values of the first step can also meet the same values
mixed with playouts in long searches; if these are stronger, all players mix their values in such searches. A run that
starts from a knowledge file learns on from its values, and the file's player is the first best. When several steps in a
row bring nothing better, learning ends.
"""

from __future__ import annotations

from dataclasses import replace

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.values import LearnedWeights, Values
from gdl_miner.miner.learners.curve.learner import CurveLearner
from gdl_miner.miner.learners.curve.tables import StepTraining
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    START,
    DiscountsTried,
    Entrant,
    LongSearchesTried,
    Request,
    Result,
    TrainedValues,
    TrainValues,
    TryDiscounts,
    TryLongSearches,
)
from gdl_miner.miner.learners.values.config import ValuesConfig
from gdl_miner.miner.learners.values.state import ValuesState
from gdl_miner.miner.learners.values.tables import TRAINING_FILE
from gdl_miner.miner.results.tables import Cell

__all__ = ["ValueTrainingLearner"]


class ValueTrainingLearner(CurveLearner[ValuesState]):
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    table = TRAINING_FILE

    def __init__(self, config: ValuesConfig, maker: KnowledgeMaker, state: ValuesState | None = None) -> None:
        first = ValuesState(best=None if maker.start is None else Entrant(START, maker.start))
        super().__init__(config.seed, config.values, maker, state or first)
        self._config = config
        self._tried: list[TrainedValues] = []  # what the first step has learned with each discount
        self._chosen: tuple[TrainedValues, float] | None = None  # one of these with its discount, if it is to be tried

    def _next_learning(self) -> TrainValues | TryDiscounts | TryLongSearches:
        factors, trained = self._config.discount.factors, self._state.trained
        if trained is not None:
            return self._training_games(trained.learned, self._state.discount)
        if self._chosen is not None:
            return self._long_trial(self._chosen[0].values)
        if len(self._tried) == len(factors):
            return self._trial()
        discount = factors[len(self._tried)]
        which = f" with the discount {discount}" if len(factors) > 1 else ""
        return self._training_games(self._first_weights(), discount, which)

    def _training_games(self, start: LearnedWeights | Values | None, discount: float, which: str = "") -> TrainValues:
        step, settings = self._state.step, self._config.values
        shards = settings.rounds(self._seed, step, discount)
        title = f"learning from {sum(each.games for each in shards)} games of step {step}{which}"
        return TrainValues(step, title, settings.shape, start, shards)

    def _trial(self) -> TryDiscounts:
        settings, step = self._config.discount, self._state.step
        entrants = tuple(
            Entrant(f"discount-{factor}", self._knowledge(step, tried.values))
            for factor, tried in zip(settings.factors, self._tried, strict=True)
        )
        return TryDiscounts(step, self._seed, entrants, settings.depth, settings.matches)

    def _long_trial(self, values: Values | None) -> TryLongSearches:
        config, step = self._config, self._state.step
        knowledge = self._knowledge(step, values)
        alone, mixed = Entrant("alone", knowledge), replace(knowledge, parameters=knowledge.parameters.mixed())
        depth, matches = config.long_depth, config.long_searches.matches
        return TryLongSearches(
            step, self._seed, Entrant("mixed", mixed), alone, depth, matches, config.trusted_playouts
        )

    def _learn(self, request: Request | None, result: Result) -> bool:
        match request, result:
            case TrainValues(), TrainedValues() if self._state.trained is not None:
                self._take(result, self._state.discount, self._state.trusted_playouts)
            case TrainValues(), TrainedValues():
                factors = self._config.discount.factors
                self._tried.append(result)
                if len(factors) == 1:
                    self._choose(result, factors[0])
            case TryDiscounts(), DiscountsTried():
                best = result.points.index(max(result.points))
                self._choose(self._tried[best], self._config.discount.factors[best])
            case TryLongSearches(), LongSearchesTried() if self._chosen is not None:
                self._take(*self._chosen, request.trusted_playouts if result.mixed_is_stronger else 0)
            case _:
                return False
        return True

    def _choose(self, trained: TrainedValues, discount: float) -> None:
        """Go on with what the first step has learned with this discount; players of a start keep their parameters."""
        if self._maker.start is None and self._config.tries_long_searches:
            self._chosen = trained, discount
        else:
            self._take(trained, discount)

    def _take(self, trained: TrainedValues, discount: float, trusted_playouts: int = 0) -> None:
        """Go on to the next step with what was learned."""
        step = self._state.step + 1
        entrant = Entrant(f"s{step:03d}", self._knowledge(step, trained.values, trusted_playouts))
        unchanged = 0 if self._state.entrant is None else self._unchanged()
        self._begin(
            ValuesState(
                step=step,
                trained=trained,
                discount=discount,
                trusted_playouts=trusted_playouts,
                entrant=entrant,
                best=self._best,
                unchanged=unchanged,
            )
        )

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

    def _own_cells(self) -> tuple[Cell, ...]:
        return (self._state.discount,)

    def _goes_on(self) -> bool:
        return self._unchanged() < self._config.values.patience

    def _ended(self, step: int) -> ValuesState:
        return ValuesState(step=step, best=self._best, ended=True)

    def _unchanged(self) -> int:
        grows = self._best is self._state.entrant
        return 0 if grows else self._state.unchanged + 1

    def _first_weights(self) -> Values | None:
        return None if self._maker.start is None else self._maker.start.values

    def _knowledge(self, step: int, values: Values | None, trusted_playouts: int = 0) -> Knowledge:
        """Return the player with these values; features and parameters are those of the start, if there is one."""
        start, nothing = self._maker.start, ((),) * len(self._maker.roles)
        if start is None:
            parameters = replace(self._config.values.parameters(), trusted_playouts=trusted_playouts)
            return self._maker.knowledge(nothing, nothing, parameters, step, values)
        return self._maker.knowledge(start.winning, start.losing, start.parameters, step, values)
