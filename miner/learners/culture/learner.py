"""A learner of cultural coevolution with ask/tell.

    [ forages → mating and beliefs → matches against bare UCT and against the best so far ] per step → validate the best

The player of a step has the values of the fittest player of each species. The best is kept: values that lose to it do
not replace it, though the species go on.
"""

from __future__ import annotations

from agent.search.seeds import derive_seed
from miner.learners.culture.config import CultureConfig
from miner.learners.culture.generation import Generation
from miner.learners.culture.state import ColonyState, CultureState, StepTotals
from miner.learners.culture.tables import CULTURE_FILE, culture_row
from miner.learners.learner import (
    EndStep,
    Entrant,
    ForageResult,
    KnowledgeMaker,
    MatchResults,
    NamedValues,
    NameValues,
    PlayForage,
    PlayMatches,
    Request,
    Result,
    Validate,
    Validation,
)
from miner.play.pairing import PairedMatches, make_pair
from miner.play.rating import BASELINE, Score, dispersion, fit_ratings
from miner.training.forages import Population

__all__ = ["CultureLearner"]

_PRIOR_SD = 400.0  # Elo


class CultureLearner:
    """One run of learning. Use: `while (request := l.ask()) is not None: l.tell(its result)`."""

    def __init__(self, config: CultureConfig, maker: KnowledgeMaker, state: CultureState | None = None) -> None:
        self._config = config
        self._maker = maker
        self._state = state or CultureState()
        self._generation = self._new_generation()
        self._concluded: tuple[ColonyState, StepTotals, Population] | None = None  # of the generation
        self._end: EndStep | None = None  # the end of the present step, once its matches are played
        self._best: Entrant | None = None  # the best after these matches
        self._recorded = False  # whether the present step has ended and only its forages are left
        self._validated = False

    @property
    def state(self) -> CultureState:
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
        step, settings = self._state.step, self._config.culture
        if self._state.ended:
            best = self._state.best
            if self._validated or best is None or not settings.validation_matches:
                return None
            return Validate(step, best, settings.validation_matches)
        if self._recorded or self._state.entrant is None:
            if self._concluded is None:
                return self._generation.forage()
            return NameValues(step, settings.shape, self._concluded[2].weights[0])
        if self._end is not None:
            return self._end
        pairs = (*self._pairs("baseline", BASELINE), *self._past_pairs())
        matches = tuple(match for pair in pairs for match in pair.matches)
        return PlayMatches(step, "measuring", 0, f"step {step}", self.members, matches)

    def tell(self, result: Result) -> None:
        """Take the result of the request. Raises ValueError where the request asked for something else."""
        match self.ask(), result:
            case PlayForage(), ForageResult():
                self._generation.take(result)
                if self._generation.complete:
                    self._concluded = self._generation.conclude()
            case NameValues(), NamedValues():
                self._begin(result)
            case PlayMatches(), MatchResults():
                self._measure(result)
            case EndStep() as end, None:
                self._finish(end)
            case Validate(), Validation():
                self._validated = True
            case request, _:
                raise ValueError(f"{type(result).__name__} is no result of {type(request).__name__}")

    def _new_generation(self) -> Generation:
        return Generation(self._config, len(self._maker.roles), self._state.step + 1, self._state.colony)

    def _begin(self, named: NamedValues) -> None:
        """Go on to the step that measures the values of the fittest."""
        assert self._concluded is not None
        colony, totals, _ = self._concluded
        step, nothing = self._state.step + 1, ((),) * len(self._maker.roles)
        parameters = self._config.culture.parameters()
        knowledge = self._maker.knowledge(nothing, nothing, parameters, step, named.values)
        entrant = Entrant(f"s{step:03d}", knowledge)
        self._state = CultureState(step, colony, totals, entrant, self._best or self._state.best)
        self._generation, self._concluded = self._new_generation(), None
        self._end, self._best, self._recorded = None, None, False

    def _measure(self, results: MatchResults) -> None:
        state = self._state
        entrant, colony = state.entrant, state.colony
        assert entrant is not None
        assert colony is not None
        score, past = _sum(self._pairs("baseline", BASELINE), results), _sum(self._past_pairs(), results)
        rating = fit_ratings(2, [(1, BASELINE, score)], _PRIOR_SD, dispersion([score]))[1]
        self._best = entrant if state.best is None or past.win_percent >= 50 else state.best
        values = entrant.knowledge.values
        row = culture_row(
            state.step,
            entrant.name,
            state.totals,
            0 if values is None else values.n_weights,
            sum(len(space.states) for space in colony.beliefs),
            score,
            rating,
            past,
            self._best.name,
        )
        summary = f"step {state.step}: {score.win_percent:.1f} % against bare UCT"
        if past.matches:
            summary += f", {past.win_percent:.1f} % against the best before"
        standing = f"{score.win_percent:.1f} %"
        self._end = EndStep(state.step, {CULTURE_FILE: [row]}, self._best.name, summary, standing, entrant.name)

    def _finish(self, end: EndStep) -> None:
        """Go on to forages after the matches of a step, or to the validation."""
        if end.step < self._config.culture.steps:
            self._recorded = True
            return
        self._state = CultureState(end.step + 1, best=self._best, ended=True)

    def _past_pairs(self) -> list[PairedMatches]:
        return [] if self._state.best is None else self._pairs("past", 2)

    def _pairs(self, name: str, opponent: int) -> list[PairedMatches]:
        step, roles = self._state.step, len(self._maker.roles)
        count = -(-self._config.culture.matches // max(2, roles))
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
