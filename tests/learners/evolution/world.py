"""A world that plays and mines without a game, and the evolutions in it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gdl_miner.agent.features import Feature, FeatureAbsMove, WeightedFeature
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.values import LearnedWeights, RoundTotals, ValuePart, Values
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.genome import GENOME, Genome
from gdl_miner.miner.learners.evolution.operators import random_chromosome, seeded_global_random
from gdl_miner.miner.mining.mine import MinedFeature, MinedKnowledge
from gdl_miner.miner.play.pairing import MatchRequest, make_pair
from gdl_miner.miner.play.rating import BASELINE, Score, expected_score, fit_ratings
from gdl_miner.miner.runs.acceptance import Accepted
from gdl_miner.miner.runs.entrant import Entrant, Validation
from gdl_miner.miner.runs.matches import MatchResults
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.task import Learner, Task
from gdl_miner.miner.runs.trials import Trust, ValuesTried
from gdl_miner.miner.runs.value_training import TrainedValues
from tests.learners.driving import MAKER, Answers, Changes, driven, name_of, new_learner

NO_NETWORKS: Changes = {"networks": {"generations": 0}}
EVOLVED = {"generations": 3, "population": 8, "mutation": 0.1, "spread": 1.0, "value_steps": 0}


def feature(name: str) -> Feature:
    return FeatureAbsMove(name)


def weighted(**weights: float) -> tuple[WeightedFeature, ...]:
    ranked = sorted(weights.items(), key=lambda entry: -entry[1])
    return tuple(WeightedFeature(feature(name), weight) for name, weight in ranked)


def chromosome(winning: Sequence[WeightedFeature] = (), **genes: object) -> Chromosome:
    values = [genes.get(name, default) for name, default in zip(GENOME.names, GENOME.defaults(), strict=True)]
    return Chromosome(GENOME.check(values), (tuple(winning), ()), ((), ()))


def drawn_with(genome: Genome, seed: int) -> Chromosome:
    """Return a random chromosome."""
    with seeded_global_random(seed):
        return random_chromosome(genome)


def settings_of(name: str, changes: Changes | None = None) -> EvolutionConfig:
    return read_settings(EvolutionConfig, name, changes)


def new_evolution(changes: Changes | None = None, start: Knowledge | None = None, **evolution: Any) -> Learner:
    """Return an evolution of three generations; `evolution` are changes of its section of that name."""
    settings = {**NO_NETWORKS, **(changes or {}), "evolution": {**EVOLVED, **evolution}}
    return new_learner(EVOLUTION, settings, start)


@dataclass(frozen=True)
class World:
    """A world in which a player is the stronger, the nearer its exploration constant is to 20."""

    harmful: tuple[str, ...] = ()  # names of those whose values lose in deeper searches
    trustworthy: bool = True  # whether values alone are stronger in long searches than mixed ones
    winning: tuple[str, ...] = ("features", "features and parameters")  # parts that are accepted beside values
    features_help: float = 0.0  # Elo that features are worth in tournaments
    tried: Mapping[str, ValuesTried] | None = None  # results of trials by name, in place of `harmful`

    def run(self, changes: Changes | None = None, start: Knowledge | None = None, **evolution: Any) -> list[Task[Any]]:
        """Return the tasks of an evolution of three generations; `evolution` are changes of its section."""
        return driven(new_evolution(changes, start, **evolution), self.answers())

    def answers(self) -> Answers:
        """Return the answers to all tasks."""
        return {
            "train_values": self._trained,
            "try_values": self._values_tried,
            "try_long_searches": lambda **_: Trust(2000, 0 if self.trustworthy else 1000),
            "play_matches": self._played,
            "mine_records": self._mined,
            "prune": self._pruned,
            "accept": lambda part, first_round, **_: Accepted(part in self.winning, first_round + 2),
            "validate": self._validated,
        }

    def strength(self, entrant: Entrant) -> float:
        """Return the Elo of a player."""
        known, constant = entrant.knowledge.n_features > 0, entrant.knowledge.parameters.uct_c
        return 200.0 - 8.0 * abs(constant - 20.0) + self.features_help * known

    def _trained(self, start: LearnedWeights | None, **_: Any) -> TrainedValues:
        """Add 1 to the only weight, that of a fact."""
        weight = 1.0 if start is None else float(start.weights[0]) + 1
        learned = LearnedWeights(*(np.array([weight], np.float32) for _ in range(3)))
        part = ValuePart(0, 0, 0, {"(control x)": weight}, ())
        return TrainedValues(learned, RoundTotals(1, 1, 0, 0.0), Values((), True, "", (), (part,)))

    def _values_tried(self, entrant: Entrant, first_round: int, **_: Any) -> ValuesTried:
        if self.tried is not None:
            return self.tried[entrant.name]
        verdict, points = ("behind", 0.3) if entrant.name in self.harmful else ("ahead", 0.8)
        return ValuesTried(verdict, points, first_round + 2, 200)

    def _played(self, entrants: tuple[Entrant, ...], matches: tuple[MatchRequest, ...], **_: Any) -> MatchResults:
        goals = {match.id: self._goals(match, entrants) for match in matches}
        return MatchResults(goals, {entrant.name: 1.0 for entrant in entrants})

    def _mined(self, step: int, **_: Any) -> MinedKnowledge:
        found = MinedFeature(feature(f"(mark {step})"), "x", 100, 0.9, 1e-9, 1e-9, 0.5, 0.1, 0.2)
        return MinedKnowledge(("x", "o"), ((found,), ()), (1000, 1000), (100, 100), (0.1, 0.1))

    def _pruned(self, whole: Entrant, **_: Any) -> Entrant:
        """Keep the first feature of each list."""
        knowledge = whole.knowledge
        winning, losing = (tuple(each[:1] for each in lists) for lists in (knowledge.winning, knowledge.losing))
        return Entrant(f"{whole.name}-pruned", replace(knowledge, winning=winning, losing=losing))

    def _validated(self, entrant: Entrant, matches: int, **_: Any) -> Validation:
        score = Score()
        for number in range(matches // len(MAKER.roles)):
            pair = make_pair(f"v-p{number:05d}", 1, number, len(MAKER.roles))
            score += pair.score({match.id: self._goals(match, (entrant,)) for match in pair.matches})
        return Validation(entrant.name, score, fit_ratings(2, [(1, BASELINE, score)])[1])

    def _goals(self, match: MatchRequest, entrants: Sequence[Entrant]) -> tuple[int, ...]:
        strengths = [0.0 if player == BASELINE else self.strength(entrants[player - 1]) for player in match.seats]
        won = random.Random(match.id).random() < expected_score(strengths[0], strengths[1])
        return (100, 0) if won else (0, 100)


def stages(tasks: list[Task[Any]]) -> list[str]:
    """Return the phases of matches and the names of the other tasks, without what is only written."""
    named = [task.arguments["phase"] if name_of(task) == "play_matches" else name_of(task) for task in tasks]
    return [name for name in named if name not in ("keep_players", "search_positions", "end_step")]
