"""The evolution of networks, in a world where each shape is worth something and training makes the most of it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from deap import base, tools

from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.values import LearnedWeights, RoundTotals, ValuePart, Values, read_shape
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.learner import evolve
from gdl_miner.miner.learners.evolution.network_genes import (
    NetworkGenes,
    NetworkShapes,
    mate_networks,
    mutate_network,
    network_genome,
)
from gdl_miner.miner.learners.evolution.network_population import NetworkBreeding, TrainedIndividual
from gdl_miner.miner.learners.evolution.operators import seeded_global_random
from gdl_miner.miner.learners.evolution.toolbox import Toolboxes, network_toolbox
from gdl_miner.miner.play.rating import RatingTable, Score
from gdl_miner.miner.runs.acceptance import Accepted
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.network_mining import MinedShape
from gdl_miner.miner.runs.network_shapes import KnownShapes
from gdl_miner.miner.runs.networks import NetworkPlayer, NetworkTraining, Pool, TrainedNetwork
from gdl_miner.miner.runs.task import Task
from tests.learners.driving import MAKER, Answers, Changes, driven, new_learner, only
from tests.learners.evolution.world import World, settings_of

WORTH = {"goals": 0, "line 2": 20, "line 3": 60, "block 2x2": -30, "walks 20x4": 90}
KNOWN = KnownShapes(dict.fromkeys(WORTH, 100), auto=("goals",), large=("block 2x2", "goals"))
RIVAL = 40.0
FEW: Changes = {"networks": {"generations": 5, "population": 8}, "evolution": {"generations": 0}}


def strength(player: NetworkPlayer | Entrant) -> float:
    """Return the worth of all shapes, and of the logarithm of the training, which the weights hold; RIVAL of others."""
    if isinstance(player, Entrant):
        return RIVAL
    shapes = player.network.shape.shapes
    assert not isinstance(shapes, str)
    return sum(WORTH[str(shape)] for shape in shapes) + 10 * float(np.log1p(player.network.learned.weights[0]))


def trained(trainings: Sequence[NetworkTraining], **_: Any) -> tuple[TrainedNetwork, ...]:
    """Add the seconds of training to the only weight, which begins with the mean of the parents'."""
    results = []
    for training in trainings:
        begun = [float(parent.learned.weights[0]) for parent in training.parents]
        weights = np.array([sum(begun) / max(1, len(begun)) + training.seconds], np.float32)
        results.append(TrainedNetwork(LearnedWeights(weights, weights, weights), RoundTotals(10, 50, 0, 0.04)))
    return tuple(results)


def rated(players: Sequence[NetworkPlayer], with_baseline: bool, **_: Any) -> Pool:
    elo = np.array([strength(player) for player in players])
    table = RatingTable(elo - elo[0], np.eye(len(elo)))
    score = Score(wins=6, losses=4)
    against = tuple(score for _ in players) if with_baseline else ()
    return Pool(tuple(score for _ in players), table, against, {player.name: 1.0 for player in players}, 40)


def answers() -> Answers:
    return {
        **World().answers(),
        "known_shapes": lambda **_: KNOWN,
        "train_networks": trained,
        "play_pool": rated,
        "mine_shape": lambda **_: MinedShape("", 0, 0.0, 100),
        "reduced": lambda network, shape, **_: replace(network, shape=shape),
        "entrant_of": lambda player, **_: Entrant(player.name, MAKER.valued(player.parameters, 0, None)),
    }


def tasks_of(changes: Changes = FEW) -> list[Task[Any]]:
    return driven(new_learner(EVOLUTION, changes), answers())


def pools(tasks: list[Task[Any]]) -> list[tuple[NetworkPlayer, ...]]:
    return [each["players"] for each in only(tasks, "play_pool")]


def trainings_by_step(tasks: list[Task[Any]]) -> dict[int, list[tuple[NetworkTraining, ...]]]:
    found: dict[int, list[tuple[NetworkTraining, ...]]] = {}
    for each in only(tasks, "train_networks"):
        found.setdefault(each["step"], []).append(each["trainings"])
    return found


def end_of(tasks: list[Task[Any]], step: int) -> dict[str, Any]:
    """Return what was measured of the best of a step."""
    [players] = [each["players"] for each in only(tasks, "end_step") if each["step"] == step]
    best: dict[str, Any] = next(iter(players.values()))
    return best


def test_networks_become_fewer_and_train_longer() -> None:
    trainings = trainings_by_step(tasks_of())
    settings = settings_of("quick", FEW).networks
    first = [only for step in range(1, 5) for only in trainings[step]]
    sizes = [settings.size_of(generation) for generation in range(1, 5)]
    assert [len(each) for each in first] == sizes == sorted(sizes, reverse=True)
    seconds = [{training.seconds for training in each} for each in first]
    assert seconds == [{settings.seconds * settings.growth**generation} for generation in range(4)]


@pytest.mark.parametrize("finalists", [1, 2])
def test_in_the_last_generation_the_best_train_on_without_children(finalists: int) -> None:
    changes = {"finalists": finalists, "final_seconds": 50.0}
    tasks = tasks_of({**FEW, "networks": {"generations": 5, "population": 8, **changes}})
    new = [player for player in pools(tasks)[-2] if player.name.startswith("g004")]
    best = sorted(new, key=strength, reverse=True)[:finalists]
    [trainings] = trainings_by_step(tasks)[5]
    assert all(each.parents[0] is player.network for each, player in zip(trainings, best, strict=True))
    assert {each.seconds for each in trainings} == {50.0}
    assert pools(tasks)[-1][0].name == best[0].name, "the trained network is to beat the best before"


def test_a_long_training_is_several_tasks_and_the_last_averages_weights() -> None:
    tasks = tasks_of({**FEW, "networks": {"generations": 5, "population": 8, "final_seconds": 240.0}})
    parts = [training for [training] in trainings_by_step(tasks)[5]]
    assert [each.seconds for each in parts] == [60.0] * 4
    assert [each.averaged for each in parts] == [0.0, 0.0, 0.0, 1.0], "the last quarter of the whole"
    assert len({each.name for each in parts}) == len({each.settings.seed for each in parts}) == 4
    learned = [float(each.parents[0].learned.weights[0]) for each in parts]
    assert np.diff(learned) == pytest.approx([60.0] * 3), "each goes on where the one before has ended"
    end = only(tasks, "end_step")[-1]["players"]["g005-i001"]
    assert end["training_games"] == end_of(tasks, 4)["training_games"] + 4 * 10


def test_nothing_that_was_learned_is_thrown_away() -> None:
    tasks = tasks_of()
    seconds = [0.0]
    for each in trainings_by_step(tasks).values():
        seconds.append(seconds[-1] + sum(trainings[0].seconds for trainings in each))
    assert [max(float(player.network.learned.weights[0]) for player in pool) for pool in pools(tasks)] == pytest.approx(
        seconds[1:]
    )


def test_the_best_before_stays_in_the_pool_and_the_best_of_all_is_the_result() -> None:
    tasks = tasks_of({**FEW, "acceptance": {"matches": 0}})
    best: NetworkPlayer | None = None
    for pool in pools(tasks):
        assert best is None or pool[0].name == best.name
        best = max(pool, key=strength)
    assert only(tasks, "entrant_of")[-1]["player"].name == best.name
    assert only(tasks, "crown")[-1]["best"] == only(tasks, "validate")[-1]["entrant"].name


def test_shapes_that_are_worth_more_are_found() -> None:
    many = {"generations": 8, "population": 16, "shrink": 1.0}
    found = max(pools(tasks_of({**FEW, "networks": many}))[-1], key=strength)
    shapes = found.network.shape.shapes
    assert not isinstance(shapes, str)
    assert {"line 3", "walks 20x4"} <= set(map(str, shapes))


def test_bare_uct_plays_until_it_is_beaten() -> None:
    def beaten(players: Sequence[NetworkPlayer], with_baseline: bool, step: int, **_: Any) -> Pool:
        pool = rated(players, with_baseline)
        won = Score(wins=8, losses=2) if step == 2 else Score(wins=7, losses=3)
        return Pool(pool.scores, pool.table, tuple(won for _ in pool.against_baseline), pool.work_ratio, 40)

    tasks = driven(new_learner(EVOLUTION, FEW), {**answers(), "play_pool": beaten})
    assert [each["with_baseline"] for each in only(tasks, "play_pool")] == [True, True, False, False, False]


def test_tuples_that_were_mined_are_tried_on_the_best_of_their_generation() -> None:
    cells = "cells 1.1 2.2"

    def worth(players: Sequence[NetworkPlayer], with_baseline: bool, **_: Any) -> Pool:
        return rated(players, with_baseline)

    mined = {**answers(), "play_pool": worth, "mine_shape": lambda **_: MinedShape(cells, 50, 0.1, 100)}
    WORTH[cells] = 500
    try:
        tasks = driven(new_learner(EVOLUTION, FEW), mined)
    finally:
        del WORTH[cells]
    [tried] = [each for each in only(tasks, "accept") if each["part"] == "mined tuples"]
    assert tried["without"].name == f"{tried['player'].name}-without-mined-tuples"
    [reduced] = only(tasks, "reduced")
    assert cells not in map(str, reduced["shape"].shapes)
    asked = only(tasks, "mine_shape")
    assert [each["step"] for each in asked] == [1, 2, 3]
    trainings = [each["trainings"] for each in only(tasks, "train_networks")]
    [grown] = [each for each in trainings[1] if read_shape(cells) in each.shape.shapes]
    assert grown.parents == (asked[0]["player"].network,)
    assert read_shape(cells) in only(tasks, "entrant_of")[0]["player"].network.shape.shapes


def test_the_best_large_network_goes_on_beside_smaller_ones_that_learn_faster() -> None:
    large = "walks 20x4"

    def trained_with_sizes(trainings: Sequence[NetworkTraining], **_: Any) -> tuple[TrainedNetwork, ...]:
        results = []
        for training, result in zip(trainings, trained(trainings), strict=True):
            assert not isinstance(training.shape.shapes, str)
            size = 10 if large in map(str, training.shape.shapes) else 1
            weights = np.resize(result.learned.weights, size)
            results.append(TrainedNetwork(LearnedWeights(weights, weights, weights), result.totals))
        return tuple(results)

    slow = KnownShapes(KNOWN.n_weights, auto=("goals",), large=("block 2x2", large))
    scripted = {**answers(), "known_shapes": lambda **_: slow, "train_networks": trained_with_sizes}
    WORTH[large] = -1000
    try:
        tasks = driven(new_learner(EVOLUTION, FEW), scripted)
    finally:
        WORTH[large] = 90
    sizes = [max(len(player.network.learned.weights) for player in pool) for pool in pools(tasks)]
    assert sizes[:4] == [10] * 4
    assert len(only(tasks, "entrant_of")[-1]["player"].network.learned.weights) == 1, "it never was the best"


def file() -> Knowledge:
    return MAKER.valued(Parameters(uct_c=7.0), 0, Values((), True, "", (), (ValuePart(0, 0, 0, {}, ()),)))


def test_the_player_of_a_file_plays_until_a_network_is_ahead() -> None:
    tasks = driven(new_learner(EVOLUTION, FEW, file()), answers())
    met = [isinstance(each["players"][-1], Entrant) for each in only(tasks, "play_pool")]
    ahead = [
        max(map(strength, pool[: len(pool) - there])) > RIVAL for pool, there in zip(pools(tasks), met, strict=True)
    ]
    assert met[0]
    assert met == [not any(ahead[:generation]) for generation in range(5)]
    assert only(tasks, "validate")[-1]["entrant"].knowledge != file()


def test_the_player_of_a_file_is_the_result_if_no_network_is_ahead() -> None:
    def lost(players: Sequence[NetworkPlayer], with_baseline: bool, **_: Any) -> Pool:
        pool = rated(players, with_baseline)
        return Pool(
            pool.scores, RatingTable(np.append(-pool.table.elo[:-1], 999.0), np.eye(len(players))),
            pool.against_baseline, pool.work_ratio, 40
        )  # fmt: skip

    tasks = driven(new_learner(EVOLUTION, FEW, file()), {**answers(), "play_pool": lost})
    assert only(tasks, "validate")[-1]["entrant"].knowledge == file()
    assert not only(tasks, "try_values"), "what it is worth was found out when the file was made"


def test_elo_is_that_over_the_first_network() -> None:
    tasks = tasks_of()
    [first, *_], *_ = pools(tasks)
    elo = [next(iter(each["players"].values()))["elo"] for each in only(tasks, "end_step")]
    best = [max(map(strength, pool)) for pool in pools(tasks)]
    assert elo == pytest.approx([each - strength(first) for each in best], abs=1e-6)


def test_features_evolve_after_networks_where_there_are_generations_for_them() -> None:
    tasks = tasks_of({**FEW, "evolution": {"generations": 2, "population": 4}})
    assert [each["step"] for each in only(tasks, "end_step")] == [1, 2, 3, 4, 5, 6, 7]
    assert [each["step"] for each in only(tasks, "mine_records")] == [5, 6]
    assert only(tasks, "search_positions")[0]["searcher"].name == "start", "the best network teaches"


@pytest.mark.parametrize("wins", [True, False])
def test_a_search_of_its_own_is_kept_if_it_wins_matches_against_the_usual_one(wins: bool) -> None:
    def fitting(players: Sequence[NetworkPlayer], with_baseline: bool, **_: Any) -> Pool:
        elo = np.array([player.parameters.uct_c for player in players])
        return replace(rated(players, with_baseline), table=RatingTable(elo - elo[0], np.eye(len(elo))))

    def tested(player: Entrant, without: Entrant, part: str, first_round: int, **_: Any) -> Accepted:
        assert (part, first_round) == ("search", 2)
        assert without.knowledge.parameters == settings_of("quick").values.parameters() != player.knowledge.parameters
        return Accepted(wins, 4)

    scripted = {**answers(), "play_pool": fitting, "accept": tested}
    tasks = driven(new_learner(EVOLUTION, {**FEW, "networks": {**FEW["networks"], "mutation": 1.0}}), scripted)
    [test] = only(tasks, "accept")
    assert only(tasks, "validate")[-1]["entrant"].knowledge == test["player" if wins else "without"].knowledge


def test_without_matches_for_it_nothing_is_tested() -> None:
    assert not only(tasks_of({**FEW, "acceptance": {"matches": 0}}), "accept")


def shapes_within(most_weights: int) -> NetworkShapes:
    return NetworkShapes(KNOWN, most_weights)


def first_of(size: int, seed: int) -> list[NetworkGenes]:
    settings = settings_of("quick", {"networks": {"population": size}})
    shapes = shapes_within(300)
    toolbox = network_toolbox(settings, shapes)
    breeding = NetworkBreeding(settings.networks, seed, network_genome(settings.values), shapes, toolbox)
    return [each.genes for each in breeding.first()]


def test_the_first_networks_are_the_usual_ones_and_variants() -> None:
    first = first_of(6, 1)
    assert [each.shapes for each in first[:2]] == [("goals",), ("block 2x2", "goals")]
    assert len(set(first)) == 6
    assert first_of(6, 1) == first != first_of(6, 2)


def test_cells_that_tell_who_may_move_there_are_among_the_first() -> None:
    known = KnownShapes({**KNOWN.n_weights, "block 2x2 playable": 100}, KNOWN.auto, KNOWN.large)
    both = ("block 2x2", "goals")
    assert NetworkShapes(known, 300).usual == (("goals",), both, ("block 2x2 playable", "goals"))


def test_tables_of_each_side_are_among_the_first() -> None:
    more = {"block 2x2 playable": 100, "block 2x2 playable each side": 150, "goals each side": 150}
    usual = NetworkShapes(KnownShapes({**KNOWN.n_weights, **more}, KNOWN.auto, KNOWN.large), 300).usual
    assert usual[2:] == (
        ("block 2x2 playable", "goals"),
        ("block 2x2 playable each side", "goals each side"),
        ("goals each side",),
    )


def test_costs_are_among_the_first_where_the_game_has_some() -> None:
    known = KnownShapes({**KNOWN.n_weights, "costs": 100}, KNOWN.auto, KNOWN.large)
    assert NetworkShapes(known, 300).usual == (("goals",), ("block 2x2", "goals"), ("costs", "goals"))


def test_children_have_the_shapes_of_both_parents_where_there_is_room() -> None:
    one, other = (replace(first_of(2, 1)[0], shapes=each) for each in (("goals", "line 2"), ("block 2x2", "line 3")))
    both = ("block 2x2", "goals", "line 2", "line 3")
    assert [each.shapes for each in mate_networks(one, other, shapes_within(400))] == [both, both]
    assert [each.shapes for each in mate_networks(one, other, shapes_within(300))] == [one.shapes, other.shapes]


def test_mutated_networks_are_small_enough() -> None:
    genes, shapes, seen = first_of(2, 1)[0], shapes_within(300), set()
    with seeded_global_random(1):
        for _ in range(200):
            (genes,) = mutate_network(genes, network_genome(settings_of("quick").values), shapes, 0.3, 0.7)
            assert shapes.fit(genes.shapes)
            seen.add(genes.shapes)
    assert len(seen) > 10
    assert all(read_shape(shape) for each in seen for shape in each)


def test_children_differ_from_all_that_go_on_where_something_may_change() -> None:
    for changes, differ in (
        ({"mutation": 0.0, "new_shapes": 0.7}, True),
        ({"mutation": 0.0, "new_shapes": 0.0}, False),
    ):
        tasks = tasks_of({**FEW, "networks": {**FEW["networks"], "crossover": 0.0, **changes}})
        [second] = trainings_by_step(tasks)[2]
        kinds = {(each.shape, replace(each.settings, seed=0)) for each in second}
        assert (len(kinds) == len(second)) == differ


ISLANDS: Changes = {**FEW, "networks": {**FEW["networks"], "islands": 3, "exchange": 2, "hall_of_fame": 3}}


def test_islands_breed_apart_and_exchange_their_best_by_generation() -> None:
    tasks = tasks_of(ISLANDS)
    islands = {
        name: measures["island"] for each in only(tasks, "end_step") for name, measures in each["players"].items()
    }
    parents = {
        name: (measures["parents"] or "").split()
        for each in only(tasks, "end_step")
        for name, measures in each["players"].items()
    }
    abroad = {
        step: [
            (islands[parent], islands[name])
            for name, of in parents.items()
            if name.startswith(f"g{step:03d}")
            for parent in of
            if islands[parent] != islands[name]
        ]
        for step in (2, 3, 4)
    }
    assert not abroad[2]
    assert set(abroad[3]) <= {(1, 2), (2, 3), (3, 1)}
    assert abroad[3]
    assert not abroad[4]
    sizes = [sum(map(len, trainings)) for trainings in list(trainings_by_step(tasks).values())[:4]]
    assert sizes == [3 * size for size in (8, 5, 3, 2)]
    assert len(trainings_by_step(tasks)[5][0]) == 1, "the best of all islands trains on"


def test_networks_of_an_island_meet_each_other_and_former_champions() -> None:
    for each, former in zip(only(tasks_of(ISLANDS), "play_pool"), range(5), strict=True):
        names = [player.name for player in each["players"]]
        generations = [name.split("-")[0] for name in names]
        assert len(set(names)) == len(names)
        assert sum(one != generations[-1] for one in generations) <= min(former, 3)
        met = [{place for place in group if generations[place] == generations[-1]} for group in each["groups"]]
        assert sum(map(len, met)) == len(set().union(*met)) == generations.count(generations[-1])
        old = {place for place, one in enumerate(generations) if one != generations[-1]}
        assert all(old <= set(group) for group in each["groups"])


@pytest.mark.parametrize("hall_of_fame", [1, 2])
@pytest.mark.parametrize(("behind", "best"), [(20.0, "g005-i001"), (60.0, "g004")])
def test_what_trained_longer_is_the_best_unless_it_is_clearly_weaker(
    hall_of_fame: int, behind: float, best: str
) -> None:
    def lost(players: Sequence[NetworkPlayer], with_baseline: bool, step: int, **_: Any) -> Pool:
        pool = rated(players, with_baseline)
        elo = np.array([*[0.0, -1.0][: len(players) - 1], -behind]) if step == 5 else pool.table.elo
        return replace(pool, table=RatingTable(elo, np.diag([0.0, *[20.0**2] * (len(players) - 1)])))

    changes: Changes = {**FEW, "networks": {**FEW["networks"], "hall_of_fame": hall_of_fame}}
    tasks = driven(new_learner(EVOLUTION, changes), {**answers(), "play_pool": lost})
    assert only(tasks, "entrant_of")[0]["player"].name.startswith(best)


def test_operators_are_replaced_from_outside() -> None:
    asked = []

    def first_always(individuals: Sequence[TrainedIndividual], k: int) -> list[TrainedIndividual]:
        asked.append([each.fitness.values[0] for each in individuals])
        return [individuals[0]] * k

    def toolbox(config: EvolutionConfig, shapes: NetworkShapes) -> base.Toolbox:
        box = network_toolbox(config, shapes)
        box.register("select", first_always)
        box.register("mutate", lambda genes: (replace(genes, shapes=("line 3",)),))
        return box

    method = replace(EVOLUTION, learn=partial(evolve, toolboxes=Toolboxes(networks=toolbox)))
    tasks = driven(new_learner(method, FEW), answers())
    assert asked
    assert all(np.isfinite(elo).all() for elo in asked)
    children = [each for each in trainings_by_step(tasks)[2][0] if each.shape.shapes == (read_shape("line 3"),)]
    assert children


def test_a_selection_of_deap_takes_the_place_of_ours() -> None:
    def toolbox(config: EvolutionConfig, shapes: NetworkShapes) -> base.Toolbox:
        box = network_toolbox(config, shapes)
        box.register("select", tools.selTournament, tournsize=3)
        return box

    method = replace(EVOLUTION, learn=partial(evolve, toolboxes=Toolboxes(networks=toolbox)))
    one, two, usual = (
        [each["trainings"] for each in only(driven(new_learner(each, FEW), answers()), "train_networks")]
        for each in (method, method, EVOLUTION)
    )
    named = [[[training.shape for training in each] for each in run] for run in (one, two, usual)]
    assert named[0] == named[1] != named[2]


def test_genes_reach_the_training_and_the_search() -> None:
    settings = settings_of("quick").values
    genome = network_genome(settings)
    usual = NetworkGenes(("goals",), genome.names, genome.defaults())
    assert usual.parameters(settings) == settings.parameters()
    assert usual.training(settings, 7) == replace(settings.round(1, 0), games=1, seed=7)
    searches: dict[str, Any] = {"uct_c": 33.0, "uct_growth": "log", "experience": 5}
    values = {**dict(zip(genome.names, genome.defaults(), strict=True)), **searches, "opening": 9}
    changed = NetworkGenes(("goals",), genome.names, tuple(values.values()))
    assert changed.parameters(settings) == replace(settings.parameters(), **searches)
    assert changed.training(settings, 7).opening == 9
