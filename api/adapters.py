"""Games of any rules in the frameworks of reinforcement learning, which are installed with extras of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gdl_miner.agent.extras import named_extra
from gdl_miner.api.game import GameLike, RoleLike, game_of

if TYPE_CHECKING:
    from gdl_miner.api.gymnasium_env import GameVectorEnv, Opponents
    from gdl_miner.api.observer import ObservationKind
    from gdl_miner.api.openspiel import MoveOf, OpenSpielBot, OpenSpielGame
    from gdl_miner.api.pettingzoo_env import GameAECEnv


def pettingzoo_env(
    game: GameLike, *, observations: ObservationKind = "facts", render_mode: str | None = None
) -> GameAECEnv:
    """Return a game as an AEC environment of PettingZoo, whose agents are the roles.

    Args:
        game: a game, or what `gdl_miner.load` takes.
        observations: `facts`, or `planes` of the board.
        render_mode: `ansi` for positions in words.

    Raises ConfigError where PettingZoo is not installed, or no board is known for planes.
    """
    with named_extra("pettingzoo_env", "pettingzoo"):
        from gdl_miner.api.pettingzoo_env import GameAECEnv
    return GameAECEnv(game_of(game), observations=observations, render_mode=render_mode)


def gymnasium_env(
    game: GameLike,
    num_envs: int,
    *,
    role: RoleLike = 0,
    opponents: Opponents | None = None,
    observations: ObservationKind = "facts",
) -> GameVectorEnv:
    """Return many games as a vector environment of Gymnasium, in which one role learns.

    Args:
        game: a game, or what `gdl_miner.load` takes.
        num_envs: number of games.
        role: the one that learns.
        opponents: chooses the moves of the others, [num_envs, n_roles] of a `gdl_miner.VectorEnv`; -1 draws one. They
            are random without it.
        observations: `facts`, or `planes` of the board.

    Raises ConfigError where Gymnasium is not installed, there is no such role or no game, or no board for planes.
    """
    with named_extra("gymnasium_env", "gymnasium"):
        from gdl_miner.api.gymnasium_env import GameVectorEnv
    return GameVectorEnv(game_of(game), num_envs, role=role, opponents=opponents, observations=observations)


def openspiel_game(game: GameLike, *, observations: ObservationKind = "facts", zero_sum: bool = False) -> OpenSpielGame:
    """Return a game as a game of OpenSpiel.

    Args:
        game: a game, or what `gdl_miner.load` takes.
        observations: `facts`, or `planes` of the board.
        zero_sum: declare that goals add to 100 in a game of two roles, as some algorithms ask.

    Raises ConfigError where OpenSpiel is not installed, or no board is known for planes.
    """
    with named_extra("openspiel_game", "openspiel"):
        from gdl_miner.api.openspiel import OpenSpielGame
    return OpenSpielGame(game_of(game), observations=observations, zero_sum=zero_sum)


def openspiel_bot(
    game: GameLike, player_id: int, *, move_of: MoveOf | None = None, seed: int = 0, **options: Any
) -> OpenSpielBot:
    """Return a bot of OpenSpiel that searches as `gdl_miner.search` does, which takes the `options`.

    In another game of OpenSpiel of which `game` has the rules, `move_of(state, action)` says which move an action is,
    by its text; the state is one of the rules.

    Raises ConfigError where OpenSpiel is not installed, or there is no such player.
    """
    with named_extra("openspiel_bot", "openspiel"):
        from gdl_miner.api.openspiel import OpenSpielBot
    return OpenSpielBot(game_of(game), player_id, move_of=move_of, seed=seed, **options)
