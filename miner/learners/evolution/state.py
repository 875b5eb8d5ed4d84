"""The state of an evolution between two generations, as a value and as JSON.

The feature lists stay in the knowledge files beside the JSON. The state holds no state of a random generator, because
every random draw of a run derives from the run's seed and names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from gdl_miner.agent.values import LearnedWeights
from gdl_miner.miner.learners.evolution.chromosome import Chromosome, FeatureLists
from gdl_miner.miner.learners.evolution.config import ValueUse
from gdl_miner.miner.learners.evolution.genome import GENOME, Genome
from gdl_miner.miner.learners.evolution.population import Individual
from gdl_miner.miner.learners.evolution.standing import Standing
from gdl_miner.miner.learners.learner import OtherVersionError
from gdl_miner.miner.learners.requests import Entrant
from gdl_miner.miner.learners.values.state import pack_weights, unpack_weights
from gdl_miner.miner.play.rating import Rating, Score

__all__ = ["EvolutionState", "OtherGenesError", "unpack_state"]

Features = Callable[[int, str], tuple[FeatureLists, FeatureLists]]


class OtherGenesError(OtherVersionError):
    """The individuals of a checkpoint have other genes than this version; the message names the genes."""


@dataclass(frozen=True)
class EvolutionState:
    """The state of an evolution between two generations, sufficient to go on exactly as if never interrupted."""

    generation: int = 0  # generation to be played next; 0: without knowledge; one past the last: validation
    population: tuple[Individual, ...] = ()
    champion: Standing | None = None  # best individual of the last generation played
    features_mined: int | None = None  # number of features mined after the generation before
    start: Entrant | None = None  # the player whose values all individuals have; its values grow in generation 0
    value_steps: int = 0  # steps of training games that are finished
    use: ValueUse = "any"  # of the values that these steps taught, as their trials have shown
    learned: LearnedWeights | None = None  # the weights after these steps, as long as more steps come

    @property
    def step(self) -> int:
        """The generation to be played next."""
        return self.generation

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object, without feature lists."""
        champion = self.champion
        known = [*self.population, *([] if champion is None else [champion.individual])]
        return {
            "features_mined": self.features_mined,
            "value_steps": self.value_steps,
            "use": self.use,
            "learned": None if self.learned is None else pack_weights(self.learned),
            "state": {
                "generation": self.generation,
                "genes": list(known[0].chromosome.genes() if known else GENOME.names),
                "population": [_pack(individual) for individual in self.population],
                "champion": None if champion is None else _pack_standing(champion),
            },
        }


def unpack_state(packed: dict[str, Any], features: Features, start: Entrant | None = None) -> EvolutionState:
    """Return the state that `EvolutionState.pack` packed.

    `features(generation, name)` gives the winning and losing lists from the knowledge files. Raises OtherGenesError
    where another version packed the state; ValueError, KeyError or TypeError where `pack` cannot have made the value.
    """
    state = packed["state"]
    genome = _genome_of(state["genes"])
    generation = int(state["generation"])
    champion = state["champion"]
    use = packed.get("use", "any")
    if use not in get_args(ValueUse):
        raise ValueError(f"values may be used as {', '.join(get_args(ValueUse))}, not as {use!r}")
    return EvolutionState(
        generation,
        tuple(_unpack(entry, genome, generation, features) for entry in state["population"]),
        None if champion is None else _unpack_standing(champion, genome, generation - 1, features),
        packed.get("features_mined"),
        start,
        int(packed.get("value_steps", 0)),
        use,
        None if packed.get("learned") is None else unpack_weights(packed["learned"]),
    )


def _genome_of(genes: list[str]) -> Genome:
    """Return the genome with these genes. Raises OtherGenesError where they are not those of this version.

    A missing gene could take its default, but then the run would not be the one that was begun. Only runs whose
    configuration names them have the optional genes.
    """
    added, absent = GENOME.optional_up_to(genes)
    genome = Genome((*GENOME.genes, *added), absent)
    missing = [name for name in genome.names if name not in genes]
    unknown = [str(name) for name in genes if name not in genome.names]
    if missing:
        raise OtherGenesError(f"it was written before there was the gene {', '.join(missing)}")
    if unknown:
        raise OtherGenesError(f"its gene {', '.join(unknown)} is none of this version")
    if genes != list(genome.names):
        raise OtherGenesError("its genes are in another order than those of this version")
    return genome


def _pack(individual: Individual) -> dict[str, Any]:
    return {
        "name": individual.name,
        "origin": individual.origin,
        "parents": list(individual.parents),
        "values": list(individual.chromosome.values),
    }


def _unpack(packed: dict[str, Any], genome: Genome, generation: int, features: Features) -> Individual:
    winning, losing = features(generation, packed["name"])
    chromosome = Chromosome(genome.check(packed["values"]), winning, losing)
    return Individual(packed["name"], chromosome, packed["origin"], tuple(packed["parents"]))


def _pack_standing(standing: Standing) -> dict[str, Any]:
    score, rating = standing.score, standing.rating
    return {
        "individual": _pack(standing.individual),
        "score": [score.wins, score.draws, score.losses, score.groups, score.squares, score.between],
        "rating": [rating.elo, rating.se],
        "rounds": standing.rounds,
    }


def _unpack_standing(packed: dict[str, Any], genome: Genome, generation: int, features: Features) -> Standing:
    individual = _unpack(packed["individual"], genome, generation, features)
    return Standing(individual, Score(*packed["score"]), Rating(*packed["rating"]), int(packed["rounds"]))
