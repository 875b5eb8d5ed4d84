import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.features import Fact, FeatureAbsMove, Itemset, WeightedFeature
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import OPERATIONS, search_arrays
from gdl_miner.agent.values import Blocks, Lines, ValueShape, layout_for, value_function
from gdl_miner.miner.play.cost_model import OPERATION_COSTS, PositionSample, SearchWork, equal_playouts
from gdl_miner.miner.play.prepared_game import PreparedGame
from tests.knowledge.plain import knowledge_of
from tests.values.random_values import random_function


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load_machine("connectfour.ext")


def knowing(machine: Machine, **parameters: object) -> PlayerSpec:
    """Return a player that prefers one move of each role."""
    lists = [[WeightedFeature(FeatureAbsMove(moves[0]), 1.0)] for moves in machine.moves]
    knowledge = knowledge_of(machine, lists, (), replace(Parameters(bias=10.0), **parameters))
    return PlayerSpec(playouts=100).with_knowledge(knowledge, machine)


def test_the_work_of_a_player_does_not_depend_on_who_asks(machine: Machine) -> None:
    player = PlayerSpec(playouts=100)
    assert PositionSample(machine).work(player) == PositionSample(machine).work(player)


def test_operations_do_not_depend_on_the_number_of_lanes(machine: Machine) -> None:
    sample = PositionSample(machine)
    player, seeds = (
        replace(knowing(machine, features_in_playouts=False), playouts=20),
        np.arange(len(sample.states), dtype=np.uint64),
    )
    counts = [
        search_arrays(machine, sample.states, player, seeds, last_rows=sample.last_rows, lanes=lanes).work.tolist()
        for lanes in (64, 256)
    ]
    assert counts[0] == counts[1]
    count = dict(zip(OPERATIONS, counts[0], strict=True))
    assert count["playout"] == 20 * len(sample.states)
    assert count["weigh"] == 0 < count["draw"]
    assert 0 < count["score"] <= count["list"]
    assert count["open"] <= count["playout"] <= count["pass"]


def test_loops_are_read_in_every_round(machine: Machine) -> None:
    def literals_of_a_step(machine: Machine) -> float:
        amounts = PositionSample(machine).amounts(PlayerSpec(playouts=20))
        return amounts["literal"] / (amounts["step"] + amounts["playout"] + amounts["open"])

    recursive = load_machine("hex5.ext")
    assert literals_of_a_step(machine) == pytest.approx(_native.step_cost(machine.native))
    assert literals_of_a_step(recursive) > 5 * _native.step_cost(recursive.native)


def test_knowledge_costs_work_and_more_of_it_in_playouts(machine: Machine) -> None:
    sample = PositionSample(machine)
    bare = sample.work(PlayerSpec(playouts=100))
    selecting = sample.work(knowing(machine, features_in_playouts=False))
    both = sample.work(knowing(machine, features_in_playouts=True))
    assert bare < selecting < both


def test_values_cost_work_and_values_of_moves_more_of_it(machine: Machine) -> None:
    sample, values = PositionSample(machine), random_function(machine, 1)
    amounts = [
        sample.amounts(PlayerSpec(parameters=Parameters(experience=experience), playouts=100, values=values))
        for experience in (0, 1)
    ]
    assert 0 < amounts[0]["value"] <= 1 < amounts[1]["value"]
    assert amounts[0]["valued literal"] == 0 < amounts[1]["valued literal"]
    assert amounts[0]["step"] == 0
    work = [
        sample.work(
            PlayerSpec(parameters=Parameters(experience=experience, value_weight=weight), playouts=100, values=of)
        )
        for experience, weight, of in ((0, 1.0, None), (0, 0.5, values), (1, 0.5, values))
    ]
    assert work == sorted(work)


@pytest.mark.parametrize("game", ["breakthrough.ext", "connectfour.ext", "hex5.ext"])
def test_a_solver_costs_little_because_positions_that_it_solves_are_not_searched(game: str) -> None:
    """In matches of files of values it costs 1.1 to 1.4 times as much; in all positions it seemed up to 2.1 times."""
    machine = load_machine(game)
    sample, values = PositionSample(machine), random_function(machine, 1)
    assert 8 <= len(sample.states) < 64
    work = [
        sample.work(PlayerSpec(parameters=Parameters(experience=1, solver=solver), playouts=100, values=values))
        for solver in (True, False)
    ]
    assert 1 < work[0] / work[1] < 1.3


def test_playouts_cost_less_or_more_where_a_search_is_too_long_to_trust_values(machine: Machine) -> None:
    sample, values = PositionSample(machine), random_function(machine, 1)
    bare = PlayerSpec(playouts=3000)

    def player(**parameters: Any) -> PlayerSpec:
        return PlayerSpec(parameters=Parameters(solver=True, **parameters), playouts=3000, values=values)

    alone = sample.work_ratio(player(experience=2), bare)
    mixed = sample.work_ratio(player(value_weight=0.5, experience=0), bare)
    assert alone == sample.work(player(experience=2)) / sample.work(bare)
    assert alone > mixed
    for trusted, ratio in [(1, mixed), (round(3000 / mixed) - 1, mixed), (round(3000 / mixed) + 1, alone)]:
        limited = player(experience=2, trusted_playouts=trusted)
        assert sample.work_ratio(limited, bare) == ratio
        assert sample.work_ratio(bare, replace(limited, playouts=round(3000 / ratio))) == pytest.approx(1 / ratio)
    without = replace(limited, values=None)
    assert sample.work_ratio(without, bare) == sample.work(without) / sample.work(bare)


def test_a_search_is_as_long_as_it_may_be_where_longer_ones_would_cost_too_much() -> None:
    work = SearchWork(trusting=2.0, trusted_playouts=100, mixing=5.0)
    assert [work.of(playouts) for playouts in (1, 100, 101)] == [2.0, 2.0, 5.0]
    assert [total / work.within(total) for total in (100, 200, 400, 500, 505)] == [50, 100, 100, 100, 101]
    work = SearchWork(trusting=2.0, trusted_playouts=100, mixing=5.0, valued_playouts=200, without=8.0)
    assert [work.of(playouts) for playouts in (100, 101, 200, 201)] == [2.0, 5.0, 5.0, 8.0]
    assert [total / work.within(total) for total in (100, 500, 505, 1000, 1600, 1608)] == [50, 100, 101, 200, 200, 201]
    work = SearchWork(trusting=2.0, valued_playouts=100, without=8.0)
    assert [total / work.within(total) for total in (100, 200, 800, 808)] == [50, 100, 100, 101]
    assert SearchWork(3.0).within(10**9) == SearchWork(3.0).of(10**9) == 3.0


def test_decisive_moves_cost_their_gates_at_every_step(machine: Machine) -> None:
    sample, literals = PositionSample(machine), _native.step_cost(machine.native)
    cost = {"off": 1.0} | {moves: machine.decisive_moves(moves).cost for moves in ("decisive", "antidecisive")}
    assert cost["off"] < cost["decisive"] < cost["antidecisive"]
    for moves in cost:
        found = sample.amounts(PlayerSpec(parameters=Parameters(decisive_moves=moves), playouts=100))
        steps = found["step"] + found["playout"] + found["open"]
        assert found["literal"] == pytest.approx(steps * literals * cost[moves])


def test_larger_networks_cost_work_for_every_fact_and_tuple_that_is_read(machine: Machine) -> None:
    game, sample = PreparedGame(machine.sheet, machine.circuit), PositionSample(machine)
    found = []
    for shapes in ((), (Lines(4),), (Lines(4), Blocks((2, 2)))):
        layout = layout_for(game.machine(), ValueShape(shapes))
        function = value_function(layout, np.zeros(layout.n_weights, np.float32))
        player = PlayerSpec(parameters=Parameters(experience=1), playouts=100, values=function)
        found.append((sample.amounts(player), sample.work(player)))
        # A move drops a disc and passes the turn, which is part of no tuple.
        cells = [f for f, name in enumerate(machine.fluents) if name.startswith("(cell")]
        moved = found[-1][0]["moved tuple"] / found[-1][0]["value"]
        assert function.tuples_of_fluents()[cells].min() <= moved <= function.tuples_of_fluents()[cells].max()
    assert found[0][0]["valued fact"] > 0
    assert found[0][0]["moved tuple"] == 0 < found[1][0]["moved tuple"] < found[2][0]["moved tuple"]
    assert [work for _, work in found] == sorted(work for _, work in found)


def with_conditions(machine: Machine, n_conditions: int, **parameters: object) -> PlayerSpec:
    """Return a player that prefers one move of each role, by an itemset of two cells for each of so many features."""
    cells = [name for name in machine.fluents if name.startswith("(cell")]
    few = cells[: math.isqrt(2 * n_conditions) + 2]
    pairs = itertools.islice(itertools.combinations(few, 2), n_conditions)
    itemsets = [Itemset((Fact(one), Fact(other))) for one, other in pairs]
    lists = [[WeightedFeature(FeatureAbsMove(moves[0]), 1.0, each) for each in itemsets] for moves in machine.moves]
    knowledge = knowledge_of(machine, lists, (), replace(Parameters(bias=10.0), **parameters))
    return PlayerSpec(playouts=100).with_knowledge(knowledge, machine)


@pytest.mark.parametrize("in_playouts", [False, True])
def test_64_conditions_cost_little_more_than_one(machine: Machine, *, in_playouts: bool) -> None:
    sample, found = PositionSample(machine), []
    for count in (1, 64):
        amounts = sample.amounts(with_conditions(machine, count, features_in_playouts=in_playouts))
        found.append(sum(OPERATION_COSTS[name] * amounts[name] for name in ("union", "slot", "hit")))
    assert 0 < found[0] < found[1] < 20 * found[0]


def test_conditions_are_counted_as_they_are_evaluated(machine: Machine) -> None:
    player = with_conditions(machine, 300, features_in_playouts=False)
    sample, tables = PositionSample(machine), player.tables
    assert tables is not None
    ranking = replace(player, playouts=1, parameters=replace(player.parameters, expansions=1e-6))
    work = search_arrays(machine, sample.states, ranking, range(len(sample.states)), last_rows=sample.last_rows).work
    count = dict(zip(OPERATIONS, work.tolist(), strict=True))
    facts = unpack_states(sample.states, len(machine.fluents)).astype(bool)
    expected = dict.fromkeys(("union", "slot", "hit"), 0)
    for state, held in zip(sample.states, facts, strict=True):
        (role,) = (role for role, rows in enumerate(machine.native.legal(state)) if len(rows) > 1)
        plan = tables.plans[role * 2 + 1]
        conditions = plan.conditions
        items = [
            {
                fluent
                for fluent in range(len(machine.fluents))
                if item in conditions.fluent_items[slice(*conditions.fluent_start[fluent : fluent + 2])]
            }
            for item in range(len(conditions.item_start) - 1)
        ]
        quartets = {fluent // 4 for (fluent,) in items}  # four facts are looked up at once
        expected["union"] += len(quartets) * math.ceil(len(conditions.size) / 256)
        expected["slot"] += len(plan.slot_value)
        missing = np.zeros(len(conditions.size), np.int64)
        for item, (fluent,) in enumerate(items):
            of_item = conditions.item_conditions[slice(*conditions.item_start[item : item + 2])]
            missing[of_item] += not held[fluent]
        expected["hit"] += int((missing[plan.hit_condition] == 0).sum())
    assert count["rank"] == len(sample.states)
    assert {name: count[name] for name in expected} == expected
    assert count["hit"] > 0


def test_other_roles_draw_less_where_they_know_less(machine: Machine) -> None:
    sample = PositionSample(machine)
    choices = [
        sample.amounts(knowing(machine, features_in_playouts=True, opponent_knowledge=share))["choose"]
        for share in (0.0, 0.5, 1.0)
    ]
    assert choices[0] < choices[1] < choices[2]
    assert choices[0] == pytest.approx(choices[2] / 2, rel=0.1)


def test_every_cost_is_that_of_something_counted(machine: Machine) -> None:
    assert set(PositionSample(machine).amounts(knowing(machine))) == set(OPERATION_COSTS)


def test_equal_work_leaves_a_dearer_player_fewer_playouts_and_at_least_one() -> None:
    assert equal_playouts(100, 2.5) == 40
    assert equal_playouts(2, 100.0) == 1
