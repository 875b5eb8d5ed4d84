"""Players of the command line that choose their moves in a match in progress, by their names."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import fields
from typing import Any

from gdl_miner.agent.commands.plugin_players import plugin_player
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.player import OngoingMatch, Player
from gdl_miner.agent.player.match import MoveChooser
from gdl_miner.agent.player.named_player import knowledge_of_player
from gdl_miner.agent.reasoner.machine import Machine

OWN_PLAYERS = ("uct", "random")
EVALUATED_PLAYOUTS = 1000  # per move of an evaluator whose name says no number


def choosing_player(
    machine: Machine,
    name: str,
    *,
    closing: ExitStack,
    seconds: float | None = None,
    playouts: int | None = None,
    in_flight: int | None = None,
    changes: Mapping[str, Any] | None = None,
) -> MoveChooser:
    """Return the player of a name for one role: `uct`, `random`, a knowledge file, a level, or that of a plug-in.

    Args:
        machine: the game.
        name: the player.
        closing: closes its search trees, which it keeps from move to move.
        seconds: per move of a player that searches by itself.
        playouts: the same; an evaluator in plain Python has only these.
        in_flight: playouts at once in its tree.
        changes: parameters in place of the default ones, or of those of the file.

    Raises:
        ConfigError: there is no such player, or a plug-in cannot be loaded.
        KnowledgeError: a file cannot be read, or is of another game.
    """
    if name == "random":
        return _at_random
    found = plugin_player(machine, name, playouts or EVALUATED_PLAYOUTS)
    if found is not None:
        return found[1]
    if name == "uct":
        knowledge, bare = None, Parameters(**(changes or {}))
        parameters = {field.name: getattr(bare, field.name) for field in fields(bare)}
    else:
        knowledge, parameters = knowledge_of_player(name, machine.sheet, OWN_PLAYERS), dict(changes or {})
    players = dict[int, Player]()

    def choose(match: OngoingMatch, role: int, seed: int) -> int:
        if role not in players:
            players[role] = closing.enter_context(
                Player(
                    machine,
                    machine.roles[role],
                    knowledge=knowledge,
                    parameters=parameters,
                    in_flight=in_flight,
                    seed=seed,
                    match=match,
                )
            )
        return players[role].think(seconds=seconds, playouts=playouts).chosen.row

    return choose


def _at_random(match: OngoingMatch, role: int, seed: int) -> int:
    return int(random.Random(seed).choice(match.legal_rows(role).tolist()))
