"""The toolboxes of an evolution, as DEAP's users know them: whatever is registered can be replaced from outside.

Networks and players with features evolve one after the other, each with a toolbox of its own:

    mate      two chromosomes → two children
    mutate    a chromosome → a tuple of one
    select    individuals, k → k individuals, by their fitness
    evaluate  a generation → its measured players
    map       a function, individuals → their results

Networks are trained and measured on any number of workers. So `evaluate` is a generator of tasks, and so is `map` of
networks, which is given the trainings themselves. A method of another package that selects otherwise:

    def toolbox(config, shapes):
        box = network_toolbox(config, shapes)
        box.register("select", tools.selTournament, tournsize=3)
        return box

    METHOD = replace(EVOLUTION, name="tournaments", learn=partial(evolve, toolboxes=Toolboxes(networks=toolbox)))

Operators draw from the generator of the module `random`, which is seeded before each child, so that a run gives the
same bytes on any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from deap import base

from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.generation import play_tournament
from gdl_miner.miner.learners.evolution.genome import Genome
from gdl_miner.miner.learners.evolution.network_evolution import meet_in_pools, train_side_by_side
from gdl_miner.miner.learners.evolution.network_genes import (
    NetworkShapes,
    mate_networks,
    mutate_network,
    network_genome,
)
from gdl_miner.miner.learners.evolution.operators import cross, mutate, select_by_rank

NetworkToolbox: TypeAlias = Callable[[EvolutionConfig, NetworkShapes], base.Toolbox]
FeatureToolbox: TypeAlias = Callable[[EvolutionConfig, Genome], base.Toolbox]


def network_toolbox(config: EvolutionConfig, shapes: NetworkShapes) -> base.Toolbox:
    """Return the toolbox of networks, whose chromosomes are `NetworkGenes` of these shapes."""
    settings, toolbox = config.networks, base.Toolbox()
    toolbox.register("mate", mate_networks, shapes=shapes)
    toolbox.register(
        "mutate",
        mutate_network,
        genome=network_genome(config.values),
        shapes=shapes,
        rate=settings.mutation,
        new_shapes=settings.new_shapes,
    )
    toolbox.register("select", select_by_rank)
    toolbox.register("evaluate", meet_in_pools, config)
    toolbox.register("map", train_side_by_side)
    return toolbox


def feature_toolbox(config: EvolutionConfig, genome: Genome) -> base.Toolbox:
    """Return the toolbox of players with features, whose chromosomes are `Chromosome`s in the limits of a genome."""
    toolbox = base.Toolbox()
    toolbox.register("mate", cross)
    toolbox.register("mutate", mutate, genome=genome, rate=config.evolution.mutation)
    toolbox.register("select", select_by_rank)
    toolbox.register("evaluate", play_tournament, config)
    toolbox.register("map", map)
    return toolbox


@dataclass(frozen=True)
class Toolboxes:
    """The functions that make the toolboxes of an evolution."""

    networks: NetworkToolbox = network_toolbox
    features: FeatureToolbox = feature_toolbox
