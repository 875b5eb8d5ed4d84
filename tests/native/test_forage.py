"""Forages are those of the reference implementation, on every processor and however they are cut into parts."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent.values import ValueLayout
from gdl_miner.miner.learners.culture.forages import (
    Ants,
    Beliefs,
    Colony,
    Foraged,
    ForageSettings,
    Landscape,
    LandscapeLayer,
    Population,
    forage,
    join_foraged,
)
from tests.instruction_sets import EACH_SET
from tests.native.naive_forage import NaiveForage
from tests.search.positions import machine_of
from tests.values.random_values import random_layout

PLAYERS = 3  # of each role
GAMES = 4
WAYS: dict[str, dict[str, Any]] = {
    "even": {},
    "coherent": {"coherent": True, "trace": 0.6},
    "short": {"move_limit": 4},
    "ants": {"landscape": True},
    "beliefs": {"beliefs": True, "exploration": 0.0},
    "everything": {"landscape": True, "beliefs": True, "coherent": True},
}


def settings_of(**changes: Any) -> ForageSettings:
    steps = 0.9 * 0.99 ** np.arange(GAMES)
    usual = ForageSettings(
        seed=7, exploration=0.2, opponent_exploration=0.3, move_limit=300, coherent=False, trace=0.0, steps=steps
    )
    return replace(usual, **changes)


def layer_of(layout: ValueLayout, seed: int, influence: float) -> LandscapeLayer:
    random, machine = np.random.default_rng(seed), layout.machine
    return LandscapeLayer(
        features=random.uniform(0, 1, (len(machine.roles), layout.n_weights)).astype(np.float32),
        moves=random.uniform(0, 1, len(machine.circuit.legal)).astype(np.float32),
        influence=influence,
    )


def ants_of(layout: ValueLayout, seed: int) -> Ants:
    roles = len(layout.machine.roles)
    random, players = np.random.default_rng(seed), np.arange(roles * PLAYERS, dtype=np.int32)
    seats = random.integers(0, PLAYERS, (len(players), GAMES, roles)) + PLAYERS * np.arange(roles)
    for player in players:
        seats[player, :, player // PLAYERS] = player
    return Ants(players, players // PLAYERS, seats.astype(np.int32))


def colony_of(layout: ValueLayout, *, landscape: bool = False, beliefs: bool = False, **settings: Any) -> Colony:
    players, random = len(layout.machine.roles) * PLAYERS, np.random.default_rng(3)
    population = Population.new(players, layout.n_weights)
    population = population._replace(weights=random.normal(0, 0.3, population.weights.shape).astype(np.float32))
    return Colony(
        population=population,
        players=players,
        landscape=Landscape(layer_of(layout, 1, 0.6), layer_of(layout, 2, 0.8)) if landscape else None,
        beliefs=beliefs_of(layout) if beliefs else None,
        settings=settings_of(**settings),
    )


def beliefs_of(layout: ValueLayout) -> Beliefs:
    """Return beliefs in states that were reached in games without beliefs."""
    found = forage(layout, colony_of(layout), ants_of(layout, 5))
    states = np.unique(found.states, axis=0)[::2]
    random, roles = np.random.default_rng(8), len(layout.machine.roles)
    return Beliefs(
        np.concatenate([states] * roles),
        np.repeat(np.arange(roles, dtype=np.int32), len(states)),
        random.uniform(0, 3, roles * len(states)),
    )


def bytes_of(found: Foraged) -> bytes:
    arrays = (*found.learned, *found[1:8])
    return b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game", ["tictactoe.ext", "pennies", "picks", "three", "pebbles"])
def test_a_forage_is_that_of_the_reference_implementation(game: str, way: str) -> None:
    layout = random_layout(machine_of(game), 3, symmetric=way != "ants")
    colony, ants = colony_of(layout, **WAYS[way]), ants_of(layout, 4)
    found, naive = forage(layout, colony, ants), NaiveForage(layout, colony, ants)
    for ant, learned in enumerate(naive.run()):
        for native, plain in zip(found.learned, learned, strict=True):
            assert native[ant].tolist() == [float(each) for each in plain]
    assert found.goals.tolist() == naive.goals
    reached = [each.tolist() for states in naive.reached for each in states]
    assert found.states.tolist() == reached
    assert np.diff(found.start).tolist() == [len(states) for states in naive.reached]
    assert (found.feature_goals == naive.feature_goals).all()
    assert (found.feature_count == naive.feature_count).all()
    assert (found.move_goals == naive.move_goals).all()
    assert (found.move_count == naive.move_count).all()
    assert found[8:] == (naive.squared_error, naive.updates, naive.moves, naive.broken_off)


def test_beliefs_and_landscapes_change_what_is_played() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 3)
    ants = ants_of(layout, 4)
    found = [
        forage(layout, colony_of(layout, exploration=0.0, opponent_exploration=0.0, **way), ants).states.tobytes()
        for way in ({}, {"landscape": True}, {"beliefs": True})
    ]
    assert len(set(found)) == 3


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "pennies", "three"])
def test_the_same_seed_gives_the_same_bytes_with_every_instruction_set_and_in_parts(
    game: str, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = random_layout(machine_of(game), 2)
    colony, ants = colony_of(layout, landscape=True), ants_of(layout, 6)
    whole = forage(layout, colony, ants)
    found = {bytes_of(whole)}
    monkeypatch.setenv("GDL_MINER_ISA", isa)
    wide = replace(colony, settings=replace(colony.settings, at_once=128))
    found.add(bytes_of(forage(layout, wide, ants)))
    found.add(bytes_of(join_foraged([forage(layout, colony, ants.part(*part)) for part in ((0, 2), (2, 99))])))
    assert len(found) == 1
    other = replace(colony, settings=replace(colony.settings, seed=8))
    assert bytes_of(forage(layout, other, ants)) not in found


def test_weights_begin_with_0_where_there_is_no_population() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 3)
    colony, ants = replace(colony_of(layout), population=None), ants_of(layout, 4)
    empty = Population.new(colony.players, layout.n_weights)
    assert bytes_of(forage(layout, colony, ants)) == bytes_of(forage(layout, replace(colony, population=empty), ants))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda ants: replace(ants, seats=ants.seats + 1), "seat"),
        (lambda ants: replace(ants, seats=ants.seats[:, :2].copy()), "one opponent for each game"),
        (lambda ants: replace(ants, roles=ants.roles + 5), "no role"),
        (lambda ants: replace(ants, players=ants.players + 6), "none of the population"),
        (lambda ants: replace(ants, roles=ants.roles[:2]), "differ in length"),
    ],
)
def test_impossible_ants_are_refused(change: Any, said: str) -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 4)
    with pytest.raises(ValueError, match=said):
        forage(layout, colony_of(layout), change(ants_of(layout, 4)))
