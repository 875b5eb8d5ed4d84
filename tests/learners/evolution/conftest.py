from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from gdl_miner.agent.features import Feature, FeatureAbsMove, WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, Provenance
from gdl_miner.agent.values import LearnedWeights, RoundTotals, ValuePart, Values
from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.config import EvolutionConfig, read_config
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.learners.evolution.loop import Evolution
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    EndStep,
    Entrant,
    LongSearchesTried,
    MatchResults,
    MineRecords,
    PlayMatches,
    Prune,
    Pruned,
    Request,
    SearchPositions,
    TrainedValues,
    TrainValues,
    TryLongSearches,
    TryValues,
    Validate,
    Validation,
    ValuesTried,
)
from gdl_miner.miner.mining.mined import MinedFeature, MinedKnowledge
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.rating import BASELINE, Score, expected_score, fit_ratings


def feature(name: str) -> Feature:
    return FeatureAbsMove(name)


def weighted(**weights: float) -> tuple[WeightedFeature, ...]:
    ranked = sorted(weights.items(), key=lambda entry: -entry[1])
    return tuple(WeightedFeature(feature(name), weight) for name, weight in ranked)


def chromosome(winning: Sequence[WeightedFeature] = (), **genes: object) -> Chromosome:
    values = [genes.get(name, default) for name, default in zip(GENOME.names, GENOME.defaults(), strict=True)]
    return Chromosome(GENOME.check(values), (tuple(winning), ()), ((), ()))


MAKER = KnowledgeMaker("xo", "0" * 64, ("x", "o"), Provenance("test", 0, 0, "1"))


@dataclass
class FakeWorld:
    """A world that plays and mines without a game: the nearer an exploration constant is to 20, the stronger it is."""

    asked: list[Request]  # all requests except the ends of generations and the searches of positions
    harmful: tuple[str, ...] = ()  # names of those whose values lose in deeper searches
    trustworthy: bool = True  # whether values alone are stronger in long searches than mixed ones

    def trained(self, request: TrainValues) -> TrainedValues:
        """Add 1 to the only weight, that of a fact."""
        assert not isinstance(request.start, Values)
        before = 0.0 if request.start is None else float(request.start.weights[0])
        learned = LearnedWeights(*(np.array([before + 1], np.float32) for _ in range(3)))
        part = ValuePart(0, 0, 0, {"(control x)": before + 1}, ())
        return TrainedValues(learned, (RoundTotals(1, 1, 0, 0.0),), Values((), True, "", (), (part,)))

    def matches(self, request: PlayMatches) -> MatchResults:
        goals = {match.id: self._goals(match, request.entrants) for match in request.matches}
        return MatchResults(goals, {entrant.name: 1.0 for entrant in request.entrants})

    def mined(self, request: MineRecords) -> MinedKnowledge:
        found = MinedFeature(feature(f"(mark {request.step})"), "x", 100, 0.9, 1e-9, 1e-9, 0.5, 0.1, 0.2)
        return MinedKnowledge(("x", "o"), ((found,), ()), (1000, 1000), (100, 100), (0.1, 0.1))

    def pruned(self, request: Prune) -> Pruned:
        """Keep the first feature of each list."""
        whole = request.whole.knowledge
        winning, losing = (tuple(each[:1] for each in lists) for lists in (whole.winning, whole.losing))
        return Pruned(Entrant(f"{request.whole.name}-pruned", replace(whole, winning=winning, losing=losing)))

    def validation(self, request: Validate) -> Validation:
        score, roles = Score(), 2
        for number in range(request.matches // roles):
            pair = make_pair(f"v-p{number:05d}", 1, number, roles)
            score += pair.score({match.id: self._goals(match, (request.entrant,)) for match in pair.matches})
        return Validation(request.entrant.name, score, fit_ratings(2, [(1, BASELINE, score)])[1])

    def run(self, evolution: Evolution, steps: int = 10_000) -> Evolution:
        """Do the next `steps` requests of the evolution; ends of generations and searches of positions do not count."""
        for _ in range(steps):
            while isinstance(evolution.ask(), EndStep | SearchPositions):
                evolution.tell(None)
            request = evolution.ask()
            if request is None:
                break
            self.asked.append(request)
            self.answer(evolution, request)
        while isinstance(evolution.ask(), EndStep | SearchPositions):
            evolution.tell(None)
        return evolution

    def answer(self, evolution: Evolution, request: Request) -> None:
        """Tell the result of a request."""
        match request:
            case PlayMatches():
                evolution.tell(self.matches(request))
            case TrainValues():
                evolution.tell(self.trained(request))
            case TryValues():
                harmful = request.entrant.name in self.harmful
                evolution.tell(ValuesTried("behind", 0.3) if harmful else ValuesTried("ahead", 0.8))
            case TryLongSearches():
                evolution.tell(LongSearchesTried(not self.trustworthy))
            case MineRecords():
                evolution.tell(self.mined(request))
            case Prune():
                evolution.tell(self.pruned(request))
            case Validate():
                evolution.tell(self.validation(request))
            case EndStep() | SearchPositions():
                evolution.tell(None)

    def _goals(self, match: MatchRequest, entrants: Sequence[Entrant]) -> tuple[int, ...]:
        strengths = [0.0 if player == BASELINE else self.strength(entrants[player - 1]) for player in match.seats]
        won = random.Random(match.id).random() < expected_score(strengths[0], strengths[1])
        return (100, 0) if won else (0, 100)

    def strength(self, entrant: Entrant) -> float:
        """Return the Elo of a player."""
        return 200.0 - 8.0 * abs(entrant.knowledge.parameters.uct_c - 20.0)


def kinds(asked: list[Request]) -> list[str]:
    """Return short names of requests."""
    names = {MineRecords: "mine", Prune: "pruning", Validate: "validation", TrainValues: "training"}
    names |= {TryValues: "trial", TryLongSearches: "long trial"}
    return [request.phase if isinstance(request, PlayMatches) else names[type(request)] for request in asked]


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld([])


@pytest.fixture
def settings() -> EvolutionConfig:
    changes = {"generations": 3, "population": 8, "mutation": 0.1, "spread": 1.0, "value_steps": 0}
    return read_config("quick", {"evolution": changes})


@pytest.fixture
def start(settings: EvolutionConfig) -> Callable[..., Evolution]:
    def begin(knowledge: Knowledge | None = None, **changes: object) -> Evolution:
        return Evolution(settings.model_copy(update=changes), replace(MAKER, start=knowledge))

    return begin
