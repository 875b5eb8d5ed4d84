"""The belief space: afterstates of the fittest players, with what came of them (Sharma 2009, section 9.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_miner.miner.learners.culture.forages import Beliefs


@dataclass(frozen=True, eq=False)
class GameSequence:
    """The afterstates of a player in one game."""

    player: int  # its permanent number
    role: int
    goal: int  # 0..100
    states: tuple[bytes, ...]  # packed


@dataclass(frozen=True)
class Believed:
    """An afterstate in the belief space of a role."""

    goals: int = 0  # sum over all games that went through it
    games: int = 0
    # By accepted player: its sum of goals and number of games that went through the state.
    influences: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def belief(self) -> float:
        """The historic average score plus |P| times the product of the average scores of P (equation 9.1)."""
        scores = [goals / games / 100 for goals, games in self.influences.values()]
        return self.goals / self.games / 100 + len(scores) * math.prod(scores)

    def after(self, goal: int, player: int | None) -> Believed:
        """Return the state after another game; `player` is given where it was accepted to influence the beliefs."""
        influences = dict(self.influences)
        if player is not None:
            goals, games = influences.get(player, (0, 0))
            influences[player] = (goals + goal, games + 1)
        return Believed(self.goals + goal, self.games + 1, influences)


class RoleBeliefs:
    """The beliefs of one role; when there are too many states, those believed in least are evicted."""

    def __init__(self, most: int, eviction: float, states: Mapping[bytes, Believed] | None = None) -> None:
        self.most = most
        self.eviction = eviction  # share of `most` that is evicted at once
        self.states = dict(states or {})  # in the order of their arrival

    def update(self, sequences: Sequence[GameSequence], accepted: Sequence[int]) -> RoleBeliefs:
        """Return the beliefs after the games of a generation (algorithm 6); accepted players come fittest first."""
        after = RoleBeliefs(self.most, self.eviction, self.states)
        influential = set(accepted)
        for each in sequences:
            if each.player not in influential:
                for state in each.states:
                    if state in after.states:
                        after.states[state] = after.states[state].after(each.goal, None)
        for player in accepted:
            for each in sequences:
                if each.player == player:
                    for state in each.states:
                        after.states[state] = after.states.get(state, Believed()).after(each.goal, player)
                        after._evict()
        return after

    def _evict(self) -> None:
        if len(self.states) <= self.most:
            return
        weakest = sorted(self.states, key=lambda state: (self.states[state].belief, state))
        for state in weakest[: max(1, round(self.eviction * self.most))]:
            del self.states[state]


def as_arrays(spaces: Sequence[RoleBeliefs], words: int) -> Beliefs:
    """Return the beliefs of all roles as the native module reads them."""
    flat = [(role, state, each.belief) for role, space in enumerate(spaces) for state, each in space.states.items()]
    states: NDArray[np.uint64] = np.frombuffer(b"".join(state for _, state, _ in flat), "<u8").astype(np.uint64)
    return Beliefs(
        states.reshape(-1, words),
        np.array([role for role, _, _ in flat], np.int32),
        np.array([belief for _, _, belief in flat], np.float64),
    )
