"""Many games of the same rules that step together, arrays in and arrays out: what learning by self-play needs.

It is to `gdl_miner.State` what a vector environment is to an environment. A step makes a joint move in every game; all
games share one evaluation of the rules, a bit of every machine vector for each game.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.agent.reasoner.machine import illegal_move, violation_of
from gdl_miner.api.game import WAITING, GameLike, RoleLike, State, game_of
from gdl_miner.api.observer import Observer

DRAWN = -1
"""In the place of an action: draw it uniformly among the legal ones."""

_LARGEST_SEED = 2**64 - 1


class VectorEnv:
    """Many games of the same rules, which step together.

    An action is the id of a `gdl_miner.Action`, its place among the moves of all roles. A game that is over has
    `terminated` set and shows its last state; it begins anew with one of the next steps, which does not read its
    action. `rewards` are those of the last step alone.

    With `same_turn`, games begin anew only when it is the first turn of a match. So all games are always in the same
    turn, which is faster, and the same roles choose in all of them; where roles take turns, a game waits for half a
    round on average. Without it, a game begins anew with the next step, and states of any turn may be loaded. Games
    that have no turns are the same in both.

    What is drawn depends on `seed`, the number of the game and its history, not on the number of games or on the
    processor. Only one thread at a time may use an environment.

    Args:
        game: a game, or what `gdl_miner.load` takes.
        num_envs: number of games.
        seed: seed of all that is drawn, 0 to 2^64 - 1.
        autoreset: whether games that are over begin anew. If not, they stay over until `reset`.
        same_turn: whether all games are in the same turn.

    Raises:
        ConfigError: there is no game to step, or the seed is out of range.
    """

    def __init__(
        self,
        game: GameLike,
        num_envs: int,
        *,
        seed: int = 0,
        autoreset: bool = True,
        same_turn: bool = True,
    ) -> None:
        self.game = game_of(game)
        if num_envs < 1:
            raise ConfigError(f"{self.game.name}: num_envs is {num_envs}; give at least 1")
        self.num_envs = num_envs
        machine = self.game.machine
        waits = np.full(len(self.game.roles), -1, np.int32)
        for role in range(len(waits)):
            waits[role] = next((row for row in machine.rows(role) if machine.circuit.moves[row] == WAITING), -1)
        self.turns = len(_native.turns(machine.native)[1]) if same_turn else 1
        """Number of steps between those in which games begin anew: the turns of a round, 1 without `same_turn`."""
        self._native = _native.Environments(machine.native, num_envs, waits, same_turn)
        self.set_autoreset(autoreset)
        self.reset(seed)

    def __repr__(self) -> str:
        return f"<VectorEnv: {self.num_envs} games of {self.game.name}, {self.moves:,} moves made>"

    # How the games go on

    def reset(self, seed: int | None = None) -> None:
        """Begin all games anew.

        Without a seed, one is drawn from the operating system. Raises ConfigError for a seed that is out of range.
        """
        if seed is None:
            seed = int.from_bytes(os.urandom(8), "little")
        if not 0 <= seed <= _LARGEST_SEED:
            raise ConfigError(f"{self.game.name}: the seed is {seed}; give one from 0 to 2^64 - 1")
        self._native.reset(seed)

    def set_autoreset(self, games: ArrayLike) -> None:
        """Say whether games that are over begin anew: True, False, or [num_envs] for which games.

        Raises ConfigError for an array of another shape.
        """
        wanted = np.asarray(games, np.bool_)
        if wanted.shape not in ((), (self.num_envs,)):
            raise ConfigError(f"{self.game.name}: autoreset is bool{list(wanted.shape)}; give bool[{self.num_envs}]")
        self._native.renew(np.broadcast_to(wanted, self.num_envs).copy())

    def step(self, actions: ArrayLike) -> None:
        """Make a joint move in every game that is not over, and begin games anew that are.

        A role with one legal move needs none to be given. So one action for each game is enough where roles take
        turns. What else is missing is drawn, as the moves of the role `random` usually are.

        Args:
            actions: [num_envs] an action of some role for each game, or [num_envs, n_roles] one for each role; -1
                (`DRAWN`) has it drawn. Those of games that are over are not read.

        Raises:
            ConfigError: the array has another shape, or is not one of integers.
            MoveError: an action is not legal. All games are as before.
            RuleError: the rules leave a role without a legal move.
        """
        given = np.asarray(actions)
        shapes = ((self.num_envs,), (self.num_envs, len(self.game.roles)))
        if given.shape not in shapes or given.dtype.kind not in "iu":
            raise ConfigError(
                f"{self.game.name}: actions are {given.dtype}{list(given.shape)}; give integers, an action for each of "
                f"the {self.num_envs} games, or one for each of {', '.join(self.game.roles)} in each game"
            )
        rows = np.ascontiguousarray(given.reshape(self.num_envs, -1), np.int32)
        if given.dtype.itemsize > 4 and (rows != given.reshape(rows.shape)).any():
            raise MoveError(
                f"{self.game.name}: an action is out of range; ids go from 0 to {len(self.game.actions) - 1}"
            )
        try:
            self._native.step(rows)
        except _native.IllegalActionError as error:
            raise self._illegal(rows, *error.args) from None
        except _native.RuleViolationError as error:
            raise violation_of(self.game.machine, error) from None

    def step_random(self, steps: int = 1) -> None:
        """Make so many steps with moves that are drawn uniformly, without a way through Python between them.

        `terminated` and `rewards` are then those of the last step; games that ended before have begun anew. Raises
        RuleError where the rules leave a role without a legal move, and ConfigError for a negative number of steps.
        """
        if steps < 0:
            raise ConfigError(f"{self.game.name}: {steps} steps; give 0 or more")
        try:
            self._native.step_random(steps)
        except _native.RuleViolationError as error:
            raise violation_of(self.game.machine, error) from None

    def random_actions(self) -> NDArray[np.int32]:
        """Draw a move for every role of every game: [num_envs, n_roles], -1 where the game is over.

        They are those that `step_random` would make. Raises RuleError as that does.
        """
        drawn = np.empty((self.num_envs, len(self.game.roles)), np.int32)
        try:
            self._native.draw(drawn)
        except _native.RuleViolationError as error:
            raise violation_of(self.game.machine, error) from None
        return drawn

    # What the games are

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """[num_envs] which games are over."""
        found = np.empty(self.num_envs, np.bool_)
        self._native.terminated(found)
        return found

    @property
    def rewards(self) -> NDArray[np.int32]:
        """[num_envs, n_roles] the goals, 0 to 100, of games that came to their end in the last step; 0 in others."""
        found = np.empty((self.num_envs, len(self.game.roles)), np.int32)
        self._native.rewards(found)
        return found

    @property
    def to_move(self) -> NDArray[np.bool_]:
        """[num_envs, n_roles] the roles that are to move, as `State.to_move` has them; none where the game is over."""
        found = np.empty((self.num_envs, len(self.game.roles)), np.bool_)
        self._native.to_move(found)
        return found

    def legal_action_mask(
        self, role: RoleLike | None = None, *, out: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Return [num_envs, n_actions] which actions are legal; none are where the game is over.

        Args:
            role: leave out all but the actions of this role, which are `action_range(role)`.
            out: the array to write to.

        Raises ConfigError where there is no such role, or `out` has another shape or type.
        """
        rows = range(len(self.game.actions)) if role is None else self.action_range(role)
        found = self._answer((len(rows),), out)
        self._native.legal(rows.start, rows.stop, found)
        return found

    def action_range(self, role: RoleLike) -> range:
        """Return the ids of the actions of a role, which follow each other. Raises ConfigError for no such role."""
        return self.game.machine.rows(self.game.role_number(role))

    def observe(self, observer: Observer, *, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return [num_envs, *observer.shape] what is seen of the games, or write it to `out`."""
        found = self._answer(observer.shape, out)
        self._native.facts(observer.facts, found)
        return found

    def facts(self, *, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return [num_envs, n_facts] which facts hold, in the order of `Game.facts`, or write it to `out`."""
        return self.observe(self._facts, out=out)

    @property
    def plane_names(self) -> tuple[str, ...]:
        """[plane] the piece of each plane of `board_planes`. Raises ConfigError where no board is known."""
        return self._planes.names

    def board_planes(self, *, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return [num_envs, n_planes, …] where on the board each piece stands, or write it to `out`.

        The axes after the planes are the dimensions of the board, in the order of the arguments of its facts. Facts
        that name no field, such as whose turn it is, are in `facts` alone.

        Raises ConfigError where no board is known, and as `legal_action_mask` does.
        """
        return self.observe(self._planes, out=out)

    @property
    def states(self) -> NDArray[np.uint64]:
        """[num_envs, words] the states, packed as `State.packed` is."""
        found = np.empty((self.num_envs, self.game.machine.circuit.state_words), np.uint64)
        self._native.states(found)
        return found

    def state(self, number: int) -> State:
        """Return the state of one game, without its history. Raises ConfigError where there is no such game."""
        if not 0 <= number < self.num_envs:
            raise ConfigError(f"{self.game.name}: no game {number}; the numbers go from 0 to {self.num_envs - 1}")
        return State(self.game, self.states[number])

    def load(self, states: Sequence[State] | NDArray[np.uint64]) -> None:
        """Go on from other states: one for each game, as they are or packed as in `states`.

        They must be states to which play can lead.

        Raises ConfigError for states of other rules, for another number of them, and with `same_turn` for those of
        several turns.
        """
        if isinstance(states, np.ndarray):
            packed = states
        else:
            for state in states:
                if state.game.machine.sheet.digest != self.game.machine.sheet.digest:
                    raise ConfigError(f"{self.game.name}: a state is one of {state.game.name}; load states of one game")
            packed = np.array([state.packed for state in states], np.uint64)
        words = self.game.machine.circuit.state_words
        if packed.shape != (self.num_envs, words) or packed.dtype != np.uint64:
            raise ConfigError(
                f"{self.game.name}: the states are {packed.dtype}{list(packed.shape)}; give uint64"
                f"{[self.num_envs, words]}, a state for each game"
            )
        used = len(self.game.facts) % 64
        if used and (packed[:, -1] >> np.uint64(used)).any():
            raise ConfigError(f"{self.game.name}: a state has a fact that the game lacks; load states of one game")
        try:
            self._native.place(np.ascontiguousarray(packed))
        except ValueError:
            raise ConfigError(
                f"{self.game.name}: the states are not all in the same turn of a match; make the VectorEnv with "
                "same_turn=False"
            ) from None

    @property
    def moves(self) -> int:
        """Number of joint moves made in all games, since the first reset."""
        return self._native.moves

    @property
    def episodes(self) -> int:
        """Number of games that came to their end, since the first reset."""
        return self._native.games

    @cached_property
    def _facts(self) -> Observer:
        return Observer(self.game.machine, "facts")

    @cached_property
    def _planes(self) -> Observer:
        return Observer(self.game.machine, "planes")

    def _answer(self, shape: tuple[int, ...], out: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        wanted = (self.num_envs, *shape)
        if out is None:
            return np.empty(wanted, np.bool_)
        if out.shape != wanted or out.dtype != np.bool_ or not out.flags.c_contiguous or not out.flags.writeable:
            raise ConfigError(
                f"{self.game.name}: out is {out.dtype}{list(out.shape)}; give a contiguous bool{list(wanted)}"
            )
        return out

    def _illegal(self, rows: NDArray[np.int32], number: int, column: int) -> MoveError:
        """Return the error that an action, which may be any number, is not legal in a game."""
        game, row = self.game, int(rows[number, column])
        known = 0 <= row < len(game.actions)
        role = game.role_of_action[row] if known and rows.shape[1] == 1 else column
        move = game.actions[row].text if known else f"(id {row})"
        legal = game.machine.legal(self.states[number])[role]
        return MoveError(f"game {number} of {self.num_envs}: {illegal_move(game.machine, role, move, legal)}")
