"""The constants that put the values of species on one scale."""

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import ValueLayout, ValueShape, compile_values, layout_for, read_shape, values_of
from gdl_miner.miner.learners.culture.forages import Ants, Colony, Foraged, ForageSettings, Population, forage
from gdl_miner.miner.learners.culture.scale import fit_constants, with_constants
from tests.learners.driving import GAME
from tests.learners.runs import Finished
from tests.search.positions import machine_of

GAMES = 300


def games_of(layout: ValueLayout, weights: NDArray[np.float32]) -> Foraged:
    """Return games between equals from which nobody learns, some for each role."""
    roles = len(layout.machine.roles)
    players = np.arange(roles, dtype=np.int32)
    alike = np.repeat(weights[None], roles, axis=0)
    settings = ForageSettings(1, 0.2, 0.2, 500, coherent=True, trace=0.5, steps=np.zeros(GAMES))
    seats = np.broadcast_to(players[:, None, None], (roles, GAMES, roles)).copy()
    colony = Colony(Population(alike, alike * 0, alike * 0), roles, None, None, settings)
    return forage(layout, colony, Ants(players, players, seats))


def means_by_role(found: Foraged, values: NDArray[np.float64], roles: int) -> list[tuple[float, float]]:
    """Return, for the games of each role, the mean worth to it of its afterstates, game by game, and its mean goal."""
    lengths = np.diff(found.start)
    game = np.repeat(np.arange(len(lengths)), lengths)
    means = []
    for role in range(roles):
        own = np.arange(role * GAMES, (role + 1) * GAMES)
        own = own[(lengths[own] > 0) & (found.goals[own, role] >= 0)]
        worth = np.bincount(game, values[:, role], len(lengths))[own] / lengths[own]
        means.append((float(worth.mean()), float(found.goals[own, role].mean())))
    return means


@pytest.mark.parametrize("shapes", [(), ("block 2x2",)])
@pytest.mark.parametrize("game", ["connectfour.ext", "breakthrough.ext"])
def test_species_that_hope_for_too_much_agree_with_the_results_of_their_games(
    game: str, shapes: tuple[str, ...]
) -> None:
    machine = machine_of(game)
    layout = layout_for(machine, ValueShape(tuple(map(read_shape, shapes)), species=True))
    weights = np.random.default_rng(1).normal(0, 0.1, layout.n_weights).astype(np.float32)
    hopeful = {0: 0.2, 1: -0.2}  # the first part is that of the states after a move of the second role
    for part in layout.parts:
        weights[list(part.facts.values())] -= hopeful[part.turn]
    found = games_of(layout, weights)
    apart = means_by_role(found, compile_values(values_of(layout, weights), machine).values(found.states), 2)
    constants = fit_constants(layout, weights, found)
    values = with_constants(values_of(layout, weights), layout, constants)
    agreed = means_by_role(found, compile_values(values, machine).values(found.states), 2)
    assert set(constants) == {(0, 0), (1, 0)}
    assert any(abs(worth - goal) > 15 for worth, goal in apart)
    for worth, goal in agreed:
        assert worth == pytest.approx(goal, abs=4)


def test_constants_change_no_choice_among_the_afterstates_of_a_role() -> None:
    machine = machine_of("tictactoe.ext")
    layout = layout_for(machine, ValueShape(species=True))
    weights = np.random.default_rng(2).normal(0, 0.3, layout.n_weights).astype(np.float32)
    before = values_of(layout, weights)
    after = with_constants(before, layout, {(0, 0): 0.7, (1, 0): -1.2})
    states = games_of(layout, weights).states
    one, other = (compile_values(each, machine).values(states) / 100 for each in (before, after))
    added = np.log(other / (1 - other)) - np.log(one / (1 - one))
    assert sorted(set(np.round(added[:, 0], 3))) == [-1.2, 0.7]


def test_every_role_has_a_constant_for_every_turn_where_goals_have_no_constant_sum() -> None:
    machine = machine_of("three")
    layout = layout_for(machine, ValueShape(species=True))
    weights = np.zeros(layout.n_weights, np.float32)
    found = games_of(layout, weights)
    constants = fit_constants(layout, weights, found)
    assert {role for _, role in constants} == set(range(len(machine.roles)))
    assert {turn for turn, _ in constants} == set(range(len(layout.turns) + 1))
    values = with_constants(values_of(layout, weights), layout, constants)
    worth = compile_values(values, machine).values(found.states).mean(axis=0)
    assert worth == pytest.approx(found.goals.mean(axis=0), abs=10)


def test_a_player_that_always_wins_has_a_finite_constant() -> None:
    machine = machine_of("tictactoe.ext")
    layout = layout_for(machine, ValueShape(species=True))
    weights = np.zeros(layout.n_weights, np.float32)
    found = games_of(layout, weights)
    sure = fit_constants(layout, weights, found._replace(goals=np.full_like(found.goals, 100)))
    assert all(3 < constant < 8 for constant in sure.values())
    assert fit_constants(layout, weights, found._replace(goals=np.full_like(found.goals, -1))) == {}


def test_the_file_of_a_run_has_a_constant_for_each_turn(finished: Finished) -> None:
    machine = load_machine(GAME)
    knowledge = read_knowledge(finished("culture") / "last.xml", machine.sheet)
    assert knowledge.values is not None
    [turn_fact] = [machine.fluents[fluent] for fluent in layout_for(machine, ValueShape(species=True)).turns]
    told = {
        part.turn: [list(each.weights) for each in part.tuples if each.groups == ((turn_fact,),)]
        for part in knowledge.values.parts
    }
    assert told == {0: [[(turn_fact,)]], 1: [[(".",)]]}
