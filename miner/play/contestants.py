"""Players of a tournament by their names: knowledge files, bare UCT with or without options, random players."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters, read_knowledge
from gdl_miner.agent.knowledge.parameter_row import Option, ParameterRow, ParameterValue
from gdl_miner.agent.knowledge.parameters import OPTIONS
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts

__all__ = ["read_contestant", "twin_of"]


def read_contestant(name: str, machine: Machine, playouts: int, sample: PositionSample | None) -> PlayerSpec:
    """Return the player that a name describes, with as many playouts as cost the work of `playouts` of bare UCT.

    A name is `FILE`, `uct` or `random`, then options of the search, then perhaps a number of playouts:
    `best.xml+solver`, `uct+solver+c=10@500`. `FILE@greedy` makes the best move by its values, or by its features
    where it has no values, and does not search.

    Args:
        name: name of the player.
        machine: the game.
        playouts: playouts per move of bare UCT.
        sample: positions of the game on which the work is measured; None: every player has `playouts`.

    Raises:
        ConfigError: an impossible option or number of playouts.
        KnowledgeError: a file that holds no knowledge of the game.
    """
    known, at, budget = name.rpartition("@")
    if at and budget == "greedy":
        return _greedy(known, machine)
    if at and budget == "twin":
        return _equal_work(_twin(known, machine, playouts), playouts, sample)
    if at and budget.isdecimal():
        name, playouts, sample = known, int(budget), None
        if not 1 <= playouts <= MAX_PLAYOUTS:
            raise ConfigError(
                f"{name}@{budget}: a player needs at least one playout per move and may have {MAX_PLAYOUTS:,}"
            )
    base, changes = _split_options(name)
    if base == "random":
        if changes:
            raise ConfigError(f"{name}: a random player does not search; give it no options")
        return PlayerSpec("random")
    if base.startswith(("uct+", "random+")):
        raise ConfigError(f"{name}: there is no such option; give {', '.join(_OPTIONS)}, as in uct+solver+c=10")
    bare = PlayerSpec("uct", playouts=playouts)
    if base == "uct":
        spec = replace(bare, parameters=Parameters(**changes))
    else:
        knowledge = read_knowledge(Path(base), machine.sheet)
        knowledge = replace(knowledge, parameters=replace(knowledge.parameters, **changes))
        spec = bare.with_knowledge(knowledge, machine)
    idle = [word for word in _OF_VALUES if _OPTIONS[word][0].name in changes]
    if idle and spec.values is None:
        raise ConfigError(
            f"{name}: {idle[0]} has no effect on a player without values of states; leave it out, or give a knowledge "
            "file that has values"
        )
    return _equal_work(spec, playouts, sample)


def twin_of(knowledge: Knowledge, machine: Machine, playouts: int) -> PlayerSpec:
    """Return the player with the parameters of the knowledge, to which all moves and all states look the same.

    What it wins against bare UCT is owed to the parameters of the search; what the knowledge wins against it is owed to
    features and values.
    """
    twin, bare = knowledge.twin(), PlayerSpec("uct", playouts=playouts)
    return bare.with_knowledge(twin, machine) if twin.n_features else replace(bare, parameters=twin.parameters)


def _equal_work(spec: PlayerSpec, playouts: int, sample: PositionSample | None) -> PlayerSpec:
    """Return the player with as many playouts as cost the work of `playouts` of bare UCT; without a sample as it is."""
    bare = PlayerSpec("uct", playouts=playouts)
    if sample is None or spec == bare:
        return spec
    return replace(spec, playouts=equal_playouts(playouts, sample.work_ratio(spec, bare)))


def _twin(name: str, machine: Machine, playouts: int) -> PlayerSpec:
    if name in ("uct", "random") or _split_options(name)[1]:
        raise ConfigError(f"{name}@twin: a twin has the parameters of a knowledge file; give a knowledge file alone")
    return twin_of(read_knowledge(Path(name), machine.sheet), machine, playouts)


def _greedy(name: str, machine: Machine) -> PlayerSpec:
    if name in ("uct", "random") or _split_options(name)[1]:
        raise ConfigError(f"{name}@greedy: a greedy player has knowledge and no options; give a knowledge file alone")
    knowledge = read_knowledge(Path(name), machine.sheet)
    if knowledge.values is None and not knowledge.n_features:
        raise ConfigError(
            f"{name}@greedy: the file holds neither values nor features; give one of `miner learn`, of a run whose "
            "knowledge helps"
        )
    selecting = replace(knowledge.parameters, features_in_selection=True)
    return PlayerSpec().with_knowledge(replace(knowledge, parameters=selecting), machine).greedy()


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


_OF_VALUES = ("values", "experience", "trust")  # options that have no effect without values of states
_OPTIONS = {option.word: (row, option) for row, option in OPTIONS}
