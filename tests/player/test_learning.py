import math
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent import Player
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.player import learning, trial
from gdl_miner.agent.player.learning import Lesson, TimedTraining
from gdl_miner.agent.player.player import SELF_TAUGHT
from gdl_miner.agent.player.trial import Contestant, Trial, compare_values, leaves_time, try_against
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.values import ValueLayout, ValueShape, layout_for, network_shape, value_function
from gdl_miner.agent.values.named_values import LARGEST_WEIGHT
from tests.knowledge.plain import knowledge_of
from tests.search.picks import PICKS

TIMES = (2.0, 4.0, 8.0, 16.0, 32.0)  # seconds for lessons and trials, which are tried until they are enough


@pytest.fixture
def training_by_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a round of training be a hundred games, whatever time they take: a busy processor may play none in time."""
    now, play = 0.0, TimedTraining._train_round

    def train_round(training: TimedTraining, layout: ValueLayout, seconds: float) -> None:
        nonlocal now
        play(training, layout, 60.0)
        now += seconds

    monkeypatch.setattr(learning, "leaves_time", lambda *_, **__: True)  # no game is slow
    monkeypatch.setattr(learning, "_NO_LIMIT", 100)
    monkeypatch.setattr(TimedTraining, "_clock", staticmethod(lambda: now))
    monkeypatch.setattr(TimedTraining, "_train_round", train_round)


def learn_until_tried(player: Player) -> Lesson:
    """Return the first lesson with a trial, for which a busy processor may leave no time in one of them."""
    for seconds in TIMES:
        lesson = player.learn(seconds=seconds)
        if lesson.trial is not None:
            return lesson
    raise AssertionError(f"lessons of {sum(TIMES)} s left no time for a trial")


@pytest.mark.usefixtures("training_by_games")
def test_a_player_that_learns_uses_its_values_from_then_on_and_learns_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "CLEAR_WIN", 0.0)
    monkeypatch.setattr(trial, "LEAST_PLAYOUTS", 1)  # the processor may be busy
    monkeypatch.setattr(learning, "meet", lambda *_, **__: Trial(1.0, 32, 64))
    with Player("connectfour.ext", "white", in_flight=1, parameters={"uct_c": 7.0}) as player:
        assert player.think(playouts=50).playouts == 50
        first = learn_until_tried(player)
        assert first.games > 0
        second = player.learn(seconds=2.0)
        assert second.games > first.games
        assert second.used
        assert (player.parameters.uct_c, player.parameters.value_weight) == (7.0, 1.0)
        thought = player.think(playouts=50)
        assert sum(move.visits for move in thought.moves) >= 50 + len(thought.moves)  # the value of a move is a visit
        assert player.line(thought)
        player.interrupt(for_good=True)
        assert player.learn(seconds=60).games == second.games


@pytest.mark.usefixtures("training_by_games")
def test_a_player_does_not_use_what_loses_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "CLEAR_WIN", 1.01)
    monkeypatch.setattr(trial, "LEAST_PLAYOUTS", 1)  # the processor may be busy
    with Player("connectfour.ext", "white", in_flight=1) as player:
        lesson = learn_until_tried(player)
        assert not lesson.used
        assert player.parameters == Parameters(solver=True)
        thought = player.think(playouts=50)
        assert sum(move.visits for move in thought.moves) == 50


@pytest.mark.usefixtures("training_by_games")
@pytest.mark.parametrize(
    ("result", "share", "use"),
    [
        (None, 1.0, "mixed"),
        (Trial(0.9, 32, 31), 1.0, "mixed"),
        (Trial(0.9, 32, 64), 0.5, "mixed"),
        (Trial(0.9, 32, 32, 40), 0.9, 400),
        (Trial(0.9, 32, 64, 40), 0.7, 640),
        (Trial(0.9, 32, 64), 0.9, "alone"),
        (Trial(0.5, 32, 64), 0.7, "mixed"),  # alone they fail, and mixed they win
    ],
)
def test_values_are_mixed_with_playouts_in_searches_longer_than_those_that_have_tried_them(
    monkeypatch: pytest.MonkeyPatch, result: Trial | None, share: float, use: str | int
) -> None:
    monkeypatch.setattr(learning, "GROWTH", 0.0)
    monkeypatch.setattr(learning, "try_against", lambda *_, **__: result)
    monkeypatch.setattr(learning, "meet", lambda *_, **__: Trial(share, 32, 64))
    with Player("connectfour.ext", "white", parameters={"uct_c": 7.0}) as player:
        lesson = player.learn(seconds=1.0)
        assert lesson.used
        expected = replace(SELF_TAUGHT, uct_c=7.0)
        expected = expected.mixed() if use == "mixed" else expected
        expected = replace(expected, trusted_playouts=use) if isinstance(use, int) else expected
        assert player.parameters == expected
        player.ponder()
        for _ in range(200):
            time.sleep(0.1)
            player.think(playouts=50)
            if player.games_learned > lesson.games:
                break
            player.ponder()
        assert player.games_learned > lesson.games
        assert player.parameters == expected  # better values from the opponent's time are used in the same way


@pytest.mark.usefixtures("training_by_games")
def test_values_are_used_as_the_parameters_of_a_player_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "try_against", lambda *_, **__: None)
    asked = {"value_weight": 1.0, "experience": 1}
    with Player("connectfour.ext", "white", parameters=asked) as player:
        assert player.learn(seconds=1.0).used
        assert player.parameters == SELF_TAUGHT


def trial_of(machine: Machine, tried: PlayerSpec, opponent: PlayerSpec) -> Trial:
    """Return the result of the first trial for which a busy processor leaves time."""
    for seconds in TIMES:
        result = try_against(
            machine, Contestant(tried), Contestant(opponent), length=25, seconds=seconds, seed=1, most_playouts=64
        )
        if result is not None:
            return result
    raise AssertionError(f"{sum(TIMES)} s left no time for a trial")


@pytest.mark.usefixtures("training_by_games")
def test_values_that_value_everything_wrongly_lose_a_trial_that_good_ones_win(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial, "LEAST_PLAYOUTS", 1)  # the processor may be busy
    machine = load_machine("connectfour.ext")
    training = TimedTraining(machine)
    training.train(20.0)
    layout = layout_for(machine, ValueShape("large"))
    good = training.values()
    assert good is not None
    with Player(machine, "white") as plain:
        taught = replace(plain._seat, parameters=SELF_TAUGHT, values=good)
        learned = trial_of(machine, taught, plain._seat)
        wrong = np.linspace(0, LARGEST_WEIGHT, layout.n_weights, dtype=np.float32)
        misled = replace(taught, values=value_function(layout, wrong))
        lost = trial_of(machine, misled, plain._seat)
    assert lost.share < learned.share
    assert not lost.passed
    wrong_values, seed = misled.values, 1
    assert wrong_values is not None
    assert compare_values(machine, good, wrong_values, matches=100, seed=seed) > 0.6
    assert compare_values(machine, wrong_values, good, matches=100, seed=seed) < 0.4


@pytest.mark.usefixtures("training_by_games")
def test_a_player_learns_between_its_moves_while_that_makes_its_values_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "CLEAR_WIN", 0.0)
    monkeypatch.setattr(learning, "GROWTH", 0.0)
    with Player("tictactoe.ext", "x", in_flight=1) as player:
        games = player.learn(seconds=0.5).games
        assert player.games_learned == games
        for _ in range(100):
            player.ponder()
            time.sleep(0.1)
            player.ponder()  # goes on
            player.think(playouts=50)
            if player.games_learned >= 2 * games:
                break
        assert player.games_learned >= 2 * games
        player.ponder()
        assert studies()
    assert not studies()


@pytest.mark.usefixtures("training_by_games")
def test_a_player_searches_between_its_moves_when_learning_has_stopped_growing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "CLEAR_WIN", 0.0)
    monkeypatch.setattr(learning, "GROWTH", 1.01)
    monkeypatch.setattr(learning, "DOUBLED", 1.0)  # both halves of a lesson are compared, whatever games they have
    monkeypatch.setattr(learning, "GAMES_PER_COMPARED", 1)
    with Player("connectfour.ext", "white", in_flight=1) as player:
        games = player.learn(seconds=3.0).games
        player.think(playouts=50)
        player.ponder()
        time.sleep(0.5)
        assert not studies()
        assert sum(move.visits for move in player.think(playouts=50).moves) > 200
        assert player.games_learned == games


def studies() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "study"]


def test_a_player_that_has_no_time_to_lay_out_its_network_does_not_learn() -> None:
    with Player("breakthrough.ext", "white") as player:
        lesson = player.learn(seconds=1e-6)
        assert lesson == Lesson(0, None)
        assert not lesson.used
        assert player.parameters == Parameters(solver=True)


def test_learning_asks_for_time() -> None:
    with Player("tictactoe.ext", "x") as player:
        for seconds in (0.0, -1.0, math.nan):
            with pytest.raises(ConfigError, match="more than 0 seconds"):
                player.learn(seconds=seconds)
            with pytest.raises(ConfigError, match="more than 0 seconds"):
                player.think(seconds=seconds)
        player.close()
        with pytest.raises(ConfigError, match="was closed"):
            player.learn(seconds=1)


@pytest.mark.usefixtures("training_by_games")
@pytest.mark.parametrize(
    ("shares", "network"),
    [([0.8, 0.8, 0.8], "auto"), ([0.7], "large"), ([0.8, 0.7], "large"), ([0.8, 0.8, 0.7], "large")],
)
def test_the_network_that_is_far_ahead_after_every_stage_goes_on(
    monkeypatch: pytest.MonkeyPatch, shares: list[float], network: str
) -> None:
    monkeypatch.setattr(learning, "LEAST_COMPARED", 1)
    monkeypatch.setattr(learning, "DOUBLED", math.inf)  # values of now and of before do not meet
    left = list(shares)
    monkeypatch.setattr(learning, "compare_values", lambda *_, **__: left.pop(0))
    with Player("connectfour.ext", "white") as player:
        lesson = player.learn(seconds=3.0)
        assert lesson.network == network
        assert not left
        later = player.learn(seconds=0.5)
        assert later.games > lesson.games
        assert later.network == network


@pytest.mark.usefixtures("training_by_games")
def test_a_game_too_slow_for_a_trial_gets_the_usual_network(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[float, float]] = []

    def never(_machine: Machine, _opponent: PlayerSpec, *, length: float, seconds: float) -> bool:
        asked.append((length, seconds))
        return False

    monkeypatch.setattr(learning, "leaves_time", never)
    monkeypatch.setattr(learning, "compare_values", lambda *_, **__: pytest.fail("the networks met"))
    with Player("connectfour.ext", "white") as player:
        lesson = player.learn(seconds=3.0)
        assert lesson.network == "auto"
        assert lesson.games > 0
    [(length, seconds)] = asked
    assert 7 < length < 48
    assert seconds == 3.0 * learning.TRIAL_SHARE


@pytest.mark.parametrize(("rate", "enough"), [(2048.0, True), (2047.0, False)])
def test_a_trial_needs_time_for_its_first_batch(monkeypatch: pytest.MonkeyPatch, rate: float, enough: bool) -> None:
    monkeypatch.setattr(trial, "_rate", lambda _machine, _player: rate)
    machine = load_machine("tictactoe.ext")
    with Player(machine, "x") as player:  # 2 · 32 matches of 8 moves with 8 playouts
        assert leaves_time(machine, player._seat, length=8.0, seconds=2.0) == enough


@pytest.mark.usefixtures("training_by_games")
def test_networks_that_are_the_same_do_not_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("breakthrough.ext")
    usual = layout_for(machine, ValueShape("auto"))
    monkeypatch.setitem(network_shape._MOST_WEIGHTS, "large", usual.n_weights)
    monkeypatch.setattr(learning, "LEAST_COMPARED", 1)
    monkeypatch.setattr(learning, "DOUBLED", math.inf)
    monkeypatch.setattr(learning, "compare_values", lambda *_, **__: pytest.fail("the networks met"))
    with Player(machine, "white") as player:
        assert player.learn(seconds=3.0).network == "large"


@pytest.mark.usefixtures("training_by_games")
def test_the_only_role_learns_without_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "DOUBLED", 1.0)
    monkeypatch.setattr(learning, "GAMES_PER_COMPARED", 1)
    monkeypatch.setattr(learning, "compare_values", lambda *_, **__: pytest.fail("a match without opponents"))
    with Player(load_machine(parse_sheet(PICKS, "picks")), "one", parameters={"uct_c": 20.0}) as player:
        lesson = player.learn(seconds=0.5)
        assert lesson.games > 0
        assert lesson.trial is None


def misleading_file() -> Knowledge:
    """Return knowledge of tic-tac-toe whose search never looks beyond the first moves."""
    parameters = Parameters(uct_c=0.0, puct_c=0.0, first_play_urgency=0.0)
    return knowledge_of(load_machine("tictactoe.ext"), parameters=parameters)


@pytest.mark.usefixtures("training_by_games")
def test_a_player_leaves_a_file_that_loses_its_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LEAST_PLAYOUTS", 1)  # the processor may be busy
    with Player("tictactoe.ext", "x", knowledge=misleading_file(), in_flight=1) as player:
        lesson = learn_until_tried(player)
        assert lesson.file_trial is not None
        assert lesson.file_trial.share < 0.5
        assert not lesson.file_used
        taught = (SELF_TAUGHT, SELF_TAUGHT.mixed())  # a busy processor may leave too little time for trust
        unlimited = replace(player.parameters, trusted_playouts=0)
        assert unlimited in (taught if lesson.used else (Parameters(solver=True),))
        assert player.games_learned == (lesson.games if lesson.used else 0)


@pytest.mark.usefixtures("training_by_games")
def test_a_player_keeps_a_file_that_wins_its_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LEAST_PLAYOUTS", 1)  # the processor may be busy
    monkeypatch.setattr(learning, "LEAST_OF_FILES", 0.0)
    file = misleading_file()
    with Player("tictactoe.ext", "x", knowledge=file, in_flight=1) as player:
        lesson = learn_until_tried(player)
        assert lesson.file_used
        assert not lesson.used
        assert player.parameters == file.parameters
        assert player.games_learned == 0
        player.ponder()
        assert not studies()


@pytest.mark.usefixtures("training_by_games")
def test_a_player_with_an_empty_file_plays_and_learns_as_one_without_a_file() -> None:
    some = knowledge_of(load_machine("tictactoe.ext"), parameters=Parameters(uct_c=7.0))
    assert not some.empty
    with Player("tictactoe.ext", "x", knowledge=some.emptied()) as player, Player("tictactoe.ext", "x") as other:
        assert player.parameters == other.parameters
        assert player.think(playouts=300).moves == other.think(playouts=300).moves
        assert player.learn(seconds=0.5).games > 0


def test_a_trial_grows_deeper_as_long_as_its_matches_leave_time(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("tictactoe.ext")
    now, played = [0.0], list[int]()

    def share(_machine: Machine, players: Sequence[PlayerSpec], _seeds: Sequence[int]) -> float:
        played.append(players[1].playouts)
        now[0] += players[1].playouts / 10
        return len(played) / 10

    monkeypatch.setattr(trial.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(trial, "_rate", lambda _machine, _player: 1e6)
    monkeypatch.setattr(trial, "_share", share)
    with Player(machine, "x") as player:
        contestant = Contestant(player._seat)

        def tried(seconds: float, most_playouts: int) -> Trial | None:
            played.clear()
            found = try_against(
                machine, contestant, contestant, length=9, seconds=seconds, seed=1, most_playouts=most_playouts
            )
            assert sum(played) / 10 <= seconds
            return found

        assert tried(20.0, 1000) == Trial(0.3, 32, 128, 128)
        assert played == [8, 32, 128]
        assert tried(12.0, 1000) == Trial(pytest.approx(0.25), 64, 32, 32)  # the mean of the two deepest batches
        assert played == [8, 32, 32]
        assert tried(100.0, 64) == Trial(pytest.approx(0.35), 64, 64, 64)
        assert played == [8, 32, 64, 64]
        assert tried(0.001, 64) is None
