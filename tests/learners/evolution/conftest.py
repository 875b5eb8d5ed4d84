from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from agent.knowledge import Feature, WeightedFeature
from agent.knowledge.features import FeatureAbsMove
from miner.learners.evolution.chromosome import Chromosome
from miner.learners.evolution.config import RunConfig, read_config
from miner.learners.evolution.genome import GENOME
from miner.learners.evolution.loop import Evolution, MineRequest, PlayRequest
from miner.mining.mined import MinedFeature, MinedKnowledge
from miner.play.rating import expected_score


def feature(name: str) -> Feature:
    return FeatureAbsMove(name)


def weighted(**weights: float) -> tuple[WeightedFeature, ...]:
    ranked = sorted(weights.items(), key=lambda entry: -entry[1])
    return tuple(WeightedFeature(feature(name), weight) for name, weight in ranked)


def chromosome(winning: Sequence[WeightedFeature] = (), **genes: object) -> Chromosome:
    values = [genes.get(name, default) for name, default in zip(GENOME.names, GENOME.defaults(), strict=True)]
    return Chromosome(GENOME.check(values), (tuple(winning), ()), ((), ()))


@dataclass
class FakeWorld:
    """Plays and mines without a game: an individual is as strong as its exploration constant is near 20."""

    asked: list[PlayRequest | MineRequest]

    def goals(self, request: PlayRequest) -> dict[str, tuple[int, ...]]:
        goals = {}
        for match in request.matches:
            strengths = [self._strength(request, player) for player in match.seats]
            won = random.Random(match.id).random() < expected_score(strengths[0], strengths[1])
            goals[match.id] = (100, 0) if won else (0, 100)
        return goals

    def mined(self, request: MineRequest) -> MinedKnowledge:
        found = MinedFeature(feature(f"(mark {request.generation})"), "x", 100, 0.9, 1e-9, 1e-9, 0.5, 0.1, 0.2)
        return MinedKnowledge(("x", "o"), ((found,), ()), (1000, 1000), (100, 100), (0.1, 0.1))

    def run(self, evolution: Evolution[MinedKnowledge], steps: int = 10_000) -> Evolution[MinedKnowledge]:
        for _ in range(steps):
            request = evolution.ask()
            if request is None:
                break
            self.asked.append(request)
            if isinstance(request, MineRequest):
                evolution.tell_mined(self.mined(request))
            else:
                evolution.tell_goals(self.goals(request))
        return evolution

    @staticmethod
    def _strength(request: PlayRequest, player: int) -> float:
        if player == 0:
            return 0.0
        return 200.0 - 8.0 * abs(float(request.individuals[player - 1].chromosome["uct_c"]) - 20.0)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld([])


@pytest.fixture
def settings() -> RunConfig:
    return read_config("quick", {"evolution": {"generations": 3, "population": 8, "mutation": 0.1, "spread": 1.0}})


@pytest.fixture
def start(settings: RunConfig) -> Callable[..., Evolution[MinedKnowledge]]:
    def begin(**changes: object) -> Evolution[MinedKnowledge]:
        return Evolution(settings.model_copy(update=changes), 2, Chromosome.learned)

    return begin
