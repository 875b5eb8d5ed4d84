"""A finished match against an opponent, and the file that keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gdl_miner.agent.errors import ConfigError, MoveError
from gdl_miner.agent.files.new_file import new_file
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.referee import PlayerFault
from gdl_miner.miner.play.pairing import match_score
from gdl_miner.miner.play.rating import Score

Joint = tuple[str, ...]  # [role] canonical


class OwnMove(NamedTuple):
    """A move of our player after the opening, where it had a choice."""

    ply: int  # joint moves made before
    move: str  # that was made, canonical
    playouts: int | None  # 0 where the position was solved before; None if nothing was searched or no log line is there
    value: float | None  # mean goal of the search's move, 0..100; None where nothing was searched
    chosen: bool  # whether it is the move that a search chose
    most_visited: bool | None  # whether no move had more visits at the root; None where the record has no visits
    fault: str | None  # late, illegal or unreachable, as the referee saw it


@dataclass(frozen=True)
class OpponentMatch:
    """A finished match against an opponent."""

    pair: int
    role: int  # our player's role
    opening: int  # plies that were drawn at random
    joints: tuple[Joint, ...]  # [ply][role]
    goals: tuple[int | None, ...]  # [role]
    moves: tuple[OwnMove, ...]
    engine_seconds: tuple[float, ...]  # wall-clock, for each move that an opponent chose after the opening
    engine_moves: int  # after the opening, where an opponent had a choice
    faults: tuple[PlayerFault, ...] = ()  # of all players
    own_slowest_s: float = 0.0  # longest answer of our player to a play message
    engine_slowest_s: float = 0.0
    other_load: float = 0.0  # mean number of processors that other processes kept busy
    shared_processor: bool = False  # whether both sides had to share one processor

    @property
    def score(self) -> Score:
        """Win, draw or loss of our player."""
        return match_score([-1 if goal is None else goal for goal in self.goals], self.role)

    @property
    def outcome(self) -> str:
        """`win`, `loss` or `draw`, as our player sees it."""
        return "win" if self.score.wins else "draw" if self.score.draws else "loss"


def write_match(match: OpponentMatch, machine: Machine, settings: Mapping[str, object], path: Path) -> None:
    """Write a match to a file, which appears when it is complete.

    Raises ConfigError if the file cannot be written.
    """
    display = machine.sheet.display
    content = {
        "settings": dict(settings),
        "pair": match.pair + 1,
        "role": display(machine.roles[match.role]),
        "result": match.outcome,
        "goals": list(match.goals),
        "opening_plies": match.opening,
        "moves": [[display(move) for move in joint] for joint in match.joints],
        "own_moves": [{**move._asdict(), "move": display(move.move)} for move in match.moves],
        "engine_moves": match.engine_moves,
        "engine_seconds": [round(seconds, 6) for seconds in match.engine_seconds],
        "faults": [fault._asdict() for fault in match.faults],
        "own_slowest_s": round(match.own_slowest_s, 3),
        "engine_slowest_s": round(match.engine_slowest_s, 3),
        "other_load": round(match.other_load, 3),
        "shared_processor": match.shared_processor,
    }
    with new_file(path, ConfigError) as write:
        write(json.dumps(content, indent=1).encode() + b"\n")


def read_match(path: Path, machine: Machine) -> OpponentMatch:
    """Read a match.

    Raises ConfigError if the file is no match of the game.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        played = OngoingMatch(machine)
        for joint in content["moves"]:
            played.advance(joint)
        role = [machine.sheet.display(name) for name in machine.roles].index(content["role"])
        return OpponentMatch(
            pair=content["pair"] - 1,
            role=role,
            opening=content["opening_plies"],
            joints=played.joints,
            goals=tuple(content["goals"]),
            moves=tuple(OwnMove(**{**move, "move": played.joints[move["ply"]][role]}) for move in content["own_moves"]),
            engine_seconds=tuple(content["engine_seconds"]),
            engine_moves=content["engine_moves"],
            faults=tuple(PlayerFault(**fault) for fault in content["faults"]),
            own_slowest_s=content["own_slowest_s"],
            engine_slowest_s=content["engine_slowest_s"],
            other_load=content["other_load"],
            shared_processor=content["shared_processor"],
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, MoveError) as error:
        raise ConfigError(
            f"{path}: no match against an opponent ({type(error).__name__}: {error}); remove the file to play it again"
        ) from None
