"""Games of random moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import play_arrays


@dataclass(frozen=True, eq=False)
class RandomGame:
    """A game from the initial state to its end."""

    states: NDArray[np.uint64]  # [moves + 1, word] packed
    joints: NDArray[np.int32]  # [moves, role] rows
    goals: tuple[int, ...]  # [role] 0..100, 0 where the rules give none

    @property
    def winner(self) -> int | None:
        """The role whose goal is larger than all others, None if there is none."""
        best = max(range(len(self.goals)), key=self.goals.__getitem__)
        return None if self.goals.count(self.goals[best]) > 1 else best


def play_random_games(machine: Machine, seeds: Sequence[int]) -> list[RandomGame]:
    """Play a game of uniformly random moves for each seed; a game depends on the rules and its seed alone."""
    arrays = play_arrays(machine, [PlayerSpec("random")], np.zeros((len(seeds), len(machine.roles)), np.int32), seeds)
    return [
        RandomGame(
            arrays.states[first:last],
            arrays.moves[first : last - 1],
            tuple(max(0, goal) for goal in arrays.goals[number].tolist()),
        )
        for number, (first, last) in enumerate(zip(arrays.start[:-1], arrays.start[1:], strict=True))
    ]
