"""Names of players: what a knowledge file or a level of released knowledge plays, and an error that lists all names."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.plugins import plugin_names
from gdl_miner.agent.released import LEVELS, levels_of

_SUFFIXES = (".xml", ".gz")


def knowledge_of_player(name: str, sheet: RuleSheet, own: Sequence[str]) -> Knowledge:
    """Return the knowledge of the player that a path or the name of a level means.

    Raises:
        KnowledgeError: the file or the level cannot be read.
        ConfigError: the name is neither; see `no_such_player`.
    """
    if not (Path(name).exists() or name in LEVELS or Path(name).name != name or name.endswith(_SUFFIXES)):
        raise no_such_player(name, sheet, own)
    return read_knowledge(name, sheet)


def no_such_player(
    name: str, sheet: RuleSheet, own: Sequence[str], *, where: str = "", files: bool = True
) -> ConfigError:
    """Return the error of a name that is no player; it lists those that exist.

    Args:
        name: what was given.
        sheet: the game.
        own: players of the command.
        where: what the message begins with, such as the option.
        files: whether knowledge files and released knowledge are players.
    """
    levels, opponents = levels_of(sheet) if files else (), plugin_names("opponent")
    evaluators = [f"uct:{each}" for each in plugin_names("evaluator")]
    base, plus, options = name.partition("+")
    close = difflib.get_close_matches(base, [*own, *levels, *opponents, *evaluators], n=1)
    known = [*own, *(["a knowledge file"] if files else [])]
    known += [f"a level of released knowledge ({', '.join(levels)})"] * bool(levels)
    known += [f"a player of another package ({', '.join([*opponents, *evaluators])})"] * bool(opponents or evaluators)
    guess = f"did you mean {close[0]}{plus}{options}? " if close else ""
    return ConfigError(f"{where}{name}: no such player; {guess}there are {', '.join(known)}")
