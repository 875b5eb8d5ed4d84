"""Random games, and the nature of a game: what learning has to know of it, found in them (Kirci 2010, chapter 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import play_arrays
from gdl_miner.miner.learners.gifl.variants import Variants


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


_WITHOUT = 0.2  # share of games without terminal facts from which the game counts as one without


@dataclass(frozen=True)
class GameNature:
    """The facts about a game that its random games show."""

    noop: str | None  # the move of a role that waits; None: there is no such move
    replaces: bool  # whether all states have as many facts, so that facts are replaced and not removed
    terminal_facts: bool  # whether ends of games need some of their facts


@dataclass(frozen=True, eq=False)
class Moves:
    """The legal moves in the states of a game."""

    single: NDArray[np.int32]  # [state, role] the only legal row, -1 where there are more or none
    several: NDArray[np.bool_]  # [state, role] whether there are two or more

    @classmethod
    def of(cls, variants: Variants, game: RandomGame) -> Moves:
        """List the legal moves of all states but the last."""
        machine, n = variants.machine, len(game.joints)
        start, rows = variants.legal_rows(game.states[:n])
        owner = np.repeat(np.arange(n), np.diff(start))
        single = np.full((n, len(machine.roles)), -1, np.int32)
        several = np.zeros((n, len(machine.roles)), np.bool_)
        for role in range(len(machine.roles)):
            own = (rows >= machine.rows(role).start) & (rows < machine.rows(role).stop)
            counts = np.bincount(owner[own], minlength=n)
            alone = own & (counts[owner] == 1)
            single[owner[alone], role] = rows[alone]
            several[:, role] = counts > 1
        return cls(single, several)


def study_game(machine: Machine, games: Sequence[RandomGame]) -> GameNature:
    """Return the nature of a game, as random games show it.

    Raises ConfigError where the game has other than two roles, or both have a choice in some state.
    """
    if len(machine.roles) != 2:
        raise ConfigError(
            f"{machine.sheet.name} has {len(machine.roles)} roles; gifl learns from games of two, so take another "
            "learner"
        )
    sizes = {int(np.bitwise_count(state).sum()) for game in games for state in game.states}
    variants = Variants(machine, replaces=len(sizes) == 1)
    waiting: set[str] = set()
    for game in games:
        moves = Moves.of(variants, game)
        if moves.several.all(axis=1).any():
            raise ConfigError(
                f"{machine.sheet.name}: both roles may choose at the same time; gifl learns from games in which they "
                "take turns, so take another learner"
            )
        rows = moves.single[moves.several.any(axis=1)]
        waiting |= {machine.circuit.moves[row] for row in np.unique(rows[rows >= 0])}
    won = [game for game in games if game.winner is not None and not ended_by_clock(variants, game)]
    without = sum(not terminal_facts(variants, game) for game in won)
    return GameNature(
        noop=waiting.pop() if len(waiting) == 1 else None,
        replaces=len(sizes) == 1,
        terminal_facts=len(won) > 0 and without < _WITHOUT * len(won),
    )


def ended_by_clock(variants: Variants, game: RandomGame) -> bool:
    """Return whether the game would go on if it were two joint moves earlier, as where the number of moves is limited.

    Earlier means with the facts of that state that change whatever is played. Such an end teaches nothing about moves.
    """
    if len(game.states) < 3:
        return False
    fixed = variants.mask(tuple(np.flatnonzero(variants.autonomous).tolist()))
    earlier = (game.states[-1] & ~fixed) | (game.states[-3] & fixed)
    return not variants.terminal(earlier[None, :])[0]


def terminal_facts(variants: Variants, game: RandomGame) -> tuple[int, ...]:
    """Return the facts of the last state without each of which it is not terminal."""
    facts = variants.facts(game.states[-1])
    return tuple(facts[~variants.terminal(variants.without(game.states[-1], facts))].tolist())
