"""Players of a tournament by their names: knowledge files, bare UCT with or without options, random players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.knowledge.parameter_row import Option, ParameterRow, ParameterValue
from gdl_miner.agent.knowledge.parameters import OPTIONS
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.player.named_player import knowledge_of_player
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts

NamedKind: TypeAlias = Literal["search", "greedy", "twin"]


@dataclass(frozen=True)
class PlayerName:
    """What a name on the command line says of a player.

    A name is `FILE`, `uct` or `random`, then options of the search, then perhaps a number of playouts:
    `best.xml+solver`, `uct+solver+c=10@500`. `FILE@greedy` makes the best move by its values, or by its features
    where it has no values, and does not search. `FILE@twin` has the parameters of the file and none of its knowledge.
    """

    name: str
    base: str  # uct, random, or the path of a knowledge file
    kind: NamedKind = "search"
    options: Mapping[str, Any] = field(default_factory=dict)  # parameters of the search that differ
    playouts: int | None = None  # per move; None: as many as cost the work of bare UCT's

    @classmethod
    def read(cls, name: str) -> PlayerName:
        """Read a name. Raises ConfigError for an impossible option or number of playouts."""
        known, at, end = name.rpartition("@")
        kind: NamedKind = "greedy" if at and end == "greedy" else "twin" if at and end == "twin" else "search"
        playouts = int(end) if at and end.isdecimal() else None
        if playouts is not None and not 1 <= playouts <= MAX_PLAYOUTS:
            raise ConfigError(f"{name}: a player needs at least one playout per move and may have {MAX_PLAYOUTS:,}")
        base, options = _split_options(name if kind == "search" and playouts is None else known)
        if base.startswith(("uct+", "random+")):
            raise ConfigError(f"{base}: there is no such option; give {', '.join(_OPTIONS)}, as in uct+solver+c=10")
        if base == "random" and options:
            raise ConfigError(f"{name}: a random player does not search; give it no options")
        if kind != "search" and (base in ("uct", "random") or options):
            what = "has the parameters of a knowledge file" if kind == "twin" else "has knowledge and no options"
            raise ConfigError(f"{name}: a {kind}{' player' * (kind == 'greedy')} {what}; give a knowledge file alone")
        return cls(name, base, kind, options, playouts)

    def player(self, machine: Machine, playouts: int, sample: PositionSample | None) -> PlayerSpec:
        """Return the player, with as many playouts as cost the work of `playouts` of bare UCT.

        Args:
            machine: the game.
            playouts: playouts per move of bare UCT.
            sample: positions of the game on which the work is measured; None: every player has `playouts`.

        Raises:
            ConfigError: there is no such player, or options or a kind need knowledge that the file does not have.
            KnowledgeError: a file that holds no knowledge of the game.
        """
        if self.base == "random":
            return PlayerSpec("random")
        if self.kind == "greedy":
            return self._greedy(machine)
        own = playouts if self.playouts is None else self.playouts
        bare = PlayerSpec("uct", playouts=own)
        if self.base == "uct":
            spec = replace(bare, parameters=Parameters(**self.options))
        else:
            knowledge = knowledge_of_player(self.base, machine.sheet, _OWN)
            if self.kind == "twin":
                spec = twin_of(knowledge, machine, own)
            else:
                parameters = replace(knowledge.parameters, **self.options)
                spec = bare.with_knowledge(replace(knowledge, parameters=parameters), machine)
        idle = [word for word in _OF_VALUES if _OPTIONS[word][0].name in self.options]
        if idle and spec.values is None:
            raise ConfigError(
                f"{self.name}: {idle[0]} has no effect on a player without values of states; leave it out, or give a "
                "knowledge file that has values"
            )
        if sample is None or self.playouts is not None or spec == bare:
            return spec
        return replace(spec, playouts=equal_playouts(own, sample.work_ratio(spec, bare)))

    def _greedy(self, machine: Machine) -> PlayerSpec:
        knowledge = knowledge_of_player(self.base, machine.sheet, _OWN)
        if knowledge.values is None and not knowledge.n_features:
            raise ConfigError(
                f"{self.name}: the file holds neither values nor features; give one of `miner learn`, of a run whose "
                "knowledge helps"
            )
        selecting = replace(knowledge.parameters, features_in_selection=True)
        return PlayerSpec().with_knowledge(replace(knowledge, parameters=selecting), machine).greedy()


def twin_of(knowledge: Knowledge, machine: Machine, playouts: int) -> PlayerSpec:
    """Return the player with the parameters of the knowledge, to which all moves and all states look the same.

    What it wins against bare UCT is owed to the parameters of the search; what the knowledge wins against it is owed to
    features and values.
    """
    twin, bare = knowledge.twin(), PlayerSpec("uct", playouts=playouts)
    return bare.with_knowledge(twin, machine) if twin.n_features else replace(bare, parameters=twin.parameters)


def _split_options(name: str) -> tuple[str, dict[str, Any]]:
    """Return a name without the options at its end, and the parameters that they change."""
    changes: dict[str, Any] = {}
    while True:
        rest, plus, option = name.rpartition("+")
        key, equals, value = option.partition("=")
        if not plus or key not in _OPTIONS:
            return name, changes
        row, known = _OPTIONS[key]
        try:
            changes[row.name] = _value(row, known, value if equals else None)
            Parameters(**changes)
        except ValueError as error:
            raise ConfigError(f"{name}: option {option}: {error}") from None
        name = rest


def _value(row: ParameterRow, option: Option, given: str | None) -> ParameterValue:
    """Return the value of `+WORD=given`, or of `+WORD` alone."""
    if given is None:
        return row.default if option.bare is None else option.bare
    if row.kind is bool:
        raise ValueError(f"it takes no value; leave ={given} out")
    return row.read(given)


_OWN = ("uct", "random")  # players without a file
_OF_VALUES = ("values", "experience", "trust")  # options that have no effect without values of states
_OPTIONS = {option.word: (row, option) for row, option in OPTIONS}
