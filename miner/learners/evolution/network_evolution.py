"""The evolution of value networks, with which an evolution begins.

    shapes of the game → first population
    → [ train each on → pools of all and of the best before → rank → mine tuples → some go on, the others are bred ]
      per generation → the best

Training is never thrown away: what goes on trains on, and a child begins with the mean of its parents' weights. With
each generation individuals become fewer and train longer (successive halving: Karnin, Koren & Somekh 2013), because
networks that learn fast are not always those that learn most. In the last generation the best train on without
children.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from deap import base, tools

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import Cells, RoundTotals, read_shape, shapes_in_words
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.generation import RatedPlayer
from gdl_miner.miner.learners.evolution.network_genes import NetworkGenes, NetworkShapes, network_genome
from gdl_miner.miner.learners.evolution.network_population import (
    NetworkBreeding,
    NetworkIndividual,
    TrainedIndividual,
)
from gdl_miner.miner.learners.evolution.operators import elo_measures, elo_statistics
from gdl_miner.miner.play.rating import Rating
from gdl_miner.miner.play.wording import describe_score
from gdl_miner.miner.results.tables import Measures, score_measures
from gdl_miner.miner.runs.acceptance import AcceptanceRule, accept
from gdl_miner.miner.runs.entrant import Entrant, KnowledgeMaker
from gdl_miner.miner.runs.network_mining import MinedShape, mine_shape
from gdl_miner.miner.runs.network_shapes import known_shapes
from gdl_miner.miner.runs.networks import (
    Network,
    NetworkPlayer,
    NetworkTraining,
    Pool,
    PoolPlan,
    TrainedNetwork,
    entrant_of,
    keep_networks,
    play_pool,
    reduced,
    sum_of,
    train_networks,
)
from gdl_miner.miner.runs.steps import end_step
from gdl_miner.miner.runs.task import Task

_BEATEN = 75.0  # percent of the points against bare UCT from which it no longer plays
_LONGEST_TASK = 60.0  # predicted seconds of training
_AVERAGED = 0.25  # share of a training, at its end, over which weights are averaged
_CLEARLY = 1.645  # standard errors; a lead by chance is so large in one of twenty cases
ORIGIN = "the first network"  # of the Elo scale
_MINED, _SEARCH = "mined tuples", "search"  # parts of the best that must win matches
_AFTER_POOL = 2  # the first round of a step after those of its pool


def evolve_networks(
    config: EvolutionConfig,
    maker: KnowledgeMaker,
    toolbox_of: Callable[[EvolutionConfig, NetworkShapes], base.Toolbox],
    rival: Entrant | None = None,
) -> Generator[Task[Any], Any, RatedPlayer]:
    """Evolve networks generation by generation, and return the best player, rated over the first network of the run.

    A rival, such as the player of a file, meets all networks until one of them is ahead of it, and is the result if
    none ever is.
    """
    settings, shape = config.networks, config.values.shape
    known = yield from Task(known_shapes, 1, shape.stages, shape.symmetries, settings.most_weights)
    shapes = NetworkShapes(known, settings.most_weights)
    toolbox = toolbox_of(config, shapes)
    breeding = NetworkBreeding(settings, config.seed, network_genome(config.values), shapes, toolbox)
    population = breeding.first()
    champions = tools.HallOfFame(settings.hall_of_fame, similar=lambda one, other: one.name == other.name)
    statistics, logbook = elo_statistics(), tools.Logbook()
    best: TrainedIndividual | None = None
    lead = Rating(0.0, 0.0)  # of the best over the first network of the run
    unbeaten = True
    for generation in range(1, settings.generations + 1):
        trained = yield from _training(config, toolbox, generation, population)
        former = [] if best is None else [best, *(each for each in champions if each.name != best.name)]
        networks = [*former[: settings.hall_of_fame], *trained]
        n_former = len(networks) - len(trained)
        groups = _groups(networks, n_former, rival is not None)
        pool = yield from toolbox.evaluate(generation, maker, networks, groups, rival, unbeaten)
        over_first = lead
        ratings = [over_first.plus(pool.table.rating(place)) for place in range(len(networks))]
        for each, rating in zip(networks, ratings, strict=True):
            each.fitness.values = (rating.elo,)
        ranked = _ranking(pool, len(networks), n_former)
        best, lead = networks[ranked[0]], ratings[ranked[0]]
        champions.update([best])
        logbook.record(gen=generation, nevals=len(trained), **statistics.compile(trained))
        yield from _end(config, maker, generation, networks, ranked, pool, ratings, logbook[-1])
        unbeaten = unbeaten and not any(score.win_percent >= _BEATEN for score in pool.against_baseline)
        if rival is not None and pool.table.elo[ranked[0]] > pool.table.elo[len(networks)]:
            rival = None
        if generation < settings.generations:
            last = generation + 1 == settings.generations
            mined = None if last else (yield from _mining(config, maker, generation, best))
            if mined:
                shapes.add(mined.text, mined.n_weights)
            going_on = [best, *(networks[place] for place in ranked[1:] if networks[place] in trained)]
            population = breeding.following(generation + 1, going_on, mined.text if mined else "")
    assert best is not None
    if rival is not None:
        return RatedPlayer(rival, over_first.plus(pool.table.rating(len(networks))))
    return RatedPlayer((yield from _with_what_pays(config, maker, best)), lead)


def train_side_by_side(
    training: Callable[[NetworkIndividual], NetworkTraining],
    individuals: Sequence[NetworkIndividual],
    step: int,
    title: str,
) -> Generator[Task[Any], Any, tuple[TrainedNetwork, ...]]:
    """Train networks, each as one task of a worker; `training` says what is trained."""
    return (yield from Task(train_networks, step, title, tuple(map(training, individuals))))


def meet_in_pools(
    config: EvolutionConfig,
    generation: int,
    maker: KnowledgeMaker,
    networks: Sequence[TrainedIndividual],
    groups: Sequence[tuple[int, ...]],
    rival: Entrant | None,
    unbeaten: bool,
) -> Generator[Task[Any], Any, Pool]:
    """Let networks meet in groups, and rate them all together.

    Args:
        config: the configuration.
        generation: the number of the generation.
        maker: makes their knowledge.
        networks: the networks.
        groups: places of those that meet each other; a place after the networks is that of the rival.
        rival: one more player.
        unbeaten: whether bare UCT plays, too.
    """
    settings = config.networks
    seconds = settings.match_share * settings.size_of(generation) * settings.seconds_of(generation)
    plan = PoolPlan(settings.depth, settings.matches, settings.deeper, settings.deeper_matches, seconds)
    seed = derive_seed(config.seed, "pool", generation)
    rivals = () if rival is None else (rival,)
    players: tuple[NetworkPlayer | Entrant, ...] = (*(each.player for each in networks), *rivals)
    return (yield from Task(play_pool, generation, seed, maker, players, tuple(groups), plan, unbeaten))


def _groups(networks: Sequence[TrainedIndividual], former: int, with_rival: bool) -> list[tuple[int, ...]]:
    """Return the places of those that meet: the networks of each island, former champions, and the rival."""
    new = range(former, len(networks))
    others = (*range(former), *((len(networks),) if with_rival else ()))
    islands = sorted({networks[place].island for place in new})
    return [tuple(sorted((*others, *(place for place in new if networks[place].island == each)))) for each in islands]


def _ranking(pool: Pool, networks: int, former: int) -> list[int]:
    """Return the places of the networks of a pool, the best first; former champions are the first in the pool.

    All others have trained longer. So a former champion is the best only where it is clearly ahead of all of them.
    """
    ranked = sorted(range(networks), key=lambda place: (-pool.table.elo[place], place))
    longest = next(place for place in ranked if place >= former)
    lead = pool.table.lead(ranked[0], longest)
    if ranked[0] != longest and lead.elo < _CLEARLY * lead.se:
        ranked.remove(longest)
        ranked.insert(0, longest)
    return ranked


def _training(
    config: EvolutionConfig, toolbox: base.Toolbox, generation: int, population: Sequence[NetworkIndividual]
) -> Generator[Task[Any], Any, list[TrainedIndividual]]:
    """Train a population, in several tasks one after the other where it takes long, so that a crash costs little."""
    seconds = config.networks.seconds_of(generation)
    tasks = max(1, math.ceil(seconds / _LONGEST_TASK))
    alone = len(population) == 1
    who, each_of = ("the best network learns", "") if alone else (f"{len(population)} networks learn", " each")
    title = f"generation {generation}: {who} for {seconds:.3g} s{each_of}"
    begun = {each.name: tuple(parent.player.network for parent in each.parents) for each in population}
    totals: dict[str, list[RoundTotals]] = {each.name: [] for each in population}
    for number in range(1, tasks + 1):
        averaged = min(1.0, tasks * _AVERAGED) if number == tasks else 0.0
        training = partial(_part_of_training, config, begun, number, seconds / tasks, averaged)
        part = f" (part {number} of {tasks})" if tasks > 1 else ""
        results = yield from toolbox.map(training, population, generation, title + part)
        for each, result in zip(population, results, strict=True):
            begun[each.name] = (Network(each.genes.shape(config.values), result.learned),)
            totals[each.name].append(result.totals)
    return [
        _after_training(config, generation, each, begun[each.name][0], sum_of(totals[each.name])) for each in population
    ]


def _part_of_training(
    config: EvolutionConfig,
    begun: Mapping[str, tuple[Network, ...]],
    number: int,
    seconds: float,
    averaged: float,
    each: NetworkIndividual,
) -> NetworkTraining:
    """Return the part of a training with this number, from 1; `begun` is what each network begins with, by name."""
    return NetworkTraining(
        f"{each.name}-{number}",
        each.genes.shape(config.values),
        begun[each.name],
        each.genes.training(config.values, derive_seed(config.seed, "network", each.name, number)),
        seconds,
        averaged,
    )


def _after_training(
    config: EvolutionConfig, generation: int, each: NetworkIndividual, network: Network, totals: RoundTotals
) -> TrainedIndividual:
    return TrainedIndividual(
        NetworkPlayer(each.name, generation, network, each.genes.parameters(config.values)),
        each.island,
        each.genes,
        each.origin,
        tuple(parent.name for parent in each.parents),
        totals.games + (each.parents[0].games if each.parents else 0),
        totals.squared_error**0.5,
    )


def _mining(
    config: EvolutionConfig, maker: KnowledgeMaker, generation: int, best: TrainedIndividual
) -> Generator[Task[Any], Any, MinedShape | None]:
    """Mine tuples for the next generation from what searches see beyond the best network; None if there are none."""
    settings = config.networks
    if not settings.mined_tuples:
        return None
    seed = derive_seed(config.seed, "tuples", generation)
    mined = yield from Task(
        mine_shape,
        generation,
        seed,
        maker,
        best.player,
        settings.mined_positions,
        settings.mined_playouts,
        settings.mined_tuples,
    )
    return mined if mined.text else None


def _with_what_pays(
    config: EvolutionConfig, maker: KnowledgeMaker, best: TrainedIndividual
) -> Generator[Task[Any], Any, Entrant]:
    """Return the best player without those of its parts that do not win matches against the player without them."""
    player, step, acceptance = best.player, config.networks.generations, config.acceptance
    entrant = yield from Task(entrant_of, maker, player)
    if not acceptance.matches:
        return entrant
    whole, rule = entrant.knowledge, AcceptanceRule(**acceptance.model_dump())
    seed, first_round = derive_seed(config.seed, "acceptance of networks"), _AFTER_POOL
    for part in (_MINED, _SEARCH):
        plain = yield from _without(config, best.genes, player, part)
        if plain is None:
            continue
        without = yield from Task(entrant_of, maker, plain)
        result = yield from Task(accept, step, seed, part, entrant, without, whole, rule, first_round)
        first_round = result.next_round
        if not result.kept:
            player, entrant = plain, without
    return entrant


def _without(
    config: EvolutionConfig, genes: NetworkGenes, player: NetworkPlayer, part: str
) -> Generator[Task[Any], Any, NetworkPlayer | None]:
    """Return a player without a part; None where it has no such part."""
    name = f"{player.name}-without-{part.replace(' ', '-')}"
    if part == _SEARCH:
        usual = config.values.parameters()
        return None if player.parameters == usual else replace(player, name=name, parameters=usual)
    shapes = tuple(text for text in genes.shapes if not isinstance(read_shape(text), Cells))
    if shapes == genes.shapes:
        return None
    network = yield from Task(reduced, player.network, replace(genes, shapes=shapes).shape(config.values))
    return replace(player, name=name, network=network)


def _end(
    config: EvolutionConfig,
    maker: KnowledgeMaker,
    generation: int,
    networks: Sequence[TrainedIndividual],
    ranked: Sequence[int],
    pool: Pool,
    ratings: Sequence[Rating],
    record: Mapping[str, Any],
) -> Generator[Task[Any], Any, None]:
    """Keep the best network of a generation, and what was measured of all; `record` is of the logbook."""
    first = ranked[0]
    best = networks[first]
    yield from Task(keep_networks, generation, maker, (best.player,))
    several = config.networks.islands > 1
    measured = {
        networks[place].name: _measures(rank, networks[place], pool, place, ratings[place], several)
        for rank, place in enumerate(ranked, 1)
    }
    yield from Task(
        end_step,
        generation,
        measured,
        {"matches": pool.matches, "networks": record["nevals"], **elo_measures(record), "elo_origin": ORIGIN},
        best.name,
        f"generation {generation} of {config.planned_steps}: best {best.name} "
        f"({shapes_in_words(best.genes.shapes)}), {describe_score(pool.scores[first], ratings[first])} over {ORIGIN}",
        f"best {ratings[first].elo:+.0f} ± {ratings[first].se:.0f} Elo",
    )


def _measures(
    rank: int, each: TrainedIndividual, pool: Pool, place: int, rating: Rating, with_island: bool
) -> Measures:
    against = {"baseline_win_percent": pool.against_baseline[place].win_percent} if pool.against_baseline else {}
    return {
        "rank": rank,
        **({"island": each.island + 1} if with_island else {}),
        "origin": each.origin,
        "parents": " ".join(each.parents) or None,
        **score_measures(pool.scores[place]),
        **against,
        "elo": rating.elo,
        "elo_se": rating.se,
        "work_ratio": pool.work_ratio[each.name],
        "weights": each.weights,
        "training_games": each.games,
        "rms_error": each.rms_error,
        **each.genes.by_name(),
    }
