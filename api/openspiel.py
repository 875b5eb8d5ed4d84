"""Any game as a game of OpenSpiel, and searches of this program as its bots."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import pyspiel

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.limits import LONGEST_MATCH
from gdl_miner.api.analysis import search
from gdl_miner.api.game import Game, State
from gdl_miner.api.observer import ObservationKind, Observer, utility
from gdl_miner.api.vector_env import VectorEnv

MoveOf: TypeAlias = Callable[[State, int], str]
"""Says which move of the rules an action of another game of OpenSpiel is in a state of the rules."""

_SAMPLE_GAMES, _SAMPLE_STEPS = 64, 100


class OpenSpielGame(pyspiel.Game):
    """A game of OpenSpiel. Its players are the roles but `random`, whose moves are those of chance.

    An action is the place of a move among the moves of its role. Utilities go from -1 for the goal 0 to 1 for the goal
    100, and come at the end. Roles that choose at the same time choose one after the other, and states do not show
    what was chosen before all have. `zero_sum` declares that utilities add to 0; a match that ends otherwise is an
    error.
    """

    def __init__(
        self,
        game: Game,
        *,
        observations: ObservationKind = "facts",
        zero_sum: bool = False,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = game
        self.zero_sum = zero_sum
        self.players = tuple(number for number in range(len(game.roles)) if number != game.chance)
        """[player] number of its role."""
        self.observer = Observer(game.machine, observations)
        sizes = [len(game.machine.rows(role)) for role in range(len(game.roles))]
        kind = pyspiel.GameType
        game_type = kind(
            short_name=re.sub(r"\W", "_", f"gdl_{game.name}"),
            long_name=game.name,
            dynamics=kind.Dynamics.SEQUENTIAL,
            chance_mode=kind.ChanceMode.DETERMINISTIC if game.chance is None else kind.ChanceMode.EXPLICIT_STOCHASTIC,
            information=(
                kind.Information.IMPERFECT_INFORMATION
                if _roles_choose_at_once(game)
                else kind.Information.PERFECT_INFORMATION
            ),
            utility=kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
            reward_model=kind.RewardModel.TERMINAL,
            max_num_players=len(self.players),
            min_num_players=len(self.players),
            provides_information_state_string=False,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification={},
            default_loadable=False,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=max(sizes[role] for role in self.players),
            max_chance_outcomes=0 if game.chance is None else sizes[game.chance],
            num_players=len(self.players),
            min_utility=utility(0),
            max_utility=utility(100),
            utility_sum=0.0 if zero_sum else None,
            max_game_length=LONGEST_MATCH,
        )
        super().__init__(game_type, info, dict(params or {}))

    def new_initial_state(self, state: object = None) -> OpenSpielState:
        """Return the state in which matches begin."""
        return OpenSpielState(self, self.game.initial_state())

    def make_py_observer(self, iig_obs_type: object = None, params: object = None) -> _TensorObserver:
        """Return what reads observations out of states."""
        return _TensorObserver(self.observer)


def _roles_choose_at_once(game: Game) -> bool:
    """Return whether random matches come to a state in which several roles but `random` choose."""
    env = VectorEnv(game, _SAMPLE_GAMES)
    players = [role for role in range(len(game.roles)) if role != game.chance]
    for _ in range(_SAMPLE_STEPS):
        if (env.to_move[:, players].sum(axis=1) > 1).any():
            return True
        env.step_random()
    return False


class OpenSpielState(pyspiel.State):
    """A state of an `OpenSpielGame`, with the moves of roles that have chosen before others."""

    def __init__(self, game: OpenSpielGame, state: State) -> None:
        super().__init__(game)
        self._state = state
        self._chosen: dict[str | int, int] = {}  # role to action id

    @property
    def position(self) -> State:
        """The state of the game, without moves that are not yet made; a change of it changes nothing here."""
        return self._state.clone()

    def _role(self) -> int:
        """Return the role that chooses next, `random` last."""
        game = self._state.game
        waiting = [game.roles.index(role) for role in self._state.to_move]
        return min((role for role in waiting if role not in self._chosen), key=lambda role: (role == game.chance, role))

    def _role_of(self, player: int) -> int:
        chance = self._state.game.chance
        if chance is not None and player == pyspiel.PlayerId.CHANCE:
            return chance
        return int(self.get_game().players[player])

    def current_player(self) -> int:
        """Return the player that chooses next, or the id of chance or of the end."""
        if self._state.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        role = self._role()
        if role == self._state.game.chance:
            return int(pyspiel.PlayerId.CHANCE)
        return int(self.get_game().players.index(role))

    def _legal_actions(self, player: int) -> list[int]:
        role = self._role_of(player)
        first = self._state.game.machine.rows(role).start
        return [int(row) - first for row in self._state.legal_ids(role)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the moves of `random` and their probabilities."""
        actions = self._legal_actions(pyspiel.PlayerId.CHANCE)
        return [(action, 1 / len(actions)) for action in actions]

    def _apply_action(self, action: int) -> None:
        role = self._role()
        self._chosen[role] = self._state.game.machine.rows(role)[action]
        waiting = [self._state.game.roles.index(name) for name in self._state.to_move]
        if all(each in self._chosen for each in waiting):
            self._state.apply(self._chosen)
            self._chosen = {}

    def _action_to_string(self, player: int, action: int) -> str:
        game = self._state.game
        return str(game.actions[game.machine.rows(self._role_of(player))[action]])

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self._state.is_terminal()

    def returns(self) -> list[float]:
        """Return [player] the utilities, 0 before the end.

        Raises ConfigError where they do not add to 0, though `zero_sum` declared so.
        """
        game = self.get_game()
        if not self._state.is_terminal():
            return [0.0] * len(game.players)
        goals = self._state.returns()
        found = [utility(goals[role]) for role in game.players]
        if game.zero_sum and abs(sum(found)) > 1e-9:
            raise ConfigError(f"{game.game.name}: the goals {goals} are not of zero sum; leave zero_sum out")
        return found

    def __str__(self) -> str:
        return str(self._state)


class _TensorObserver:
    """Observations of states as OpenSpiel reads them, the same for all players."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.tensor = np.zeros(int(np.prod(observer.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(observer.shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Read a state into `tensor`."""
        self.tensor[:] = self._observer.of(state.position).ravel()

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return a state in words."""
        return str(state)


class OpenSpielBot(pyspiel.Bot):
    """A bot of OpenSpiel that searches as `gdl_miner.search` does.

    It plays in an `OpenSpielGame`, and in another game of OpenSpiel of which `game` has the rules: `move_of(state,
    action)` then says which move the action is in a state of the rules, and the match is replayed by these.

    Args:
        game: the game of the rules.
        player_id: the player that the bot is.
        move_of: as above.
        seed: of the searches; each move has one of its own.
        options: those of `gdl_miner.search`, such as `playouts`, `seconds` and `knowledge`.
    """

    def __init__(
        self, game: Game, player_id: int, *, move_of: MoveOf | None = None, seed: int = 0, **options: Any
    ) -> None:
        super().__init__()
        players = [number for number in range(len(game.roles)) if number != game.chance]
        if not 0 <= player_id < len(players):
            raise ConfigError(f"{game.name}: no player {player_id}; they go from 0 to {len(players) - 1}")
        self.game = game
        self._role = players[player_id]
        self._move_of = move_of
        self._seed = seed
        self._options = options

    def step(self, state: pyspiel.State) -> int:
        """Return the action that a search finds best. Raises ConfigError where no action is that move."""
        if isinstance(state, OpenSpielState):
            position = state.position
        elif self._move_of is not None:
            position = self.game.initial_state()
            for made in state.full_history():
                position.apply(self._move_of(position, made.action))
        else:
            raise ConfigError(f"{self.game.name}: the state is of another game; say with move_of what its actions are")
        found = search(position, role=self._role, seed=self._seed + position.move_number, **self._options)
        if self._move_of is None or isinstance(state, OpenSpielState):
            return int(found.best.id - self.game.machine.rows(self._role).start)
        for action in state.legal_actions():
            if normalise(self._move_of(position, action)) == normalise(str(found.best)):
                return int(action)
        raise ConfigError(f"{self.game.name}: no legal action is the move {found.best}; mend move_of")
