"""A finished match of a ladder, and the file that keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.agent.files.new_file import new_file
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import PlayerFault
from lab.opponents.engine_matches import EngineMatch
from lab.opponents.engine_report import outcome
from lab.opponents.own_player import OwnMove

__all__ = ["LadderMatch", "read_match", "write_match"]


@dataclass(frozen=True)
class LadderMatch:
    """A finished match of a ladder."""

    match: EngineMatch
    moves: tuple[OwnMove, ...]
    engine_moves: int  # after the opening, where an engine had a choice
    faults: tuple[PlayerFault, ...]  # of all players
    own_slowest_s: float  # longest answer of our player to a play message
    engine_slowest_s: float
    other_load: float  # mean number of processors that other processes kept busy
    shared_processor: bool  # whether both sides had to share one processor


def write_match(match: LadderMatch, machine: Machine, settings: Mapping[str, object], path: Path) -> None:
    """Write a match to a file, which appears when it is complete.

    Raises ConfigError if the file cannot be written.
    """
    display, played = machine.sheet.display, match.match
    told = {
        "settings": dict(settings),
        "pair": played.pair + 1,
        "role": display(machine.roles[played.role]),
        "result": outcome(played),
        "goals": list(played.goals),
        "opening_plies": played.opening,
        "moves": [[display(move) for move in joint] for joint in played.joints],
        "own_moves": [{**move._asdict(), "move": display(move.move)} for move in match.moves],
        "engine_moves": match.engine_moves,
        "engine_seconds": [round(seconds, 3) for seconds in played.engine_seconds],
        "faults": [fault._asdict() for fault in match.faults],
        "own_slowest_s": round(match.own_slowest_s, 3),
        "engine_slowest_s": round(match.engine_slowest_s, 3),
        "other_load": round(match.other_load, 3),
        "shared_processor": match.shared_processor,
    }
    with new_file(path, ConfigError) as write:
        write(json.dumps(told, indent=1).encode() + b"\n")


def read_match(path: Path, machine: Machine) -> LadderMatch:
    """Read a match.

    Raises ConfigError if the file is no match of the game.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        played = OngoingMatch(machine)
        for joint in told["moves"]:
            played.advance(joint)
        roles = [machine.sheet.display(role) for role in machine.roles]
        moves = tuple(
            OwnMove(**{**move, "move": played.joints[move["ply"]][roles.index(told["role"])]})
            for move in told["own_moves"]
        )
        return LadderMatch(
            match=EngineMatch(
                pair=told["pair"] - 1,
                role=roles.index(told["role"]),
                opening=told["opening_plies"],
                joints=played.joints,
                goals=tuple(told["goals"]),
                searches=tuple(move.search for move in moves if move.search is not None),
                engine_seconds=tuple(told["engine_seconds"]),
            ),
            moves=moves,
            engine_moves=told["engine_moves"],
            faults=tuple(PlayerFault(**fault) for fault in told["faults"]),
            own_slowest_s=told["own_slowest_s"],
            engine_slowest_s=told["engine_slowest_s"],
            other_load=told["other_load"],
            shared_processor=told["shared_processor"],
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, MoveError) as error:
        raise ConfigError(
            f"{path}: no match of this ladder ({type(error).__name__}: {error}); remove the file to play it again"
        ) from None
