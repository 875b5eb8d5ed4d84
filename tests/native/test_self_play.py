"""Self-play learns what the reference implementation learns, on every processor, and what it learns is right."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.geometry import EMPTY, find_symmetries, geometry_of
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search import PlayerSpec
from gdl_miner.agent.values import (
    CellTuple,
    LearnedWeights,
    RoundSettings,
    ValueLayout,
    average,
    read_shape,
    train_round,
    tuples_of_facts,
    value_function,
)
from tests.instruction_sets import BASELINE, EACH_SET
from tests.native.naive_self_play import Game, NaiveSelfPlay
from tests.search.matches import RANDOM, both_ways, goals_of_first, played
from tests.search.naive_draws import Draws
from tests.search.positions import machine_of
from tests.values.random_values import random_layout, random_weights

WAYS: dict[str, dict[str, Any]] = {
    "plain": {"exploration": 0.0, "opening": 0},
    "exploring": {"exploration": 0.3, "opening": 3},
    "trace": {"trace": 0.7, "exploration": 0.1, "step": 4.0},
    "discount": {"trace": 0.7, "exploration": 0.1, "discount": 0.9},
    "short": {"move_limit": 4, "exploration": 0.1},
}


@dataclass(frozen=True)
class Rates:
    """How far each game changes weights, as in RoundSettings."""

    step: float
    trace: float
    discount: float = 1.0


@dataclass(frozen=True, eq=False)
class PlayedGames:
    """States of games, and what came of them."""

    states: NDArray[np.uint64]  # [state, word] packed, without the last state of each game
    start: NDArray[np.int64]  # [game + 1] into the states
    exploring: NDArray[np.bool_]  # [state] whether a move made there was not the one that seemed best
    goals: NDArray[np.int32]  # [game, role] 0..100; one of them negative where a game was broken off


def learn_from_games(
    layout: ValueLayout, start: LearnedWeights, games: PlayedGames, rates: Rates
) -> tuple[LearnedWeights, float]:
    """Learn from games in their order; return the weights and the mean squared error."""
    *learned, error = _native.learn_values(layout.machine.native, layout.network, *start, games, rates)
    return LearnedWeights(*learned), error


def bytes_of(learned: LearnedWeights) -> bytes:
    return b"".join(each.tobytes() for each in learned)


def settings_of(**changes: Any) -> RoundSettings:
    usual = RoundSettings(games=1, seed=1, exploration=0.1, opening=2, move_limit=500, step=1.0, trace=0.0)
    return replace(usual, **changes)


def assert_taught_alike(layout: ValueLayout, start: LearnedWeights, settings: RoundSettings) -> None:
    learned, totals = train_round(layout, start, settings)
    naive = NaiveSelfPlay(layout, start, settings)
    assert bytes_of(learned) == bytes_of(naive.run())
    assert totals[:3] == (settings.games, naive.moves, naive.broken_off)
    assert learned.weights.any() == (totals.broken_off < totals.games)
    assert totals.squared_error == naive.squared_error / max(1, naive.updates)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("game", ["tictactoe.ext", "pennies", "picks", "three", "pebbles", "race"])
def test_the_weights_are_those_of_the_reference_implementation(game: str, way: str, symmetric: bool) -> None:
    layout = random_layout(machine_of(game), 3, symmetric=symmetric)
    start = LearnedWeights.new(layout)
    if way == "trace":
        start = start._replace(weights=random_weights(layout, 1, 0.2))
    assert_taught_alike(layout, start, settings_of(games=90, seed=5, **WAYS[way]))


@pytest.mark.parametrize("game", ["pennies", "picks", "three", "pebbles", "race", "bet", "wager", "small wager"])
def test_the_weights_of_facts_together_are_those_of_the_reference_implementation(game: str) -> None:
    machine = machine_of(game)
    layout = ValueLayout(machine, (), (), constant_sum=False, blank=EMPTY, groups=tuples_of_facts(machine, 2))
    assert layout.groups
    assert_taught_alike(layout, LearnedWeights.new(layout), settings_of(games=90, seed=5, trace=0.5))


@pytest.mark.parametrize("game", ["tictactoe.ext", "pennies", "picks", "three", "pebbles"])
def test_games_of_other_players_teach_what_the_reference_implementation_learns(game: str) -> None:
    machine = machine_of(game)
    layout = random_layout(machine, 3)
    record = played(machine, RANDOM, 12)
    goals = record.goals.copy()
    goals[5] = -1  # as if the game had been broken off
    spans = [slice(first, end - 1) for first, end in zip(record.start[:-1], record.start[1:], strict=True)]
    start = np.cumsum([0, *(span.stop - span.start for span in spans)]).astype(np.int64)
    states = np.concatenate([record.states[span] for span in spans])
    exploring = np.arange(len(states)) % 7 == 3
    games = PlayedGames(states, start, exploring, goals)
    settings = settings_of(step=4.0, trace=0.7, discount=0.95)
    before = LearnedWeights.new(layout)._replace(weights=random_weights(layout, 1, 0.2))
    learned, error = learn_from_games(layout, before, games, Rates(settings.step, settings.trace, settings.discount))
    naive = NaiveSelfPlay(layout, before, settings)
    for number, span in enumerate(spans):
        of_game = Game(Draws(0), 0, machine.initial(), list(record.states[span]))
        of_game.exploring = exploring[start[number] : start[number + 1]].tolist()
        naive.learn(of_game, None if number == 5 else tuple(goals[number].tolist()))
    for native, plain in zip(learned, (naive.weights, naive.error_sum, naive.error_size), strict=True):
        assert native.tolist() == [float(each) for each in plain]
    assert learned.weights.tolist() != before.weights.tolist()
    assert error == naive.squared_error / naive.updates


def test_games_of_another_game_and_starts_that_do_not_fit_are_refused() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 3)
    states = np.stack([machine_of("tictactoe.ext").initial()] * 3)
    goals, exploring = np.full((2, 2), 50, np.int32), np.zeros(3, np.bool_)
    weights, rates = LearnedWeights.new(layout), Rates(1.0, 0.0)
    for start in ([0, 3], [0, 1, 2], [1, 2, 3], [0, 4, 3]):
        with pytest.raises(ValueError, match="where the states of each game begin"):
            learn_from_games(layout, weights, PlayedGames(states, np.array(start, np.int64), exploring, goals), rates)
    right = PlayedGames(states, np.array([0, 1, 3], np.int64), exploring, goals)
    for change, said in (
        ({"goals": goals[:, :1]}, "of other rules"),
        ({"states": np.ascontiguousarray(states[:, :0])}, "of other rules"),
        ({"exploring": exploring[:2]}, "differ in length"),
    ):
        with pytest.raises(ValueError, match=said):
            learn_from_games(layout, weights, replace(right, **change), rates)


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "pennies", "three"])
def test_the_same_seed_gives_the_same_bytes_with_every_instruction_set(
    game: str, isa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = random_layout(machine_of(game), 2)
    settings = settings_of(games=150, seed=9, at_once=128)
    found = set()
    for name in (BASELINE, isa, isa):
        monkeypatch.setenv("GDL_MINER_ISA", name)
        found.add(bytes_of(train_round(layout, LearnedWeights.new(layout), settings)[0]))
    assert len(found) == 1
    other = train_round(layout, LearnedWeights.new(layout), replace(settings, seed=10))[0]
    assert bytes_of(other) not in found


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "pennies", "picks", "three"])
def test_values_stay_goals(game: str) -> None:
    machine = machine_of(game)
    layout = random_layout(machine, 4)
    learned, totals = train_round(layout, LearnedWeights.new(layout), settings_of(games=600, seed=1, step=20.0))
    assert totals.games == 600
    assert np.isfinite(learned.weights).all()
    record = played(machine, RANDOM, 20)
    values = value_function(layout, learned.weights).values(record.states)
    assert values.shape == (len(record.states), len(machine.roles))
    assert values.min() >= 0
    assert values.max() <= 100


def test_games_that_last_too_long_are_broken_off_and_counted() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 4)
    _, totals = train_round(layout, LearnedWeights.new(layout), settings_of(games=70, seed=1, move_limit=3))
    assert totals[:3] == (70, 210, 70)
    _, totals = train_round(layout, LearnedWeights.new(layout), settings_of(games=70, seed=1, move_limit=9))
    assert totals.broken_off == 0


def trained_on_tictactoe(games: int) -> tuple[ValueLayout, LearnedWeights]:
    machine = machine_of("tictactoe.ext")
    symmetries = find_symmetries(machine)
    geometry = geometry_of(machine)
    tuples = [CellTuple(points) for text in ("line 3", "block 2x2") for points in read_shape(text).on(geometry)]
    layout = ValueLayout(machine, symmetries, tuples, constant_sum=True, blank=EMPTY)
    learned, _ = train_round(layout, LearnedWeights.new(layout), settings_of(games=games, seed=3))
    return layout, learned


def test_some_thousand_games_of_tictactoe_teach_to_play_it() -> None:
    machine = machine_of("tictactoe.ext")
    layout, learned = trained_on_tictactoe(12000)
    knowing = PlayerSpec(playouts=2, parameters=Parameters(uct_c=0.0), values=value_function(layout, learned.weights))
    ignorant = replace(knowing, values=value_function(layout, 0 * learned.weights))
    records = [played(machine, [player, RANDOM], both_ways(200)) for player in (knowing, ignorant)]
    losses = [int((goals_of_first(record) == 0).sum()) for record in records]
    assert losses[0] <= 2
    assert losses[1] > 20


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "othello.ext"])
def test_learned_values_of_a_state_and_of_its_images_are_the_same(game: str) -> None:
    machine = machine_of(game)
    geometry, symmetries = geometry_of(machine), find_symmetries(machine)
    tuples = [CellTuple(points) for text in ("line 3", "block 2x2") for points in read_shape(text).on(geometry)]
    groups = tuples_of_facts(machine, 2)
    layout = ValueLayout(machine, symmetries, tuples, constant_sum=True, blank=EMPTY, groups=groups)
    learned, _ = train_round(layout, LearnedWeights.new(layout), settings_of(games=60, seed=3))
    record = played(machine, RANDOM, 5)
    function = value_function(layout, learned.weights)
    expected = function.values(record.states)
    assert len(np.unique(expected)) > 20
    bits = np.unpackbits(record.states.view(np.uint8), axis=1, bitorder="little")
    for symmetry in symmetries:
        images = np.zeros_like(bits)
        images[:, symmetry.fluents] = bits[:, : len(machine.fluents)]
        found = function.values(np.packbits(images, axis=1, bitorder="little").view(np.uint64))
        np.testing.assert_allclose(found[:, list(symmetry.roles)], expected, atol=1e-9)


def test_errors_of_values_shrink_while_games_are_played() -> None:
    layout, learned = trained_on_tictactoe(200)
    settings = settings_of(games=1000, seed=4)
    errors = []
    for _ in range(8):
        learned, totals = train_round(layout, learned, settings)
        errors.append(totals.squared_error)
    assert errors[-1] < errors[0]


# One role walks to place 6, where it has won.
WALK = """
(role walker) (init (at 0))
(<= (legal walker go) (true (at ?n)))
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= terminal (true (at 6)))
(<= (goal walker 100) terminal)
(<= (goal walker 0) (not terminal))
""" + "".join(f"(succ {n} {n + 1})" for n in range(6))


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_wins_that_come_soon_are_worth_more_with_a_discount(discount: float) -> None:
    machine = load_machine(parse_sheet(WALK, "walk"))
    layout = ValueLayout(machine, (), (), constant_sum=False, blank=EMPTY)
    learned = LearnedWeights.new(layout)
    settings = settings_of(games=4000, seed=1, opening=0, exploration=0.0, trace=0.5, step=0.5, discount=discount)
    learned, _ = train_round(layout, learned, settings)
    states = [machine.initial()]
    for _ in range(5):
        states.append(machine.next(states[-1], [rows[0] for rows in machine.legal(states[-1])]))
    values = value_function(layout, learned.weights).values(np.stack(states))[:, 0]
    assert values == pytest.approx([50 + 50 * discount ** (6 - place) for place in range(6)], abs=0.5)


def test_nobody_foresees_chance_that_moves_at_the_same_time() -> None:
    machine = machine_of("wager")  # the better guess is right in 60 of 100 cases
    layout = ValueLayout(machine, (), (), constant_sum=False, blank=EMPTY, groups=tuples_of_facts(machine, 2))
    learned, _ = train_round(layout, LearnedWeights.new(layout), settings_of(games=4000, trace=0.5, opening=0))
    values = value_function(layout, learned.weights).values(machine.initial()[None])[0]
    assert values[machine.circuit.chance_role] == 0
    assert 50 < values[0] < 70  # with foresight every guess would be right


# A die is thrown while the thrower bets; the bold bet wins unless the die shows the first face.
BOLD = """
(role thrower) (role random) (init betting)
(<= (legal thrower bold) (true betting)) (<= (legal thrower careful) (true betting))
(<= (legal random (fall ?f)) (face ?f) (true betting))
(<= (next brave) (does thrower bold)) (<= (next (fell ?f)) (does random (fall ?f)))
(<= terminal (not (true betting)))
(<= won (true brave) (not (true (fell 1))))
(<= (goal thrower 100) won) (<= (goal thrower 0) (not won)) (goal random 0)
"""


@pytest.mark.parametrize(("faces", "teaches"), [(8, False), (20, False), (1, True)])
def test_a_move_wins_only_beside_all_moves_of_chance(faces: int, teaches: bool) -> None:
    sheet = BOLD.replace("(fell 1)", "(fell 9)") if teaches else BOLD
    machine = load_machine(parse_sheet(sheet + "".join(f"(face {face})" for face in range(1, faces + 1)), "bold"))
    layout = ValueLayout(machine, (), (), constant_sum=False, blank=EMPTY)
    start = LearnedWeights.new(layout)
    learned, _ = train_round(layout, start, settings_of(games=40, opening=0, exploration=1.0))
    assert (learned.weights != start.weights).any() == teaches


def test_weights_of_several_times_are_averaged() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 4)
    rounds = [train_round(layout, LearnedWeights.new(layout), settings_of(games=8, seed=seed))[0] for seed in (1, 2)]
    for mean, one, other in zip(average(rounds), *rounds, strict=True):
        assert mean.dtype == np.float32
        assert mean == pytest.approx((one + other) / 2)


@pytest.mark.parametrize("game", ["pennies", "picks", "race", "bet", "connectfour7.ext", "breakthrough.ext"])
def test_threads_change_nothing_that_is_learned(game: str) -> None:
    layout = random_layout(machine_of(game), 5)
    start, settings = LearnedWeights.new(layout), settings_of(games=200, seed=3, trace=0.5)
    alone = train_round(layout, start, settings)
    assert alone[0].weights.any()
    for threads in (2, 3, 70):  # with the last there are more threads than games at a time
        learned, totals = train_round(layout, start, replace(settings, threads=threads))
        assert bytes_of(learned) == bytes_of(alone[0])
        assert totals == alone[1]


def test_a_round_that_ends_by_the_clock_keeps_what_its_games_have_taught() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 4)
    start, settings = LearnedWeights.new(layout), settings_of(games=1 << 40, seed=1)
    learned, totals = train_round(layout, start, replace(settings, seconds=0.1))
    assert 0 < totals.games < 1 << 40
    assert learned.weights.any()
    nothing, none = train_round(layout, start, replace(settings, seconds=1e-9))
    assert none.games == 0
    assert not nothing.weights.any()


def test_impossible_settings_are_refused() -> None:
    layout = random_layout(machine_of("tictactoe.ext"), 4)
    start = LearnedWeights.new(layout)
    with pytest.raises(ValueError, match="64"):
        train_round(layout, start, settings_of(at_once=65))
    with pytest.raises(ValueError, match="needs a thread"):
        train_round(layout, start, settings_of(threads=0))
    with pytest.raises(ValueError, match="number of weights"):
        train_round(layout, start._replace(weights=start.weights[1:]), settings_of())
