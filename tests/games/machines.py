"""The machines of the bundled games, each prepared once for all tests here."""

import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from gdl_miner.agent.reasoner.machine import Machine, State, load_machine


class Turn(NamedTuple):
    """A state of a playout with the legal moves and the joint move, by name."""

    state: State
    legal: list[list[str]]  # [role]
    joint: list[str]  # [role]; empty in the last state


@cache
def machine(game: str) -> Machine:
    """Prepare the machine of a bundled game from its rules, without the cache of earlier runs."""
    return load_machine(game, cache=False)


def random_playout(game: Machine, seed: int) -> Iterator[Turn]:
    """Yield the turns of a uniformly random playout, the terminal state last."""
    dice, state = random.Random(seed), game.initial()
    while not game.terminal(state):
        rows = [[int(row) for row in found] for found in game.legal(state)]
        joint = [dice.choice(found) for found in rows]
        names = [[game.circuit.moves[row] for row in found] for found in rows]
        yield Turn(state, names, [game.circuit.moves[row] for row in joint])
        state = game.next(state, joint)
    yield Turn(state, [], [])
