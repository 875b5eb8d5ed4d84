"""Training ends after predicted work, whatever the processor and the clock say."""

from dataclasses import replace

import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import (
    Goals,
    LearnedWeights,
    RoundSettings,
    RoundTotals,
    ValueLayout,
    ValueShape,
    layout_for,
    train_round,
)
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.training_work import limited, training_amounts, training_seconds

SETTINGS = RoundSettings(games=1, seed=1, exploration=0.1, opening=2, move_limit=500, step=8.0, trace=0.5)


def totals_of(layout: ValueLayout, settings: RoundSettings) -> RoundTotals:
    return train_round(layout, LearnedWeights.new(layout), settings)[1]


@pytest.mark.parametrize("game", ["tictactoe5.ext", "breakthrough.ext"])
def test_training_ends_soon_after_the_work_that_is_predicted(game: str) -> None:
    machine = load_machine(game)
    layout, sample = layout_for(machine, ValueShape("auto")), PositionSample(machine)
    short, long = (limited(SETTINGS, layout, sample, seconds) for seconds in (0.05, 0.4))
    for settings in (short, long):
        totals = totals_of(layout, settings)
        work = totals.choices * settings.choice_work + totals.afterstates * settings.afterstate_work
        assert settings.work <= work, "games that have begun are played to their ends"
        assert training_seconds(layout, sample, totals.moves) == pytest.approx(work * 1e-9, rel=0.25)
        one_game = work / totals.games
        assert work < settings.work + 64 * one_game
    assert long.work == pytest.approx(8 * short.work)


def test_contents_that_tell_who_may_move_cost_more() -> None:
    machine = load_machine("connectfour7.ext")
    sample = PositionSample(machine)
    plain, playable = (layout_for(machine, ValueShape((Goals(playable=each),))) for each in (False, True))
    less, more = (training_amounts(each, sample) for each in (plain, playable))
    assert more["chosen fact"] == pytest.approx(less["chosen fact"] + 7, abs=1)  # a cell of each column
    assert 1.5 * less["moved tuple"] < more["moved tuple"] < 4 * less["moved tuple"]
    assert more["playable fact"] == 2 * 42
    assert less["playable fact"] == less["playable row"] == less["cost"] == less["distant tuple"] == 0
    assert less["choice"] == less["afterstate"] == 1


def test_games_are_a_limit_beside_work() -> None:
    machine = load_machine("tictactoe.ext")
    layout = layout_for(machine, ValueShape("auto"))
    settings = replace(limited(SETTINGS, layout, PositionSample(machine), 5.0), games=70)
    assert totals_of(layout, settings).games == 70


def test_a_larger_network_plays_fewer_games_in_the_same_predicted_time() -> None:
    machine = load_machine("breakthrough.ext")
    sample = PositionSample(machine)
    small, large = (layout_for(machine, ValueShape(choice)) for choice in ("large", "auto"))  # `auto` has more tuples
    assert (
        totals_of(small, limited(SETTINGS, small, sample, 0.3)).games
        > totals_of(large, limited(SETTINGS, large, sample, 0.3)).games
    )
