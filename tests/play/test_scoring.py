import numpy as np
import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.values import Lines, ValueShape, layout_for, value_function
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.scoring import (
    Equal,
    cost_ratio,
    measure_time_ratio,
    score_equally,
    score_players,
    usual_opening,
)


def test_more_playouts_win_and_the_opponent_may_have_another_budget() -> None:
    machine = load_machine("connectfour.ext")
    report = score_players(machine, PlayerSpec(playouts=60), PlayerSpec(playouts=6), 40, 1, lambda _: None)
    assert report.score.win_percent > 70
    assert (report.playouts, report.opponent_playouts) == (60, 6)


def test_matches_come_in_whole_pairs_and_are_counted_as_they_finish() -> None:
    told: list[int] = []
    machine = load_machine("tictactoe.ext")
    report = score_players(machine, PlayerSpec(playouts=5), PlayerSpec(playouts=5), 7, 1, told.append)
    assert report.score.matches == sum(told) == 8


def test_a_player_takes_as_long_as_itself() -> None:
    player = PlayerSpec(playouts=30)
    ratio = measure_time_ratio(load_machine("connectfour.ext"), player, player, 1)
    assert 0.5 < ratio < 2


def test_a_player_that_takes_four_times_as_long_gets_a_quarter_of_the_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("tictactoe.ext")
    player, opponent = (PlayerSpec(playouts=40, parameters=Parameters(uct_c=c)) for c in (4.0, 1.0))
    monkeypatch.setattr(
        "gdl_miner.miner.play.scoring._search_time", lambda machine, sample, spec, seeds: spec.parameters.uct_c
    )
    sample = PositionSample(machine)
    report = score_equally(machine, sample, player, opponent, 2, 1, lambda _: None, Equal.time)
    assert (report.playouts, report.opponent_playouts) == (10, 40)
    told = report.as_json()
    assert (told["time_ratio"], told["work_ratio"]) == (4.0, None)
    assert cost_ratio(machine, sample, player, opponent, Equal.playouts, 1) == 1.0


def test_players_that_leave_nothing_to_chance_meet_in_different_matches_after_random_openings() -> None:
    machine = load_machine("breakthrough.ext")
    layout = layout_for(machine, ValueShape((Lines(2),)))
    weights = [np.random.default_rng(seed).normal(0, 0.3, layout.n_weights).astype(np.float32) for seed in (1, 2)]
    one, other = (PlayerSpec(values=value_function(layout, each)).greedy() for each in weights)
    assert usual_opening(one, other) == OPENING_PLIES
    assert usual_opening(one, PlayerSpec()) == usual_opening(PlayerSpec(), one) == 0
    repeated = score_players(machine, one, other, 40, 1, lambda _: None).score
    assert repeated.win_percent in (0.0, 50.0, 100.0)
    opened = score_players(machine, one, other, 40, 1, lambda _: None, opening_plies=OPENING_PLIES).score
    assert 0 < opened.win_percent < 100
    assert opened.win_percent != 50
