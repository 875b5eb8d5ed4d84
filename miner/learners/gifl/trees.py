"""Trees of two plies, from the end of a game backwards (Kirci 2010, section 3.2).

A tree has a root, where the loser moves; a middle, where the winner moves; and leaves, where some facts are wanted. The
facts that the winner's move needs at the middle to lead to the wanted ones make an offensive feature. At the root, some
moves keep the winner from using this feature. The facts that let the winner use it after all other moves make a
defensive feature with these moves. They are the facts wanted in the next tree, farther from the end.

Two things differ from the thesis. A move of the loser that ends the game keeps the winner from the feature, too, but
belongs to the defensive feature only if no other move does, since it is an offensive feature of its own. And the leaves
of later trees want facts alone; the thesis also asks for a legal move there, but does not say which of the moves at a
root it means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.gifl.features import (
    FeatureSide,
    GameCounts,
    GiflFeature,
    GiflFeatures,
    join_learned,
    lowest_levels,
)
from gdl_miner.miner.learners.gifl.nature import (
    GameNature,
    Moves,
    RandomGame,
    ended_by_clock,
    play_random_games,
    study_game,
    terminal_facts,
)
from gdl_miner.miner.learners.gifl.variants import Variants
from gdl_miner.miner.play.prepared_game import PreparedGame


@dataclass(frozen=True)
class TreeSettings:
    """How a game is walked back."""

    levels: int  # trees walked back from the end
    # In a game without terminal facts, the last move has to win. With `whole_ends`, as in the thesis, it has to lead to
    # all facts of the last state.
    whole_ends: bool = False
    # Whether the last move has to win in a game with terminal facts, too. Where a game ends for two reasons at once,
    # the terminal facts are those that both have in common, which alone end nothing.
    win_ends: bool = False


@dataclass(frozen=True)
class GiflSettings:
    """How features are learned."""

    seed: int
    study_games: int  # games that show what the game is like
    trees: TreeSettings


# The aim of a move of the winner: some facts, or its win.
_Leaf: TypeAlias = tuple[int, ...] | Literal["win"]
_WIN: Final = "win"


@dataclass(frozen=True)
class _Feature:
    """A feature by the numbers of its fluents and rows."""

    role: int
    side: FeatureSide
    facts: tuple[int, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Offence:
    """An offensive feature and what it is good for."""

    feature: _Feature
    joint: NDArray[np.int32]  # [role] rows
    leaf: _Leaf


class FeatureLearner:
    """Learns features from games, one game after another."""

    def __init__(self, machine: Machine, nature: GameNature, trees: TreeSettings) -> None:
        self._machine = machine
        self._nature = nature
        self._trees = trees
        self._variants = Variants(machine, replaces=nature.replaces)

    @property
    def variants(self) -> int:
        """The number of states that were asked about."""
        return self._variants.asked

    def learn(self, game: RandomGame) -> list[tuple[GiflFeature, int]] | None:
        """Return the features of a game with their levels; None if it is not decided.

        It is decided if the role that moved last has won, and no limit of moves ended it.
        """
        walk = _Walk(self._machine, self._nature, self._trees, self._variants, game)
        if not walk.decided:
            return None
        return [(self._named(feature), level) for feature, level in walk.features()]

    def _named(self, feature: _Feature) -> GiflFeature:
        facts, moves = self._machine.fluents, self._machine.circuit.moves
        return GiflFeature(
            feature.role,
            feature.side,
            tuple(facts[fact] for fact in feature.facts),
            tuple(moves[row] for row in feature.rows),
        )


class _Walk:
    """The way back through one game."""

    def __init__(
        self, machine: Machine, nature: GameNature, trees: TreeSettings, variants: Variants, game: RandomGame
    ) -> None:
        self._machine = machine
        self._nature = nature
        self._trees = trees
        self._variants = variants
        self._game = game
        self._movers = self._find_movers()
        winner = game.winner
        moved_last = winner is not None and len(self._movers) > 0 and self._movers[-1] == winner
        self.decided = moved_last and not ended_by_clock(variants, game)
        self._winner = -1 if winner is None else winner

    def _find_movers(self) -> list[int | None]:
        """Return [state] the role that moves: the only one that does not wait, None where there is none."""
        if self._nature.noop is None:
            several = Moves.of(self._variants, self._game).several
            return [int(np.flatnonzero(row)[0]) if row.sum() == 1 else None for row in several]
        names = self._machine.circuit.moves
        movers: list[int | None] = []
        for joint in self._game.joints.tolist():
            moving = [role for role, row in enumerate(joint) if names[row] != self._nature.noop]
            movers.append(moving[0] if len(moving) == 1 else None)
        return movers

    def features(self) -> list[tuple[_Feature, int]]:
        """Return the features of a decided game with their levels."""
        middle, leaf = len(self._game.joints) - 1, self._end()
        found: list[tuple[_Feature, int]] = []
        for level in range(1, self._trees.levels + 1):
            offence = self._offence(middle, leaf) if leaf else None
            if offence is None:
                break
            found.append((offence.feature, level))
            defence = self._defence(middle, offence)
            if defence is None:
                break
            root, feature = defence
            found.append((feature, level))
            leaf = feature.facts
            contributing = self._middle_before(root, leaf)
            if contributing is None:
                break
            middle = contributing
        return found

    def _end(self) -> _Leaf:
        """Return the facts that the end of the game needs; in a game without terminal facts all facts, or a win."""
        if self._nature.terminal_facts:
            return _WIN if self._trees.win_ends else terminal_facts(self._variants, self._game)
        return tuple(self._variants.facts(self._game.states[-1]).tolist()) if self._trees.whole_ends else _WIN

    def _offence(self, middle: int, leaf: _Leaf) -> _Offence | None:
        """Return the feature of the winner's move at `middle`, None if there is none.

        The facts are those without which the move does not lead to the facts of the leaf. If they alone do not suffice,
        the facts of the leaf that hold already are added to them.
        """
        state, joint = self._game.states[middle], self._game.joints[middle]
        if not self._lead(state[None, :], joint, leaf)[0]:
            return None
        facts = self._variants.facts(state)
        needed = facts[~self._lead(self._variants.without(state, facts), joint, leaf)]
        held = np.intersect1d(facts, np.array(leaf if isinstance(leaf, tuple) else (), np.int32))
        for tried in (needed, np.union1d(needed, held)):
            alone = tuple(tried.tolist())
            if self._lead(self._variants.only(alone, state), joint, leaf)[0]:
                feature = _Feature(self._winner, "offensive", alone, (int(joint[self._winner]),))
                return _Offence(feature, joint, leaf)
        return None

    def _defence(self, middle: int, offence: _Offence) -> tuple[int, _Feature] | None:
        """Return the last root at which the loser has moves against the offence, and the defensive feature there.

        Roots farther back are looked at as long as the offence could be used after them. None if there is no such
        root, or no fact is needed there after all other moves.
        """
        for root in self._roots_before(middle):
            if root + 1 != middle and not self._usable(self._game.states[root + 1 : root + 2], offence)[0]:
                return None
            rows = self._loser_rows(root)
            state, joints = self._game.states[root], self._joints(root, rows)
            states = np.repeat(state[None, :], len(rows), axis=0)
            after = self._variants.after(states, joints)
            usable = self._usable(after, offence)
            if usable.any() and not usable.all():
                facts = self._needed(state, joints[usable], offence)
                goes_on = ~self._variants.terminal(after)
                against = ~usable & goes_on if (~usable & goes_on).any() else ~usable
                moves = tuple(rows[against].tolist())
                return (root, _Feature(1 - self._winner, "defensive", facts, moves)) if facts else None
        return None

    def _needed(self, state: NDArray[np.uint64], joints: NDArray[np.int32], offence: _Offence) -> tuple[int, ...]:
        """Return the facts without each of which no joint move lets the winner use the offence."""
        facts = self._variants.facts(state)
        variants = self._variants.without(state, facts)
        states = np.tile(variants, (len(joints), 1))
        moves = np.repeat(joints, len(facts), axis=0)
        legal = self._variants.allow(states, np.ascontiguousarray(moves[:, 1 - self._winner]))
        usable = legal & self._usable(self._variants.after(states, moves), offence)
        return tuple(facts[~usable.reshape(len(joints), len(facts)).any(axis=0)].tolist())

    def _usable(self, states: NDArray[np.uint64], offence: _Offence) -> NDArray[np.bool_]:
        """Return [n] whether the winner can use the offence in each state."""
        usable = ~self._variants.terminal(states) & self._variants.include(states, offence.feature.facts)
        usable &= self._lead(states, offence.joint, offence.leaf)
        return usable

    def _lead(self, states: NDArray[np.uint64], joint: NDArray[np.int32], leaf: _Leaf) -> NDArray[np.bool_]:
        joints = np.repeat(joint[None, :], len(states), axis=0)
        return self._variants.lead(states, self._winner, joints, leaf if isinstance(leaf, tuple) else None)

    def _loser_rows(self, root: int) -> NDArray[np.int32]:
        own = self._machine.rows(1 - self._winner)
        _, rows = self._variants.legal_rows(self._game.states[root : root + 1])
        return rows[(rows >= own.start) & (rows < own.stop)]

    def _joints(self, root: int, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        joints = np.repeat(self._game.joints[root][None, :], len(rows), axis=0)
        joints[:, 1 - self._winner] = rows
        return joints

    def _roots_before(self, middle: int) -> list[int]:
        """Return the states before `middle` where the loser moves and the winner moves next, the last first."""
        loser = 1 - self._winner
        return [
            i for i in range(middle - 1, -1, -1) if self._movers[i] == loser and self._movers[i + 1] == self._winner
        ]

    def _middle_before(self, root: int, leaf: tuple[int, ...]) -> int | None:
        """Return the last state before `root` where the winner moves and not all facts of the leaf hold."""
        for middle in range(root - 1, -1, -1):
            if self._movers[middle] != self._winner:
                continue
            if not self._variants.include(self._game.states[middle : middle + 1], leaf)[0]:
                return middle
        return None


@dataclass(frozen=True)
class GameSpan:
    """Some of the games of a run, by number."""

    first: int
    last: int  # excluded


def study_shard(game: PreparedGame, settings: GiflSettings) -> GameNature:
    """Return the nature of the game. Raises ConfigError where features cannot be learned from it."""
    machine = game.machine()
    seeds = [derive_seed(settings.seed, "study", number) for number in range(settings.study_games)]
    return study_game(machine, play_random_games(machine, seeds))


def learn_shard(game: PreparedGame, settings: GiflSettings, nature: GameNature, span: GameSpan) -> GiflFeatures:
    """Play the games of a span and learn from each. A game depends on its number and the seed alone."""
    machine = game.machine()
    learner = FeatureLearner(machine, nature, settings.trees)
    seeds = [derive_seed(settings.seed, "game", number) for number in range(span.first, span.last)]
    parts = []
    for each in play_random_games(machine, seeds):
        asked = learner.variants
        found = learner.learn(each)
        counts = GameCounts(1, int(found is not None), len(each.joints), learner.variants - asked)
        parts.append(GiflFeatures(lowest_levels(found or ()), counts))
    return join_learned(parts)
