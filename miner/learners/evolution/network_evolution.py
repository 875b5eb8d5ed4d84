"""The evolution of value networks, with which an evolution begins.

    shapes of the game → first population
    → [ train each on → pool of all and of the best before → rank → mine tuples → some go on, the others are bred ]
      per generation → the best

Training is never thrown away: what goes on trains on, and a child begins with the mean of its parents' weights. With
each generation individuals become fewer and train longer (successive halving: Karnin, Koren & Somekh 2013), because
networks that learn fast are not always those that learn most. In the last generation the best train on without
children.
"""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.values import Cells, RoundTotals, read_shape, shapes_in_words
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.network_genes import NetworkBreeding, NetworkGenes, network_genome
from gdl_miner.miner.learners.evolution.population import individual_name
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
_FEWEST_KEPT = 2  # networks that go on before the last generation
_MINED, _SEARCH = "mined tuples", "search"  # parts of the best that must win matches
_AFTER_POOL = 2  # the first round of a step after those of its pool


@dataclass(frozen=True)
class _Individual:
    name: str
    genes: NetworkGenes
    origin: str
    parents: tuple[_Trained, ...] = ()


@dataclass(frozen=True)
class _Trained:
    """An individual after its training."""

    player: NetworkPlayer
    genes: NetworkGenes
    origin: str
    parents: tuple[str, ...]
    games: int  # training games of the individual, and of its first parents before
    rms_error: float


def evolve_networks(
    config: EvolutionConfig, maker: KnowledgeMaker, rival: Entrant | None = None
) -> Generator[Task[Any], Any, Entrant]:
    """Evolve networks generation by generation, and return the best player.

    A rival, such as the player of a file, meets all networks until one of them is ahead of it, and is the result if
    none ever is.
    """
    settings, seed = config.networks, config.seed
    shape = config.values.shape
    known = yield from Task(known_shapes, 1, shape.stages, shape.symmetries, settings.most_weights)
    breeding = NetworkBreeding(
        network_genome(config.values),
        known,
        settings.most_weights,
        settings.crossover,
        settings.mutation,
        settings.new_shapes,
    )
    population = [
        _Individual(individual_name(1, number), genes, "initial")
        for number, genes in enumerate(breeding.first(settings.population, seed), 1)
    ]
    best: _Trained | None = None
    lead = Rating(0.0, 0.0)  # of the best over the first individual of the first generation
    unbeaten = True
    for generation in range(1, settings.generations + 1):
        trained = yield from _training(config, generation, population, settings.seconds_of(generation))
        pool_of = [*([best] if best else []), *trained]
        pool = yield from _playing(config, maker, generation, pool_of, rival, unbeaten)
        ranked = _ranking(pool, len(pool_of), best is not None)
        yield from _end(config, generation, pool_of, trained, ranked, pool, lead, maker)
        unbeaten = unbeaten and not any(score.win_percent >= _BEATEN for score in pool.against_baseline)
        lead = _sum(lead, pool.table.rating(ranked[0]))
        best = pool_of[ranked[0]]
        if rival is not None and pool.table.elo[ranked[0]] > pool.table.elo[len(pool_of)]:
            rival = None
        if generation < settings.generations:
            breeds = generation + 1 < settings.generations
            mined = (yield from _mining(config, maker, generation, best)) if breeds else None
            if mined:
                breeding = replace(breeding, known=breeding.known.with_shape(mined.text, mined.n_weights))
            ranking = [best, *(pool_of[place] for place in ranked[1:] if pool_of[place] in trained)]
            population = _next(config, breeding, generation + 1, ranking, mined.text if mined else "")
    assert best is not None
    return rival or (yield from _with_what_pays(config, maker, best))


def _ranking(pool: Pool, networks: int, with_former: bool) -> list[int]:
    """Return the places of the networks of a pool, the best first.

    All others have trained longer than the best before, who is the first in the pool. So that one stays the best only
    where it is clearly ahead of all of them.
    """
    ranked = sorted(range(networks), key=lambda place: (-pool.table.elo[place], place))
    if with_former and ranked[0] == 0:
        lead = pool.table.lead(0, ranked[1])
        if lead.elo < _CLEARLY * lead.se:
            ranked[:2] = ranked[1], 0
    return ranked


def _training(
    config: EvolutionConfig, generation: int, population: Sequence[_Individual], seconds: float
) -> Generator[Task[Any], Any, list[_Trained]]:
    """Train a population, in several tasks one after the other where it takes long, so that a crash costs little."""
    tasks = max(1, math.ceil(seconds / _LONGEST_TASK))
    alone = len(population) == 1
    who, each_of = ("the best network learns", "") if alone else (f"{len(population)} networks learn", " each")
    title = f"generation {generation}: {who} for {seconds:.3g} s{each_of}"
    begun = [tuple(parent.player.network for parent in each.parents) for each in population]
    totals: list[list[RoundTotals]] = [[] for _ in population]
    for number in range(1, tasks + 1):
        trainings = tuple(
            NetworkTraining(
                f"{each.name}-{number}",
                each.genes.shape(config.values),
                parents,
                each.genes.training(config.values, derive_seed(config.seed, "network", each.name, number)),
                seconds / tasks,
                min(1.0, tasks * _AVERAGED) if number == tasks else 0.0,
            )
            for each, parents in zip(population, begun, strict=True)
        )
        part = f" (part {number} of {tasks})" if tasks > 1 else ""
        results = yield from Task(train_networks, generation, title + part, trainings)
        begun = [(Network(each.shape, result.learned),) for each, result in zip(trainings, results, strict=True)]
        for each, result in zip(totals, results, strict=True):
            each.append(result.totals)
    return [
        _after_training(config, generation, each, network, sum_of(parts))
        for each, (network,), parts in zip(population, begun, totals, strict=True)
    ]


def _after_training(
    config: EvolutionConfig, generation: int, each: _Individual, network: Network, totals: RoundTotals
) -> _Trained:
    return _Trained(
        NetworkPlayer(each.name, generation, network, each.genes.parameters(config.values)),
        each.genes,
        each.origin,
        tuple(parent.player.name for parent in each.parents),
        totals.games + (each.parents[0].games if each.parents else 0),
        totals.squared_error**0.5,
    )


def _mining(
    config: EvolutionConfig, maker: KnowledgeMaker, generation: int, best: _Trained
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


def _playing(
    config: EvolutionConfig,
    maker: KnowledgeMaker,
    generation: int,
    networks: Sequence[_Trained],
    rival: Entrant | None,
    unbeaten: bool,
) -> Task[Pool]:
    settings = config.networks
    seconds = settings.match_share * settings.size_of(generation) * settings.seconds_of(generation)
    plan = PoolPlan(settings.depth, settings.matches, settings.deeper, settings.deeper_matches, seconds)
    seed = derive_seed(config.seed, "pool", generation)
    rivals = () if rival is None else (rival,)
    players: tuple[NetworkPlayer | Entrant, ...] = (*(each.player for each in networks), *rivals)
    return Task(play_pool, generation, seed, maker, players, plan, unbeaten)


def _with_what_pays(
    config: EvolutionConfig, maker: KnowledgeMaker, best: _Trained
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
    generation: int,
    players: Sequence[_Trained],
    trained: Sequence[_Trained],
    ranked: Sequence[int],
    pool: Pool,
    lead: Rating,
    maker: KnowledgeMaker,
) -> Generator[Task[Any], Any, None]:
    """Keep the best player of a generation, and what was measured of all."""
    best = players[ranked[0]]
    yield from Task(keep_networks, generation, maker, (best.player,))
    rating = _sum(lead, pool.table.rating(ranked[0]))
    score = pool.scores[ranked[0]]
    yield from Task(
        end_step,
        generation,
        {
            players[place].player.name: _measures(rank, players[place], pool, place, lead)
            for rank, place in enumerate(ranked, 1)
        },
        {"matches": pool.matches, "networks": len(trained), "elo_origin": "the first network"},
        best.player.name,
        f"generation {generation} of {config.planned_steps}: best {best.player.name} "
        f"({shapes_in_words(best.genes.shapes)}), {describe_score(score, rating)} over the first network",
        f"best {rating.elo:+.0f} ± {rating.se:.0f} Elo",
    )


def _measures(rank: int, each: _Trained, pool: Pool, place: int, lead: Rating) -> Measures:
    rating = _sum(lead, pool.table.rating(place))
    against = {"baseline_win_percent": pool.against_baseline[place].win_percent} if pool.against_baseline else {}
    return {
        "rank": rank,
        "origin": each.origin,
        "parents": " ".join(each.parents) or None,
        **score_measures(pool.scores[place]),
        **against,
        "elo": rating.elo,
        "elo_se": rating.se,
        "work_ratio": pool.work_ratio[each.player.name],
        "weights": len(each.player.network.learned.weights),
        "training_games": each.games,
        "rms_error": each.rms_error,
        **each.genes.by_name(),
    }


def _next(
    config: EvolutionConfig, breeding: NetworkBreeding, generation: int, ranked: Sequence[_Trained], mined: str
) -> list[_Individual]:
    """Return the next population: some train on, and the others are their children.

    Large networks learn more slowly and may learn more in the end. So the best of each order of magnitude goes on
    first, as far as there is room, and the largest of them has a child with the best of all. Another child is the best
    with the tuples that were mined. In the last generation there are no children.
    """
    settings = config.networks
    size, last = settings.size_of(generation), generation == settings.generations
    first = [] if last else _best_of_each_size(ranked)
    kept = [*first, *(each for each in ranked if each not in first)][
        : size if last else max(_FEWEST_KEPT, -(-size // 2))
    ]
    people = [
        _Individual(individual_name(generation, number), each.genes, "elite", (each,))
        for number, each in enumerate(kept, 1)
    ]
    best, largest = kept[0], max(kept, key=_weights)
    if largest is not best and len(people) < size and breeding.fit_together(best.genes, largest.genes):
        both = breeding.union(best.genes, largest.genes)
        people.append(_Individual(individual_name(generation, len(people) + 1), both, "child", (best, largest)))
    grown = breeding.grown(best.genes, mined) if mined else None
    if grown is not None and len(people) < size:
        people.append(_Individual(individual_name(generation, len(people) + 1), grown, "mined", (best,)))
    for number in range(len(people) + 1, size + 1):
        rng = random.Random(derive_seed(config.seed, "network child", generation, number))
        genes, parents = breeding.child([each.genes for each in kept], rng)
        people.append(
            _Individual(individual_name(generation, number), genes, "child", tuple(kept[place] for place in parents))
        )
    return people


def _best_of_each_size(ranked: Sequence[_Trained]) -> list[_Trained]:
    """Return the best network of each order of magnitude of weights, the best first."""
    best: dict[int, _Trained] = {}
    for each in ranked:
        best.setdefault(len(str(_weights(each))), each)
    return list(best.values())


def _weights(each: _Trained) -> int:
    return len(each.player.network.learned.weights)


def _sum(lead: Rating, rating: Rating) -> Rating:
    """Return the lead of a player over the origin of a lead, from its rating against the one who has that lead."""
    return Rating(lead.elo + rating.elo, (lead.se**2 + rating.se**2) ** 0.5)
