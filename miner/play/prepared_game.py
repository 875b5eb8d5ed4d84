"""Games and players that travel between processes as values, and that every process prepares once for itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.play.cost_model import PositionSample, SearchWork


@dataclass(frozen=True, eq=False)
class PreparedGame:
    """A game that any process can play: its rules and its circuit."""

    sheet: RuleSheet
    circuit: Circuit

    def machine(self) -> Machine:
        """Return the game's machine, which is made once per process."""
        return _machine(_Keyed(self))

    def sample(self) -> PositionSample:
        """Return the sample of positions for the cost of playouts, which is drawn once per process."""
        return _sample(_Keyed(self))


@dataclass(frozen=True, eq=False)
class PreparedPlayer:
    """A player and the cost of its playouts."""

    player: PlayerSpec
    work: SearchWork


def prepare_player(game: PreparedGame, bare: PlayerSpec, knowledge: Knowledge) -> PreparedPlayer:
    """Return the player that has the knowledge and otherwise searches like the bare player."""
    player = bare.with_knowledge(knowledge, game.machine())
    return PreparedPlayer(player, game.sample().search_work(player))


WITH_CHANCE = "take the learner evolution or values, which learn values over chance"


def refuse_chance(sheet: RuleSheet, what: str, advice: str) -> None:
    """Raise ConfigError for a game of chance, where `what` is not for such games; `advice` says what is."""
    if CHANCE_ROLE in sheet.roles:
        raise ConfigError(f"{sheet.name}: the role random moves by chance, and {what}; {advice}")


class _Keyed:
    """A cache key for a prepared game, equal for all copies of the same rules."""

    def __init__(self, game: PreparedGame) -> None:
        self.game = game

    def __hash__(self) -> int:
        return hash(self.game.sheet.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and other.game.sheet.digest == self.game.sheet.digest


@lru_cache(maxsize=4)
def _machine(keyed: _Keyed) -> Machine:
    return Machine(keyed.game.sheet, keyed.game.circuit)


@lru_cache(maxsize=4)
def _sample(keyed: _Keyed) -> PositionSample:
    return PositionSample(keyed.game.machine())
