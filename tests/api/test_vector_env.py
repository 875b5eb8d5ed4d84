"""Games that step together are in the states of games that step one by one, and say what was done wrong."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl_miner
from gdl_miner import Game, State, VectorEnv
from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, MoveError, RuleError
from gdl_miner.api.vector_env import DRAWN
from tests.corpus import sheet_path
from tests.instruction_sets import SUPPORTED
from tests.search.chance_games import BET, RACE

# Simultaneous moves, one to three roles, goals that are told apart from the rest.
CORPUS = ["roshambo2", "blocker", "tictactoe_3player", "hanoi", "chickentoetictac", "pentago"]
CHANCE = {"race": RACE, "bet": BET}

DUEL = """
(role one) (role two) (init (count 0))
(<= (legal ?r rock) (role ?r)) (<= (legal ?r paper) (role ?r)) (<= (legal one scissors))
(<= (next (played ?r ?m)) (does ?r ?m))
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= terminal (true (count 3)))
(<= (goal one 100) (true (played one paper)) (true (played two rock)))
(<= (goal two 60) (true (played one paper)) (true (played two rock)))
"""
STUCK = """
(goal one 50) (goal two 50)
(role one) (role two) (init start)
(<= (legal one wait)) (<= (legal one go)) (<= (legal two wait) (true start))
(<= (next start) (true start) (does one wait)) (<= (next gone) (does one go))
(<= terminal (true never)) (<= (next never) (true never))
"""


class Naive:
    """The games one by one, by the states of the library."""

    def __init__(self, game: Game, count: int, period: int) -> None:
        self.game, self.period, self.steps = game, period, 0
        self.states = [game.initial_state() for _ in range(count)]
        self.ended = [state.is_terminal() for state in self.states]

    def step(self, joints: NDArray[np.int32]) -> None:
        self.steps += 1
        for number, (state, joint) in enumerate(zip(self.states, joints.tolist(), strict=True)):
            self.ended[number] = False
            if not state.is_terminal():
                state.apply(joint)
                self.ended[number] = state.is_terminal()
            elif self.steps % self.period == 0:
                self.states[number] = self.game.initial_state()

    def mask(self, state: State) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.game.actions), np.bool_)
        for role in self.game.roles:
            mask[state.legal_ids(role)] = True
        return mask

    def check(self, env: VectorEnv) -> None:
        """Check that the games are those of an environment."""
        states = self.states
        assert (env.states == np.array([state.packed for state in states])).all()
        assert env.terminated.tolist() == [state.is_terminal() for state in states]
        nothing = (0,) * len(self.game.roles)
        rewards = [state.returns() if ended else nothing for state, ended in zip(states, self.ended, strict=True)]
        assert env.rewards.tolist() == list(map(list, rewards))
        assert (env.legal_action_mask() == np.array(list(map(self.mask, states)))).all()
        assert (env.facts() == np.array([state.to_array() for state in states])).all()
        names = [tuple(np.array(self.game.roles)[row]) for row in env.to_move]
        assert names == [state.to_move for state in states]


def period_of(game: Game) -> int:
    return len(_native.turns(game.machine.native)[1])


def check_against_naive(game: Game, count: int, steps: int, same_turn: bool) -> None:
    env, drawn = (VectorEnv(game, count, seed=7, same_turn=same_turn) for _ in range(2))
    naive = Naive(game, count, period_of(game) if same_turn else 1)
    naive.check(env)
    for _ in range(steps):
        joints = env.random_actions()
        naive.step(joints)
        env.step(joints)
        drawn.step_random()
        naive.check(env)
        assert (drawn.states == env.states).all()
    assert env.moves == drawn.moves > 0
    assert env.episodes == drawn.episodes


@pytest.mark.slow
@pytest.mark.parametrize("name", gdl_miner.games())
def test_bundled_games_are_those_that_step_one_by_one(name: str) -> None:
    game = gdl_miner.load(name)
    check_against_naive(game, 3, 130, same_turn=True)
    check_against_naive(game, 70, 9, same_turn=False)


@pytest.mark.parametrize("same_turn", [True, False])
@pytest.mark.parametrize("name", ["tictactoe.ext", *CORPUS])
def test_games_that_begin_anew_are_those_that_step_one_by_one(name: str, same_turn: bool) -> None:
    bundled = name in gdl_miner.games()
    check_against_naive(gdl_miner.load(name if bundled else sheet_path(name)), 70, 25, same_turn)


@pytest.mark.parametrize("same_turn", [True, False])
@pytest.mark.parametrize("name", ["duel", *CHANCE])
def test_chance_and_simultaneous_moves_are_those_of_games_one_by_one(name: str, same_turn: bool) -> None:
    check_against_naive(gdl_miner.loads({"duel": DUEL, **CHANCE}[name], name), 140, 30, same_turn)


def test_the_environment_variable_chooses_the_instruction_set() -> None:
    code = (
        "import gdl_miner; env = gdl_miner.VectorEnv('tictactoe.ext', 3, seed=1); env.step_random(25);"
        "print(env._native.instruction_set, env.states.tolist())"
    )
    lines = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "GDL_MINER_ISA": isa},
        ).stdout.split(" ", 1)
        for isa in SUPPORTED
    ]
    assert [isa for isa, _ in lines] == SUPPORTED
    assert len({states for _, states in lines}) == 1


def test_many_steps_at_once_are_the_same_as_one_by_one() -> None:
    one, many = (VectorEnv("connectfour.ext", 600, seed=3) for _ in range(2))
    for _ in range(150):
        one.step_random()
    many.step_random(150)
    assert (one.states == many.states).all()
    assert (one.moves, one.episodes) == (many.moves, many.episodes)
    assert one.episodes > 600


def test_a_seed_repeats_and_other_seeds_differ() -> None:
    env = VectorEnv("connectfour.ext", 5, seed=1)
    env.step_random(9)
    first = env.states
    env.reset(1)
    env.step_random(9)
    assert (env.states == first).all()
    env.reset(2)
    env.step_random(9)
    assert (env.states != first).any()
    env.reset()
    assert not env.terminated.any()


def test_what_is_missing_is_drawn_uniformly() -> None:
    count = 6000
    env = VectorEnv(gdl_miner.loads(DUEL, "duel"), count, seed=1)
    paper = env.game.action("paper", "one").id
    assert env.action_range("two").start == len(env.action_range("one")) == 3
    env.step(np.full(count, paper))
    facts = dict(zip(env.game.facts, env.facts().mean(axis=0).tolist(), strict=True))
    assert facts["(played one paper)"] == 1
    assert facts["(played two rock)"] == pytest.approx(0.5, abs=0.03)
    env.step(np.full((count, 2), DRAWN))
    facts = dict(zip(env.game.facts, env.facts().mean(axis=0).tolist(), strict=True))
    assert facts["(played one paper)"] == pytest.approx(1 / 3, abs=0.03)


def test_games_stay_over_without_autoreset() -> None:
    env = VectorEnv("tictactoe.ext", 40, autoreset=False)
    env.step_random(9)
    assert env.terminated.all()
    last = env.states
    assert not env.legal_action_mask().any()
    assert (env.random_actions() == -1).all()
    env.step(np.full(40, 10**6))  # not read
    assert (env.states == last).all()
    assert not env.rewards.any()
    env.reset(0)
    assert not env.terminated.any()


def test_some_games_begin_anew() -> None:
    env = VectorEnv("tictactoe.ext", 40, autoreset=False)
    assert (env.turns, VectorEnv("tictactoe.ext", 1, same_turn=False).turns) == (2, 1)
    env.step_random(9)
    env.set_autoreset(np.arange(40) < 10)
    env.step_random(env.turns)
    assert env.terminated.tolist() == [False] * 10 + [True] * 30
    env.set_autoreset(True)
    env.step_random(env.turns)
    assert not env.terminated.any()
    with pytest.raises(ConfigError, match=r"give bool\[40\]"):
        env.set_autoreset([True, False])


def test_games_in_the_same_turn_have_the_same_role_to_move() -> None:
    env = VectorEnv("tictactoe.ext", 200, seed=2)
    for _ in range(60):
        env.step_random()
        assert len(np.unique(env.to_move[~env.terminated], axis=0)) <= 1
    assert env.episodes > 200


def test_states_are_loaded() -> None:
    game = gdl_miner.load("connectfour.ext")
    states = [game.initial_state() for _ in range(4)]
    for number, state in enumerate(states):
        state.apply(f"(play {number + 1} 1 white)")
    env = VectorEnv(game, 4)
    env.load(states)
    assert [env.state(number) for number in range(4)] == states
    other = VectorEnv(game, 4, seed=9)
    other.load(env.states)
    assert (other.states == env.states).all()
    free = VectorEnv(game, 4, same_turn=False)
    mixed = [*states[:3], game.initial_state()]
    free.load(mixed)
    assert free.to_move.tolist() == [[False, True]] * 3 + [[True, False]]
    with pytest.raises(ConfigError, match="same_turn=False"):
        env.load(mixed)
    with pytest.raises(ConfigError, match=r"uint64\[3, 3\].*\[4, "):
        env.load(np.zeros((3, 3), np.uint64))
    with pytest.raises(ConfigError, match="a fact that the game lacks"):
        env.load(np.full_like(env.states, 2**64 - 1))
    with pytest.raises(ConfigError, match="a state is one of tictactoe"):
        env.load([gdl_miner.load("tictactoe.ext").initial_state()] * 4)


def test_planes_show_the_board() -> None:
    game = gdl_miner.load("breakthrough.ext")
    env = VectorEnv(game, 3)
    planes = env.board_planes()
    assert planes.shape == (3, len(env.plane_names), 8, 8)
    for name, plane in zip(env.plane_names, planes[0], strict=True):
        for x in range(8):
            for y in range(8):
                held = f"(cell {x + 1} {y + 1} {name})" in game.initial_state().facts
                assert plane[x, y] == held
    assert planes[0].sum() == 32
    with pytest.raises(ConfigError, match="no board is known"):
        VectorEnv(gdl_miner.loads(DUEL, "duel"), 1).board_planes()


def test_answers_are_written_to_arrays() -> None:
    env = VectorEnv("tictactoe.ext", 5)
    out = np.ones((5, len(env.game.actions)), np.bool_)
    assert env.legal_action_mask(out=out) is out
    assert (out == env.legal_action_mask()).all()
    white = env.legal_action_mask("x")
    assert (white == out[:, env.action_range("x").start : env.action_range("x").stop]).all()
    with pytest.raises(ConfigError, match=r"give a contiguous bool\[5, 20\]"):
        env.legal_action_mask(out=np.ones((5, 3), np.bool_))
    with pytest.raises(ConfigError, match="contiguous"):
        env.legal_action_mask(out=np.ones((20, 5), np.bool_).T)
    with pytest.raises(ConfigError, match="no role z"):
        env.legal_action_mask("z")


def test_mistakes_are_located_and_change_nothing() -> None:
    env = VectorEnv("tictactoe.ext", 70, seed=1)
    env.step_random()
    before, actions = env.states, env.random_actions()
    actions[69] = env.game.action("(mark 1 1 x)", "x").id, env.game.action("noop", "o").id
    with pytest.raises(MoveError, match=r"game 69 of 70: tictactoe.ext: x cannot play \(mark 1 1 x\) now; legal: noop"):
        env.step(actions)
    assert (env.states == before).all()
    for wrong in (-2, 20, 2**40):
        with pytest.raises(MoveError, match="out of range" if wrong > 100 else rf"cannot play \(id {wrong}\)"):
            env.step(np.full(70, wrong))
    actions[69, 0] = actions[69, 1] = env.game.action("noop", "x").id
    with pytest.raises(MoveError, match=r"game 69 of 70.*o cannot play noop"):
        env.step(actions)
    with pytest.raises(ConfigError, match=r"int64\[3\]; give integers"):
        env.step([1, 2, 3])
    with pytest.raises(ConfigError, match=r"float64\[70\]"):
        env.step(np.zeros(70))
    assert (env.states == before).all()
    with pytest.raises(ConfigError, match="num_envs is 0"):
        VectorEnv("tictactoe.ext", 0)
    with pytest.raises(ConfigError, match="the seed is -1"):
        env.reset(-1)
    with pytest.raises(ConfigError, match="-1 steps"):
        env.step_random(-1)
    with pytest.raises(ConfigError, match="no game 70"):
        env.state(70)


def test_a_role_without_a_legal_move_is_an_error() -> None:
    game = gdl_miner.loads(STUCK, "stuck")
    go = game.action("go", "one").id
    for wrong in (lambda env: env.step_random(), lambda env: env.random_actions(), lambda env: env.step([-1, -1])):
        env = VectorEnv(game, 2)
        env.step([go, -1])
        with pytest.raises(RuleError, match="two has no legal move"):
            wrong(env)
