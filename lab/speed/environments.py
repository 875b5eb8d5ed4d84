"""Vector environments on one core, beside the random playouts of the lanes in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Annotated

import numpy as np
import typer

from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.api.game import Game
from gdl_miner.api.vector_env import DRAWN, VectorEnv
from lab.options import Games, Rounds, Seconds, SharedFolder, loaded_games
from lab.tables import Column, Row, StudyTable, game_column

_GAMES = ("connectfour.ext", "breakthrough.ext", "othello.ext", "hex11.ext", "tictactoe.ext")
_SIZES = (64, 512, 4096)
_STEPS = 64  # steps of a call that makes many, and calls between two looks at the clock

Sizes = Annotated[
    list[int] | None,
    typer.Option("--size", min=1, max=MAX_COUNT, help="Games of an environment; give it again for more."),
]


def environments(
    game: Games = None, size: Sizes = None, seconds: Seconds = 1.0, rounds: Rounds = 5, shared: SharedFolder = None
) -> Iterator[StudyTable]:
    """Steps of vector environments per second, as shares of the states per second of the lanes' random playouts.

    The lanes play 512 games at once. A step is a joint move in one game; games that are over make none. *Many* draws
    64 steps in a call, *one* draws one. *Given* is the time of `step` alone, with an action of every role that is to
    move. *Loop* is all that random play through Python needs: the mask of legal actions, drawn actions, the step,
    rewards and ends. All kinds have their turn in each round, and their best rounds are compared.
    """

    def rows() -> Iterator[Row]:
        for name, machine in loaded_games(game or _GAMES, shared):
            for count in size or _SIZES:
                env = VectorEnv(Game(machine), count, seed=1)
                kinds = {"many": _many, "one": _one, "given": _given, "loop": _loop}
                best = dict.fromkeys(("lanes", *kinds), 0.0)
                share = seconds / rounds / len(best)
                for number in range(rounds):
                    totals = machine.playouts(seconds=share, seed=number)
                    best["lanes"] = max(best["lanes"], totals.states / totals.cpu_seconds)
                    for kind, step in kinds.items():
                        best[kind] = max(best[kind], _rate(env, step, share))
                yield {
                    "game": name,
                    "size": count,
                    "lanes_states_per_s": best["lanes"],
                    **{f"{kind}_steps_per_s": best[kind] for kind in kinds},
                    **{kind: best[kind] / best["lanes"] for kind in kinds},
                }

    columns = (
        game_column(),
        Column("size", "games", 6),
        Column("lanes_states_per_s", "lanes states/s", 14),
        Column("many_steps_per_s", "many steps/s", 14),
        Column("many", "× lanes", 8, ".2f"),
        Column("one", "one", 6, ".2f"),
        Column("given_steps_per_s", "given steps/s", 14),
        Column("given", "× lanes", 8, ".3f"),
        Column("loop", "loop", 7, ".3f"),
    )
    yield StudyTable(columns, rows())


def _rate(env: VectorEnv, step: Callable[[VectorEnv], float], seconds: float) -> float:
    """Return the joint moves per processor second; `step` makes some and returns the seconds that count."""
    env.step_random(_STEPS)  # games are at different stages from here on
    spent, moves, end = 0.0, env.moves, time.process_time() + seconds
    while time.process_time() < end:
        spent += step(env)
    return (env.moves - moves) / spent


def _many(env: VectorEnv) -> float:
    begin = time.process_time()
    env.step_random(_STEPS)
    return time.process_time() - begin


def _one(env: VectorEnv) -> float:
    begin = time.process_time()
    for _ in range(_STEPS):
        env.step_random()
    return time.process_time() - begin


def _given(env: VectorEnv) -> float:
    spent = 0.0
    for _ in range(_STEPS):
        actions = np.where(env.to_move, env.random_actions(), DRAWN)
        begin = time.process_time()
        env.step(actions)
        spent += time.process_time() - begin
    return spent


def _loop(env: VectorEnv) -> float:
    mask = env.legal_action_mask()
    begin = time.process_time()
    for _ in range(_STEPS):
        env.legal_action_mask(out=mask)
        env.step(env.random_actions())
        np.count_nonzero(env.terminated)
        env.rewards.sum(axis=0)
    return time.process_time() - begin
