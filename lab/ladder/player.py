"""The players of a ladder by their names, and what they are in a game."""

from __future__ import annotations

import hashlib
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import numpy as np

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.knowledge.knowledge_xml import knowledge_text
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import LocalRandom, PlayerLink
from gdl_miner.agent.released import LEVELS
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import NO_MOVE
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import search_positions
from gdl_miner.miner.commands.plugin_players import plugin_of_player, resolved_player
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.player_names import PlayerName
from lab.opponents.engines import check_engine
from lab.opponents.own_player import ServedSide
from lab.opponents.seats import KeptOpponent, MatchSeat, SeatedOpponent, seated_opponent

SERVED = "agent"  # `agent serve` as it is: it learns in the start clock
_OPPONENTS = ("ggp", "uci", "othello", "connect4", "plugin")  # kinds of programs of others
_DIGEST = 10  # hexadecimal digits of a knowledge file's hash


@dataclass(frozen=True)
class LadderRule:
    """The conditions of all matches of a ladder."""

    playouts: int = 100  # per move of bare UCT
    equal_playouts: bool = False  # as many for everybody; else as many as cost the work of bare UCT's
    start_clock: float = 0.0  # seconds
    play_clock: float = 0.0  # seconds; 0: no clocks, and playouts limit the searches
    patience_s: float = 60.0  # longest time until a program of others is ready, or answers

    @property
    def timed(self) -> bool:
        """Whether the players have clocks."""
        return self.play_clock > 0

    @property
    def conditions(self) -> str:
        """What decides a match beside its players, in words."""
        if self.timed:
            return f"clocks {self.start_clock:g} {self.play_clock:g}"
        return f"{self.playouts} playouts{'' if self.equal_playouts else ', equal work'}"


@dataclass(frozen=True)
class LadderPlayer:
    """A player in a game."""

    name: str
    spec: PlayerSpec | str | None = None  # that plays in batches; a text is the name of a plug-in in plain Python
    seated: SeatedOpponent | None = None  # that plays through a link; None where it has to be made of the spec
    signature: str = ""  # hash of its knowledge

    @property
    def label(self) -> str:
        """The name, with what tells the player from others of this name."""
        return f"{self.name}#{self.signature}" if self.signature else self.name


def check_name(name: str, rule: LadderRule) -> None:
    """Raise ConfigError for a name that means no player under the rule, whatever the game."""
    kind = name.partition(":")[0]
    if kind in _OPPONENTS:
        if kind == "ggp" and not rule.timed:
            raise ConfigError(f"{name}: GGP players play by clocks; give --play-clock")
        return
    if name == SERVED:
        if not rule.timed:
            raise ConfigError(f"{name}: agent serve plays by clocks; give --play-clock")
        return
    if plugin_of_player(name) is not None:
        if rule.timed:
            raise ConfigError(f"{name}: with clocks, name it as plugin:{name}")
        return
    known = PlayerName.read(name)
    if rule.timed and (known.kind != "search" or known.playouts is not None):
        raise ConfigError(f"{name}: with clocks, players search as long as these allow; leave what follows the @ out")
    if known.base not in ("uct", "random", *LEVELS) and not Path(known.base).is_file():
        raise ConfigError(
            f"{name}: no such player; give uct, random, a knowledge file, one of {', '.join(LEVELS)}, or KIND:COMMAND "
            f"with one of {', '.join(_OPPONENTS)}"
        )


def player_in(
    name: str, machine: Machine, rule: LadderRule, sample: PositionSample | None, folder: Path
) -> LadderPlayer:
    """Return a player in a game.

    Args:
        name: of the player, which was checked.
        machine: the game.
        rule: the conditions.
        sample: positions of the game on which equal work is measured; None for equal playouts.
        folder: gets the knowledge of players that are served.

    Raises ConfigError or KnowledgeError where it does not play this game.
    """
    kind = name.partition(":")[0]
    if CHANCE_ROLE in machine.roles and (rule.timed or kind in _OPPONENTS):
        raise ConfigError("matches with clocks or with programs of others leave nothing to chance; leave it out")
    if kind in _OPPONENTS:
        if kind != "ggp":
            check_engine(name, machine)
        return LadderPlayer(name, seated=seated_opponent(name, machine, rule.patience_s, timed=rule.timed))
    if name == SERVED:
        return LadderPlayer(name, seated=_Served(name, machine, ServedSide()))
    if plugin_of_player(name) is not None:
        return LadderPlayer(name, resolved_player(machine, name, rule.playouts))
    known = PlayerName.read(name)
    if known.base == "random":
        return LadderPlayer(name, PlayerSpec("random"), _Random() if rule.timed else None)
    knowledge = None if known.base == "uct" else read_knowledge(Path(known.base), machine.sheet)
    signature = "" if knowledge is None else _signature(knowledge, machine)
    if not rule.timed:
        return LadderPlayer(name, known.player(machine, rule.playouts, sample), signature=signature)
    options = tuple(f"{option}={value}" for option, value in known.options.items())
    side = ServedSide(options=options, serve=("--no-learn",))
    if knowledge is not None:
        own = folder / f"knowledge-{hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]}"
        own.mkdir(parents=True, exist_ok=True)
        write_knowledge(replace(knowledge, digest=machine.sheet.digest), own / "best.xml", machine.sheet)
        side = replace(side, knowledge=own)
    return LadderPlayer(name, seated=_Served(name, machine, side), signature=signature)


def through_link(player: LadderPlayer, machine: Machine) -> SeatedOpponent:
    """Return a player as one that takes seats of matches through links, without clocks where it has none yet."""
    if player.seated is not None:
        return player.seated
    spec = player.spec
    if isinstance(spec, PlayerSpec):
        return KeptOpponent(player.name, machine, lambda: _SpecOpponent(machine, spec))
    return seated_opponent(f"plugin:{player.name}", machine, 0.0, timed=False)


def _signature(knowledge: Knowledge, machine: Machine) -> str:
    return hashlib.sha256(knowledge_text(knowledge, machine.sheet)).hexdigest()[:_DIGEST]


class _SpecOpponent:
    """A player that searches each position anew, as it does in batches of matches."""

    def __init__(self, machine: Machine, spec: PlayerSpec) -> None:
        self._machine = machine
        self._spec = spec
        self._seed = 0

    def begin(self, seed: int) -> None:
        """Begin a match."""
        self._seed = seed

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the move of a role."""
        seed = derive_seed(self._seed, "move", match.number)
        if self._spec.kind == "random":
            legal = match.legal(role)
            return legal[seed % len(legal)]
        last = match.last_rows if match.number else np.full(len(self._machine.roles), NO_MOVE, np.int32)
        [found] = search_positions(self._machine, match.state[None], self._spec, [seed], last_rows=last[None])
        return self._machine.circuit.moves[next(each.best for each in found if each.role == role)]

    def close(self) -> None:
        """Do nothing, because there is no process to end."""


@dataclass(frozen=True)
class _Served:
    """`agent serve` in a seat, in a process of its own for each match."""

    description: str
    machine: Machine
    side: ServedSide

    def seated(self, seat: MatchSeat, client: aiohttp.ClientSession) -> AbstractAsyncContextManager[PlayerLink]:
        return self.side.seated(self.machine, seat, client)


@dataclass(frozen=True)
class _Random:
    """A player of random moves, which keeps to the clocks."""

    description: str = "random"

    def seated(self, seat: MatchSeat, client: aiohttp.ClientSession) -> AbstractAsyncContextManager[PlayerLink]:
        return nullcontext(LocalRandom(seat.seed))
