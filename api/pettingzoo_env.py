"""Any game as an environment of PettingZoo, in which agents act one after the other (AEC)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv

from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.api.game import Game, State
from gdl_miner.api.observer import ObservationKind, Observer, utility

Seen = dict[str, NDArray[np.int8]]


class GameAECEnv(AECEnv):
    """A game of PettingZoo, whose agents are the roles.

    An action is the place of a move among the moves of its role. What an agent observes has `observation`, the facts
    or planes of the state, and `action_mask`, the legal actions. Rewards come at the end: -1 for the goal 0, 1 for the
    goal 100. Roles that choose at the same time act one after the other, and none sees what the others have chosen.
    The role `random` is no agent; its moves are drawn. Roles without a choice are passed over.
    """

    def __init__(self, game: Game, *, observations: ObservationKind = "facts", render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ConfigError(f"{game.name}: no render mode is called {render_mode}; take ansi or none")
        self.game = game
        self.metadata: dict[str, Any] = {"render_modes": ["ansi"], "name": game.name, "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents = [role for number, role in enumerate(game.roles) if number != game.chance]
        self._observer = Observer(game.machine, observations)
        self._moves = {role: game.machine.rows(game.role_number(role)) for role in self.possible_agents}
        seen = self._observer.shape
        self._action_spaces = {role: Discrete(len(moves)) for role, moves in self._moves.items()}
        self._observation_spaces = {
            role: Dict({"observation": Box(0, 1, seen, np.int8), "action_mask": Box(0, 1, (len(moves),), np.int8)})
            for role, moves in self._moves.items()
        }
        self._dice = random.Random()
        self._state = game.initial_state()

    @property
    def position(self) -> State:
        """The state of the game; a change of it changes nothing here."""
        return self._state.clone()

    def observation_space(self, agent: str) -> Dict:
        """Return the space of what an agent observes."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of the actions of an agent."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match. The seed is that of the moves of `random`; without one they go on as before."""
        if seed is not None:
            self._dice = random.Random(seed)
        self._state = self.game.initial_state()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._go_on()

    def observe(self, agent: str) -> Seen:
        """Return what an agent observes."""
        mask = np.zeros(len(self._moves[agent]), np.int8)
        mask[self._state.legal_ids(agent) - self._moves[agent].start] = 1
        return {"observation": self._observer.of(self._state).astype(np.int8), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Make a move of the agent whose turn it is. Raises MoveError for one that is not legal."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        moves = self._moves[agent]
        if action is None or not 0 <= action < len(moves):
            raise MoveError(f"{self.game.name}: {agent} has no action {action}; they go from 0 to {len(moves) - 1}")
        self._chosen[agent] = self._state.legal_action(moves[int(action)], agent).id
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._waiting.pop(0)
        if self._waiting:
            self.agent_selection = self._waiting[0]
        else:
            self._state.apply(self._chosen, rng=self._dice)
            self._go_on()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the position in words, where the render mode is `ansi`."""
        return str(self._state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is no window to close."""

    def _go_on(self) -> None:
        """Go on to a state in which an agent is to move, or to the end."""
        self._chosen: dict[str | int, int] = {}
        while True:
            self._waiting = [role for role in self._state.to_move if role in self._moves]
            if self._waiting or self._state.is_terminal():
                break
            self._state.apply(rng=self._dice)
        if self._waiting:
            self.agent_selection = self._waiting[0]
            return
        returns = self._state.returns()
        for agent in self.agents:
            self.rewards[agent] = utility(returns[self.game.role_number(agent)])
            self.terminations[agent] = True
