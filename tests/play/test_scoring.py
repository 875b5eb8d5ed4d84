import numpy as np

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.values import Lines, ValueShape, layout_for, value_function
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players


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


def test_players_that_leave_nothing_to_chance_meet_in_different_matches_after_random_openings() -> None:
    machine = load_machine("breakthrough.ext")
    layout = layout_for(machine, ValueShape((Lines(2),)))
    weights = [np.random.default_rng(seed).normal(0, 0.3, layout.n_weights).astype(np.float32) for seed in (1, 2)]
    one, other = (PlayerSpec(values=value_function(layout, each)).greedy() for each in weights)
    repeated = score_players(machine, one, other, 40, 1, lambda _: None).score
    assert repeated.win_percent in (0.0, 50.0, 100.0)
    opened = score_players(machine, one, other, 40, 1, lambda _: None, opening_plies=OPENING_PLIES).score
    assert 0 < opened.win_percent < 100
    assert opened.win_percent != 50
