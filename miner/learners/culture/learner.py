"""A learner of cultural coevolution with ask/tell.

    [ forages → mating and beliefs → matches against bare UCT, the best so far and random moves ] per step
      → validate the best

The player of a step has the values of the fittest player of each species.
"""

from __future__ import annotations

from gdl_miner.miner.learners.culture.config import CultureConfig
from gdl_miner.miner.learners.culture.generation import Generation
from gdl_miner.miner.learners.culture.state import ColonyState, CultureState, StepTotals
from gdl_miner.miner.learners.culture.tables import CULTURE_FILE
from gdl_miner.miner.learners.curve.learner import CurveLearner
from gdl_miner.miner.learners.curve.tables import StepTraining
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    Entrant,
    ForageResult,
    NamedValues,
    NameValues,
    PlayForage,
    Request,
    Result,
)
from gdl_miner.miner.results.tables import Cell
from gdl_miner.miner.training.forages import Population

__all__ = ["CultureLearner"]


class CultureLearner(CurveLearner[CultureState]):
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    table = CULTURE_FILE

    def __init__(self, config: CultureConfig, maker: KnowledgeMaker, state: CultureState | None = None) -> None:
        super().__init__(config.seed, config.culture, maker, state or CultureState())
        self._config = config
        self._generation = self._new_generation()
        self._concluded: tuple[ColonyState, StepTotals, Population] | None = None  # of the generation

    def _next_learning(self) -> PlayForage | NameValues:
        if self._concluded is None:
            return self._generation.forage()
        return NameValues(self._state.step, self._config.culture.shape, self._concluded[2].weights[0])

    def _learn(self, request: Request | None, result: Result) -> bool:
        match request, result:
            case PlayForage(), ForageResult():
                self._generation.take(result)
                if self._generation.complete:
                    self._concluded = self._generation.conclude()
            case NameValues(), NamedValues():
                self._begin(self._named(result))
                self._generation, self._concluded = self._new_generation(), None
            case _:
                return False
        return True

    def _named(self, named: NamedValues) -> CultureState:
        """Return the state of the step that measures the values of the fittest."""
        assert self._concluded is not None
        colony, totals, _ = self._concluded
        step, nothing = self._state.step + 1, ((),) * len(self._maker.roles)
        parameters = self._config.culture.parameters()
        knowledge = self._maker.knowledge(nothing, nothing, parameters, step, named.values)
        entrant = Entrant(f"s{step:03d}", knowledge)
        return CultureState(step=step, colony=colony, totals=totals, entrant=entrant, best=self._best)

    def _new_generation(self) -> Generation:
        return Generation(self._config, len(self._maker.roles), self._state.step + 1, self._state.colony)

    def _training(self) -> StepTraining:
        totals = self._state.totals
        error = (totals.squared_error / max(1, totals.updates)) ** 0.5
        return StepTraining(totals.games, totals.moves, totals.broken_off, error)

    def _own_cells(self) -> tuple[Cell, ...]:
        colony = self._state.colony
        assert colony is not None
        fitness = " ".join(f"{each:.3f}" for each in self._state.totals.fitness)
        return fitness, sum(len(space.states) for space in colony.beliefs)

    def _ended(self, step: int) -> CultureState:
        return CultureState(step=step, best=self._best, ended=True)
