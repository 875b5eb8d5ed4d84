"""The class of a game, as its rules and its random matches show it."""

from __future__ import annotations

import numpy as np

from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.uct import play_matches

_MATCHES = 8  # random ones


def game_class(machine: Machine) -> str:
    """Return the class of a game, such as `2 players, in turn, board`.

    It names the number of players, whether they move in turn or, in any state of some random matches, at once, whether
    something is left to chance, and whether the game has a board.
    """
    players = machine.circuit.choosing_roles
    seats = np.zeros((_MATCHES, len(machine.roles)), np.int32)
    names = [str(number) for number in range(_MATCHES)]
    record = play_matches(machine, [PlayerSpec("random")], seats, range(_MATCHES), names)
    open_steps = np.setdiff1d(np.arange(len(record.states)), record.start[1:] - 1)
    at_once = any(
        sum(len(legal[role]) > 1 for role in players) > 1 for legal in map(machine.legal, record.states[open_steps])
    )
    words = [f"{len(players)} players", "at once" if at_once else "in turn"]
    words += ["chance"] if CHANCE_ROLE in machine.roles else []
    return ", ".join([*words, "no board" if machine.board is None else "board"])
