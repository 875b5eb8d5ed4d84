"""A game, and players of it, ready to be used by any process: they travel as values and are prepared once there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from agent.gdl import RuleSheet
from agent.knowledge import Knowledge
from agent.reasoner.circuit import Circuit
from agent.reasoner.machine import Machine
from agent.search.player import PlayerSpec
from miner.play.cost_model import Sample

__all__ = ["PreparedGame", "PreparedPlayer", "prepare_player"]


@dataclass(frozen=True, eq=False)
class PreparedGame:
    """A game ready to be played anywhere: its rules and its circuit."""

    sheet: RuleSheet
    circuit: Circuit

    def machine(self) -> Machine:
        """The game's machine; made once per process."""
        return _machine(_Keyed(self))

    def sample(self) -> Sample:
        """Positions to find out what a playout costs; drawn once per process."""
        return _sample(_Keyed(self))


@dataclass(frozen=True, eq=False)
class PreparedPlayer:
    """A player, and the price of one of its playouts."""

    player: PlayerSpec
    work: float


def prepare_player(game: PreparedGame, bare: PlayerSpec, knowledge: Knowledge) -> PreparedPlayer:
    """The player that searches like the bare one, but with knowledge."""
    player = bare.with_knowledge(knowledge, game.machine())
    return PreparedPlayer(player, game.sample().work(player))


class _Keyed:
    """A prepared game that equals any other copy of the same rules."""

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
def _sample(keyed: _Keyed) -> Sample:
    return Sample(keyed.game.machine())
