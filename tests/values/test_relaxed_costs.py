"""What it costs each role to reach its best goal if nobody stands in its way: `costs`."""

import heapq
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search import PlayerSpec, play_matches
from gdl_miner.agent.values import (
    MOST_COST,
    GoalCosts,
    LearnedWeights,
    StateJudge,
    ValueLayout,
    ValueShape,
    compile_values,
    describe_values,
    layout_for,
    plain_costs,
    plain_value,
    read_shape,
    relaxed_costs,
    train_round,
    tuple_in_words,
    value_function,
    value_of,
    values_of,
)
from tests.instruction_sets import BASELINE, EACH_SET
from tests.native.naive_self_play import facts_of
from tests.native.test_self_play import assert_taught_alike, bytes_of, settings_of
from tests.search.positions import machine_of, random_match
from tests.search.test_values_in_search import WAYS, assert_alike
from tests.values.files import assert_refused, read_back, write
from tests.values.random_values import random_layout, random_weights
from tests.values.test_playable import CROWD

# A pebble goes along a line, a step at a time, or the roles take one of each other's stones away: x wins at the end of
# the line, o with no stone of x left. The roles move at once.
PEBBLE = "\n".join(
    [
        "(role x) (role o) (init (at 1)) (init (stone x a)) (init (stone x b)) (succ 1 2) (succ 2 3) (succ 3 4)",
        "(<= (legal x go) (true (at ?p)) (not (true (at 4))))",
        "(<= (legal x back) (true (at 2)))",
        "(<= (legal o (take ?s)) (true (stone x ?s)))",
        "(legal o rest) (legal x rest)",
        "(<= (next (at ?q)) (true (at ?p)) (does x go) (succ ?p ?q))",
        "(<= (next (at 1)) (does x back))",
        "(<= (next (at ?p)) (true (at ?p)) (does x rest))",
        "(<= (next (stone x ?s)) (true (stone x ?s)) (not (does o (take ?s))))",
        "(<= (left) (true (stone x ?s)))",
        "(<= (goal x 100) (true (at 4))) (<= (goal x 0) (not (true (at 4))))",
        "(<= (goal o 100) (not (left))) (<= (goal o 0) (left))",
        "(<= terminal (true (at 4))) (<= terminal (not (left)))",
    ]
)


@cache
def machine_named(game: str) -> Machine:
    written = {"crowd": CROWD, "pebble": PEBBLE}
    return load_machine(parse_sheet(written[game], game)) if game in written else machine_of(game)


def states_of(machine: Machine, matches: int = 1) -> NDArray[np.uint64]:
    dice = Random(4)
    return np.array([state for _ in range(matches) for state, _ in random_match(machine, dice)])


def costs_of(machine: Machine, states: NDArray[np.uint64]) -> NDArray[np.int64]:
    costs = relaxed_costs(machine)
    assert costs is not None
    return costs.of_states(machine, states)


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize(
    "game", ["tictactoe.ext", "connectfour.ext", "breakthrough.ext", "hex5.ext", "teeko.ext", "crowd", "pebble"]
)
def test_costs_are_those_of_the_plain_twin(game: str, isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = machine_named(game)
    monkeypatch.setenv("GDL_MINER_ISA", isa)
    states = states_of(machine)[::7]
    costs = relaxed_costs(machine)
    assert costs is not None
    expected = [[plain_costs(machine, role, state) for role in costs.roles] for state in states]
    assert costs.of_states(machine, states)[:, list(costs.roles)].tolist() == expected


def test_rules_that_copy_each_other_in_a_circle_are_compiled() -> None:
    rules = [
        "(role white) (role black) (init (control white)) (init (stone 1)) (init (stone 2))",
        "(<= (legal ?r (take ?s)) (true (control ?r)) (true (stone ?s))) (<= (legal ?r rest) (role ?r))",
        "(<= (next (control white)) (true (control black))) (<= (next (control black)) (true (control white)))",
        "(<= (next (stone ?s)) (true (stone ?s)) (not (taken ?s))) (<= (taken ?s) (does ?r (take ?s)))",
        "(<= p q) (<= p (true (control white))) (<= q p) (<= q (true (control black))) (<= left (true (stone ?s)))",
        "(<= (goal ?r 100) (role ?r) (not p) (not left)) (<= (goal ?r 0) (role ?r) left) (<= terminal (not left))",
    ]
    machine = load_machine(parse_sheet("\n".join(rules), "circle"))
    assert costs_of(machine, machine.initial()[None]).tolist() == [[2, 2]]


def test_roles_without_a_changing_cost_take_no_steps() -> None:
    alone = PEBBLE.replace("(<= (goal o 100) (not (left))) (<= (goal o 0) (left))", "(goal o 100)")
    both, one = relaxed_costs(machine_named("pebble")), relaxed_costs(load_machine(parse_sheet(alone, "alone")))
    assert both is not None
    assert one is not None
    assert one.roles == (0,)
    assert len(one.step_shape) < len(both.step_shape)


def test_moves_of_a_pebble_and_of_stones_are_counted() -> None:
    machine = machine_named("pebble")
    assert costs_of(machine, machine.initial()[None]).tolist() == [[3, 2]]


def test_loops_of_costs_are_gone_through_until_nothing_changes() -> None:
    machine = machine_of("hex5.ext")
    costs = relaxed_costs(machine)
    assert costs is not None
    states = states_of(machine)
    alone = _native.cost_reads(machine.native, costs, states, np.arange(len(states) + 1))
    together = _native.cost_reads(machine.native, costs, states, np.array([0, len(states)]))
    once = len(costs.initial) + len(costs.step_slots)
    assert once < min(alone), "steps of a loop run again where something changes"
    assert max(alone) <= together[0] < sum(alone), "the steps that run again in some state run for all"


def test_hex_costs_the_stones_of_the_shortest_path() -> None:
    machine = machine_of("hex5.ext")
    states = states_of(machine, 3)
    found = costs_of(machine, states)
    for state, costs in zip(states, found, strict=True):
        held = {machine.fluents[i] for i in np.flatnonzero(unpack_states(state, len(machine.fluents)))}
        assert costs.tolist() == [_path(held, "red", "blue", 0), _path(held, "blue", "red", 1)]


def _path(held: set[str], own: str, other: str, axis: int) -> int:
    """Return the stones that a path from edge to edge lacks, by the algorithm of Dijkstra."""
    cells = list(product(range(1, 6), repeat=2))
    price = {(x, y): 0 if f"(cell {x} {y} {own})" in held else 1 for x, y in cells}
    price |= {(x, y): MOST_COST for x, y in cells if f"(cell {x} {y} {other})" in held}
    queue = [(price[cell], cell) for cell in cells if cell[axis] == 1]
    done: set[tuple[int, int]] = set()
    heapq.heapify(queue)
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell[axis] == 5:
            return min(cost, MOST_COST)
        if cell in done:
            continue
        done.add(cell)
        for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, -1), (-1, 1)):
            beside = (cell[0] + dx, cell[1] + dy)
            if beside in price:
                heapq.heappush(queue, (cost + price[beside], beside))
    return MOST_COST


@pytest.mark.parametrize(("game", "costs"), [("connectfour.ext", 4), ("breakthrough.ext", 6), ("yavalath.ext", 3)])
def test_the_start_costs_a_line_or_the_way_of_a_pawn(game: str, costs: int) -> None:
    machine = machine_of(game)
    assert costs_of(machine, machine.initial()[None]).tolist() == [[costs, costs]]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("game", ["tictactoe.ext", "crowd"])
def test_native_values_are_those_of_the_twin(game: str, symmetric: bool) -> None:
    machine = machine_named(game)
    states = states_of(machine, 3)
    layout = random_layout(machine, 2, symmetric=symmetric, playable=game == "crowd", costs=True)
    weights = np.round(random_weights(layout, 2) * 65536).astype(np.float32) / np.float32(65536)
    found = value_function(layout, weights).values(states, machine.native) / 100
    facts = [np.array(facts_of(layout, state), np.int32) for state in states]
    padded = np.pad(weights, (0, 10**5))
    expected = [[plain_value(layout.network, padded, each, role) for role in (0, 1)] for each in facts]
    assert np.abs(found - expected).max() < 1e-9


@pytest.mark.parametrize("game", ["tictactoe.ext", "crowd"])
def test_the_weights_are_those_of_the_reference_implementation(game: str) -> None:
    layout = random_layout(machine_named(game), 3, playable=game == "crowd", costs=True)
    settings = settings_of(games=3, seed=5, trace=0.7, step=4.0, opening=3)
    start = LearnedWeights.new(layout)._replace(weights=random_weights(layout, 1, 0.2))
    assert_taught_alike(layout, start, settings)


@pytest.mark.parametrize("isa", EACH_SET)
def test_every_instruction_set_teaches_the_same(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = random_layout(machine_of("hex5.ext"), 2, costs=True)
    found = set()
    for name in (BASELINE, isa):
        monkeypatch.setenv("GDL_MINER_ISA", name)
        found.add(bytes_of(train_round(layout, LearnedWeights.new(layout), settings_of(games=40, seed=9))[0]))
    assert len(found) == 1


@pytest.mark.parametrize("way", ["values alone", "values of moves"])
@pytest.mark.parametrize("game", ["tictactoe.ext", "crowd"])
def test_a_match_is_that_of_the_reference_search(game: str, way: str) -> None:
    machine = machine_named(game)
    layout = random_layout(machine, 2, playable=game == "crowd", costs=True)
    values = value_function(layout, random_weights(layout, 2, 0.5))
    assert_alike(machine, PlayerSpec(playouts=12, parameters=Parameters(**WAYS[way]), values=values), 4)


def test_players_of_one_game_look_at_the_same_costs() -> None:
    machine = machine_named("pebble")
    layout = random_layout(machine, 1, costs=True)
    costs = layout.relaxed
    assert costs is not None
    weights = np.zeros(layout.n_weights, np.int32)
    others = replace(costs, role_slots=costs.role_slots[::-1].copy())
    players = [
        PlayerSpec(
            playouts=8, values=_native.ValueFunction(machine.native, replace(layout.network, costs=each), weights)
        )
        for each in (costs, others)
    ]
    with pytest.raises(ValueError, match="players of one game look at different relaxed costs"):
        _moves(machine, players)


def test_players_may_look_at_different_derived_facts() -> None:
    machine = machine_named("crowd")
    kinds = [{"playable": True}, {"costs": True}, {"playable": True, "costs": True}, {}]
    parameters = Parameters(**WAYS["values of moves"])
    players = []
    for number, kind in enumerate(kinds):
        layout = random_layout(machine, number, **kind)
        function = value_function(layout, random_weights(layout, number, 0.5))
        players.append(PlayerSpec(playouts=20, parameters=parameters, values=function))
    for own, other in product(players[:2], players):
        alone = _moves(machine, [own, PlayerSpec(playouts=20)])
        assert _moves(machine, [own, PlayerSpec(playouts=20), other]) == alone


def _moves(machine: Machine, players: list[PlayerSpec]) -> bytes:
    """Play matches of the first two players, with others beside them, and return the moves."""
    seats = np.array([[0, 1], [1, 0]] * 3 + [[len(players) - 1] * 2], np.int32)
    names = [str(number) for number in range(len(seats))]
    record = play_matches(machine, players, seats, range(len(seats)), names)
    return record.moves[: record.start[6]].tobytes()


def test_the_shape_has_a_text_of_its_own() -> None:
    assert read_shape("costs") == GoalCosts()
    assert str(GoalCosts()) == "costs"
    for text in ("costs 2", "costs anywhere", "costs playable"):
        with pytest.raises(ValueError, match="'costs'"):
            read_shape(text)


def test_games_in_which_costs_do_not_change_refuse_it() -> None:
    machine = machine_of("checkers.ext")
    assert relaxed_costs(machine) is None
    with pytest.raises(
        ConfigError, match=r"'costs': what it costs .* does not change in this game; leave the shape out"
    ):
        laid(machine)


def laid(machine: Machine) -> ValueLayout:
    return layout_for(machine, ValueShape((GoalCosts(),)))


def test_values_survive_a_knowledge_file_and_are_told_in_words(tmp_path: Path) -> None:
    machine = machine_of("tictactoe.ext")
    layout = laid(machine)
    weights = random_weights(layout, 4, 0.3)
    values = values_of(layout, weights)
    states = states_of(machine, 2)
    expected = value_function(layout, weights).values(states, machine.native)
    found = read_back(values, machine, tmp_path / "values.xml")
    assert compile_values(found, machine).values(states, machine.native) == pytest.approx(expected, abs=0.5)
    assert 'costs="x o"' in (tmp_path / "values.xml").read_text()
    words = {
        tuple_in_words(each, machine.sheet.display)
        for part in describe_values(found, machine).parts
        for each in part.tuples
    }
    start = "x 3 moves and o 3 moves from the best goal if nobody stood in the way"
    assert start in words
    assert "x 15 moves or more from the best goal if nobody stood in the way" in words
    judge = StateJudge(found, machine)
    told = judge.contributions(machine.initial(), 0)
    assert start in {each.words for each in told}
    assert value_of(told) == pytest.approx(judge.values(machine.initial()[None])[0, 0], abs=0.01)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('costs="x o"', 'costs="x y"', "no role y"),
        ('costs="x o"', 'costs="x x"', "costs of x are in the tuple twice"),
        ('costs="x o"', 'costs="x o" playable="True"', "a tuple of costs has no cells to which roles may move"),
    ],
)
def test_what_makes_no_sense_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    machine = machine_of("tictactoe.ext")
    layout = laid(machine)
    file = write(values_of(layout, random_weights(layout, 1)), machine, tmp_path / "costs.xml")
    file.write_text(file.read_text().replace(old, new))
    assert_refused(file, machine, message, new)
