"""Opponents and evaluators of other packages in a match of the command line; these play in plain Python.

The library (`api`) has these doors, because what other packages write is about its games and states. This file is the
only one of `agent` that may use it.
"""

from __future__ import annotations

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.player.match import MoveChooser, OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec


def plugin_player(machine: Machine, name: str, playouts: int) -> tuple[PlayerSpec | None, MoveChooser] | None:
    """Return the player of a plug-in, None if the name means none.

    Where it is an evaluator that judges by knowledge, it is also a player like those of knowledge files. The player
    raises ConfigError where the code of the package fails.

    Args:
        machine: the game.
        name: an opponent, or `uct:` and an evaluator, with options: `minimax+depth=3`, `uct:material@200`.
        playouts: per move of an evaluator whose name has none.

    Raises:
        ConfigError: the plug-in is missing or cannot be loaded, or has no such option.
    """
    # Here, because the library takes time to load, and few matches need it.
    from gdl_miner.api import plugin_players
    from gdl_miner.api.game import Game, State
    from gdl_miner.api.matches import mover_named

    plugin = plugin_players.plugin_of_player(name)
    if plugin is None:
        return None
    game = Game(machine)
    found, mover = plugin_players.plugin_player(game, name, playouts), mover_named(game, name, playouts)
    assert mover is not None  # the name is that of a plug-in

    def choose(match: OngoingMatch, role: int, seed: int) -> int:
        state = State(game, match.state, tuple(match.last_rows.tolist()))
        try:
            return mover(state, role, seed)
        except UserError:
            raise
        except Exception as error:  # whatever the code of others raises
            said = ": ".join(filter(None, (type(error).__name__, str(error).strip().partition("\n")[0])))
            raise plugin.refused(f"fails after {match.number} moves ({said})") from error

    return found if isinstance(found, PlayerSpec) else None, choose
