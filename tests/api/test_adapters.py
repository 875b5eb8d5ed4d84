"""Games in PettingZoo, Gymnasium and OpenSpiel are those of the library's states, and pass the tests of these."""

import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl_miner
from gdl_miner import Game, State, VectorEnv
from gdl_miner.agent.errors import ConfigError, MoveError
from tests.api.test_vector_env import DUEL
from tests.search.chance_games import BET, RACE

TEXTS = {"duel": DUEL, "race": RACE, "bet": BET}


def game_named(name: str) -> Game:
    return gdl_miner.loads(TEXTS[name], name) if name in TEXTS else gdl_miner.load(name)


def goal_utility(goal: int) -> float:
    return goal / 50 - 1


# PettingZoo


@pytest.mark.parametrize("name", ["tictactoe.ext", "othello.ext", *TEXTS])
def test_environments_pass_the_tests_of_pettingzoo(name: str) -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    from pettingzoo.test import api_test, seed_test

    game = game_named(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names of agents, and of observations with masks
        api_test(gdl_miner.pettingzoo_env(game), num_cycles=200)
        seed_test(lambda: gdl_miner.pettingzoo_env(game), num_cycles=50)


@pytest.mark.parametrize("name", ["connectfour.ext", "race", "duel"])
def test_matches_of_pettingzoo_are_those_of_states(name: str) -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    game, dice = game_named(name), np.random.default_rng(3)
    env = gdl_miner.pettingzoo_env(game)
    assert env.possible_agents == [role for role in game.roles if role != "random"]
    for match in range(6):
        env.reset(seed=match)
        chosen: dict[str, int] = {}
        before = env.position
        for agent in env.agent_iter():
            seen, reward, ended, _, _ = env.last()
            state = env.position
            if state != before:  # the joint move that led here has the actions of the agents
                made = {action.role: action.id for action in state.history[before.move_number]}
                assert {role: made[role] for role in chosen} == chosen
                before, chosen = state, {}
            assert (seen["observation"] == state.to_array()).all()
            if ended:
                assert state.is_terminal()
                assert reward == goal_utility(state.returns()[game.roles.index(agent)])
                env.step(None)
                continue
            assert reward == 0
            legal = np.flatnonzero(seen["action_mask"]) + game.machine.rows(game.role_number(agent)).start
            assert legal.tolist() == state.legal_ids(agent).tolist()
            assert agent in state.to_move
            action = int(dice.choice(np.flatnonzero(seen["action_mask"])))
            chosen[agent] = game.machine.rows(game.role_number(agent))[action]
            env.step(action)
        assert env.position.is_terminal()


def test_mistakes_in_pettingzoo_are_located() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    env = gdl_miner.pettingzoo_env("tictactoe.ext", observations="planes", render_mode="ansi")
    env.reset()
    assert env.observe("x")["observation"].shape == env.observation_space("x")["observation"].shape == (2, 3, 3)
    assert env.render() == str(env.position)
    with pytest.raises(MoveError, match="x has no action 10; they go from 0 to 9"):
        env.step(10)
    with pytest.raises(MoveError, match="x cannot play noop now"):
        env.step(int(env.game.action("noop", "x").id - env.game.machine.rows(0).start))
    with pytest.raises(ConfigError, match="no render mode is called human"):
        gdl_miner.pettingzoo_env("tictactoe.ext", render_mode="human")
    with pytest.raises(ConfigError, match="no board is known"):
        gdl_miner.pettingzoo_env(game_named("duel"), observations="planes")
    with pytest.raises(ConfigError, match="no observations are called pixels"):
        gdl_miner.pettingzoo_env("tictactoe.ext", observations="pixels")


# Gymnasium


def last_legal(env: VectorEnv) -> NDArray[np.int32]:
    """Choose the last legal action of every role of every game."""
    mask = env.legal_action_mask()
    ranges = [env.action_range(role) for role in env.game.roles]
    columns = [rows.stop - 1 - mask[:, rows.start : rows.stop][:, ::-1].argmax(axis=1) for rows in ranges]
    return np.where(env.terminated[:, None], -1, np.stack(columns, axis=1))


def naive_game(game: Game, role: str) -> Iterator[tuple[State, float, bool]]:
    """Yield what a role sees when it is to move or at the end, where others take the last legal action.

    The actions of the role are sent.
    """
    while True:
        state, action = game.initial_state(), None
        while not state.is_terminal():
            if role in state.to_move:
                action = yield state, 0.0, False
            moves = {each: state.legal_actions(each)[-1] for each in game.roles if each != role}
            state.apply(moves if role not in state.to_move else {**moves, role: action})
        yield state, goal_utility(state.returns()[game.roles.index(role)]), True


@pytest.mark.parametrize(
    ("name", "role"),
    [("tictactoe.ext", "x"), ("tictactoe.ext", "o"), ("connectfour.ext", "red"), ("duel", "one"), ("duel", "two")],
)
def test_games_of_gymnasium_are_those_of_states(name: str, role: str) -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    game, dice = game_named(name), np.random.default_rng(1)
    env = gdl_miner.gymnasium_env(game, 70, role=role, opponents=last_legal)
    naive = [naive_game(game, role) for _ in range(70)]
    seen, infos = env.reset(seed=1)
    expected = [next(each) for each in naive]
    rewards, over = np.zeros(70), np.zeros(70, np.bool_)
    ends = 0
    for _ in range(60):
        assert env.observation_space.contains(seen)
        assert (seen == np.array([state.to_array() for state, _, _ in expected])).all()
        assert rewards.tolist() == [reward for _, reward, _ in expected]
        assert over.tolist() == [ended for _, _, ended in expected]
        rows = env.games.action_range(role)
        actions = np.zeros(70, np.int64)
        for number, (state, _, ended) in enumerate(expected):
            legal = np.flatnonzero(infos["action_mask"][number])
            assert (legal + rows.start).tolist() == ([] if ended else state.legal_ids(role).tolist())
            actions[number] = dice.choice(legal) if len(legal) else 0
        assert env.action_space.contains(actions)
        seen, rewards, over, truncated, infos = env.step(actions)
        assert not truncated.any()
        expected = [each.send(int(action) + rows.start) for each, action in zip(naive, actions, strict=True)]
        ends += over.sum()
    assert ends > 70


def test_games_of_gymnasium_repeat_with_their_seed() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    env = gdl_miner.gymnasium_env(game_named("race"), 20, role="black")

    def match(seed: int) -> list[list[int]]:
        env.reset(seed=seed)
        return [env.step(env.action_masks().argmax(axis=1))[0].tolist() for _ in range(12)]

    first = match(4)
    assert match(4) == first
    assert match(5) != first


def test_wrappers_of_gymnasium_see_whole_episodes() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    envs = RecordEpisodeStatistics(gdl_miner.gymnasium_env("tictactoe.ext", 30, role="x"))
    _, infos = envs.reset(seed=1)
    returns: list[float] = []
    for _ in range(40):
        _, _, over, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        if over.any():
            assert infos["episode"]["l"][over].max() <= 5  # moves of x
            returns += infos["episode"]["r"][over].tolist()
    assert len(returns) > 200
    assert set(returns) == {-1.0, 0.0, 1.0}


def test_mistakes_in_gymnasium_are_located() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    env = gdl_miner.gymnasium_env("tictactoe.ext", 3)
    env.reset(seed=1)
    assert env.render() == tuple(str(env.games.state(number)) for number in range(3))
    with pytest.raises(MoveError, match=r"game 0 of 3: tictactoe\.ext: x cannot play noop"):
        env.step(np.full(3, 9))
    with pytest.raises(MoveError, match=r"game 0 of 3: tictactoe\.ext: x cannot play"):
        env.step(np.full(3, 10))
    with pytest.raises(ConfigError, match=r"give integers\[3\]"):
        env.step(np.zeros(2, np.int64))
    with pytest.raises(ConfigError, match="random moves by chance; take another role"):
        gdl_miner.gymnasium_env(game_named("race"), 3, role="random")


# OpenSpiel


@pytest.mark.parametrize("name", ["tictactoe.ext", "connectfour.ext", *TEXTS])
def test_games_pass_the_tests_of_openspiel(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    game = gdl_miner.openspiel_game(game_named(name))
    pyspiel.random_sim_test(game, num_sims=5, serialize=False, verbose=False)
    at_once = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert (game.get_type().information == at_once) == (name == "duel")


def test_a_search_of_openspiel_plays_our_games_against_ours() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    from open_spiel.python.algorithms import mcts

    game = gdl_miner.openspiel_game("tictactoe.ext", zero_sum=True)
    dice = np.random.RandomState(1)
    theirs = mcts.MCTSBot(game, 2.0, 400, mcts.RandomRolloutEvaluator(2, dice), random_state=dice)
    ours = gdl_miner.openspiel_bot("tictactoe.ext", 1, playouts=2000)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action((theirs, ours)[state.current_player()].step(state))
    assert state.returns() == [0.0, 0.0]


def test_our_search_plays_games_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    game, dice = pyspiel.load_game("connect_four"), np.random.RandomState(2)

    def move_of(state: State, action: int) -> str:
        return next(str(move) for move in state.legal_actions() if str(move).startswith(f"(play {action + 1} "))

    won = 0
    for match in range(6):
        bot = gdl_miner.openspiel_bot("connectfour.ext", match % 2, move_of=move_of, playouts=200, seed=match)
        state = game.new_initial_state()
        while not state.is_terminal():
            ours = state.current_player() == match % 2
            state.apply_action(bot.step(state) if ours else int(dice.choice(state.legal_actions())))
        won += state.returns()[match % 2] > 0
    assert won == 6
    lost = gdl_miner.openspiel_bot("connectfour.ext", 0, playouts=10)
    with pytest.raises(ConfigError, match="move_of"):
        lost.step(game.new_initial_state())


def test_mistakes_in_openspiel_are_located() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    state = gdl_miner.openspiel_game(game_named("bet"), zero_sum=True).new_initial_state()
    state.apply_action(1)
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(side, 0.25) for side in range(4)]
    copy = state.clone()
    state.apply_action(1)
    assert not copy.is_terminal()
    with pytest.raises(ConfigError, match="not of zero sum"):
        state.returns()
    with pytest.raises(ConfigError, match="no player 2"):
        gdl_miner.openspiel_bot("connectfour.ext", 2)


# All of them


@pytest.mark.parametrize(
    ("function", "package", "module"),
    [
        ("pettingzoo_env", "pettingzoo", "pettingzoo_env"),
        ("gymnasium_env", "gymnasium", "gymnasium_env"),
        ("openspiel_game", "pyspiel", "openspiel"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, function: str, package: str, module: str
) -> None:
    monkeypatch.delitem(sys.modules, f"gdl_miner.api.{module}", raising=False)
    for loaded in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, loaded, None)
    counts = (5,) if function == "gymnasium_env" else ()
    with pytest.raises(ConfigError, match=rf"{package} is not installed; pip install 'gdl-miner\[\w+\]'"):
        getattr(gdl_miner, function)("tictactoe.ext", *counts)
