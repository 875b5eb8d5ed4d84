"""Many games of one role against opponents, as a vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.api.game import Game, RoleLike
from gdl_miner.api.observer import ObservationKind, Observer, utility
from gdl_miner.api.vector_env import DRAWN, VectorEnv

Opponents: TypeAlias = Callable[[VectorEnv], NDArray[np.int32]]
"""Chooses an action for each role of each game, [num_envs, n_roles]; that of the learning role is not read."""


class GameVectorEnv(GymnasiumVectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """Many games that a role learns from, while the others play at random or as `opponents` choose.

    An action is the place of a move among the moves of the role. A step makes the role's moves, and then those of the
    others until it is to move again. A game that is over begins anew in the next step (`AutoresetMode.NEXT_STEP`).
    Rewards come at the end: -1 for the goal 0, 1 for the goal 100. `infos["action_mask"]` is bool[num_envs, n_actions];
    in a game in which the role has to wait, its only legal action passes.

    Raises:
        ConfigError: there is no such role, the role is that of chance, or as `gdl_miner.VectorEnv` does.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        role: RoleLike = 0,
        opponents: Opponents | None = None,
        observations: ObservationKind = "facts",
    ) -> None:
        self.games = VectorEnv(game, num_envs)
        self.role = game.role_number(role)
        if self.role == game.chance:
            raise ConfigError(f"{game.name}: {game.roles[self.role]} moves by chance; take another role")
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": ["ansi"]}
        self.render_mode = "ansi"
        self._opponents = opponents
        self._moves = self.games.action_range(self.role)
        self._observer = Observer(game.machine, observations)
        self._values = np.array([utility(goal) for goal in range(101)])
        self.single_observation_space = Box(0, 1, self._observer.shape, np.int8)
        self.single_action_space = Discrete(len(self._moves))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin all games anew, up to the first in which the role is to move."""
        super().reset(seed=seed)
        self.games.reset(int(self.np_random.integers(2**63)))
        self.games.set_autoreset(False)
        while not self._stops():
            self.games.step(self._joint())
        return self._observe(), self._infos()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Make a move of the role in each game; those of games that are over are not read.

        Raises ConfigError for actions of another shape, MoveError for one that is not legal.
        """
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            name = self.games.game.name
            raise ConfigError(f"{name}: actions are {given.dtype}{list(given.shape)}; give integers[{self.num_envs}]")
        inside = (given >= 0) & (given < len(self._moves))
        joint = self._joint()
        joint[:, self.role] = np.where(inside, given + self._moves.start, len(self.games.game.actions))
        over = to_renew = self.games.terminated
        self.games.set_autoreset(to_renew)
        rewards = np.zeros(self.num_envs)
        for made in count(1):
            before = over
            self.games.step(joint)
            over = self.games.terminated
            ended = over & ~before
            rewards[ended] = self._values[self.games.rewards[ended, self.role]]
            to_renew = to_renew & over
            if not (to_renew.any() and made < self.games.turns) and self._stops():
                break
            joint = self._joint()
        return self._observe(), rewards, over, np.zeros(self.num_envs, np.bool_), self._infos()

    def render(self) -> tuple[str, ...]:
        """Return each position in words."""
        return tuple(str(self.games.state(number)) for number in range(self.num_envs))

    def action_masks(self) -> NDArray[np.bool_]:
        """Return [num_envs, n_actions] which actions are legal; none are where the game is over."""
        return self.games.legal_action_mask(self.role)

    def _stops(self) -> bool:
        """Whether the role is to move in some game, or all are over."""
        return bool(self.games.to_move[:, self.role].any() or self.games.terminated.all())

    def _joint(self) -> NDArray[np.int32]:
        """Return [num_envs, n_roles] the actions of the opponents; that of the role is drawn."""
        if self._opponents is None:
            return np.full((self.num_envs, len(self.games.game.roles)), DRAWN, np.int32)
        joint = np.array(self._opponents(self.games), np.int32)
        joint[:, self.role] = DRAWN
        return joint

    def _observe(self) -> NDArray[np.int8]:
        return self.games.observe(self._observer).view(np.int8)

    def _infos(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks()}
