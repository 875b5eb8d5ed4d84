"""Opponents and evaluators of other packages as engines: `plugin:minimax+depth=3`, `plugin:uct:material@200`."""

from __future__ import annotations

from random import Random

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.api.game import Game, State
from gdl_miner.api.matches import mover_named

_PLAYOUTS = 100  # of an evaluator whose name has none


class PluginOpponent:
    """A plug-in in the seat of an engine; it plays in this process."""

    def __init__(self, name: str, machine: Machine) -> None:
        """Prepare the plug-in. Raises ConfigError where it is missing, or has no such option."""
        self._game = Game(machine)
        found = mover_named(self._game, name, _PLAYOUTS)
        if found is None:
            raise ConfigError(f"plugin:{name}: no package has this opponent; `miner plugins` lists those installed")
        self._choose = found
        self._dice = Random(0)

    def begin(self, seed: int) -> None:
        """Begin the random choices of a match."""
        self._dice = Random(seed)

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the move of a role. Raises MoveError where the plug-in chooses an illegal one."""
        legal = match.legal(role)
        if len(legal) == 1:
            return legal[0]
        last = tuple(match.last_rows.tolist())
        row = self._choose(State(self._game, match.state, last), role, self._dice.getrandbits(32))
        return self._game.machine.circuit.moves[row]

    def close(self) -> None:
        """Do nothing, because there is no process to end."""
