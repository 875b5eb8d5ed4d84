"""Our side of a ladder match: `agent serve` as a process, and its moves as its log and its record tell them."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.gdl import normalise
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.referee import PlayerFault
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.server.preparation import KnownGames
from lab.opponents.engine_matches import OwnSearch

__all__ = ["OwnMove", "OwnSetup", "OwnTraces", "own_moves", "read_traces"]

_LOGGED = re.compile(
    r" match (?P<match>\S+), move (?P<number>\d+): (?P<move>.+?), "
    r"(?:not searched|(?P<playouts>\d+) playouts(?P<circuit>, \d+/s, value (?P<value>[\d.]+|nan))?)"
)


@dataclass(frozen=True)
class OwnSetup:
    """The options with which our player is started."""

    knowledge: Path | None = None  # folder for `agent serve --knowledge`
    options: tuple[str, ...] = ()  # NAME=VALUE, parameters for `agent serve --option`
    serve: tuple[str, ...] = ()  # further words for `agent serve`

    def command(self, records: Path, seed: int) -> list[str]:
        """Return the command that serves with one tree on a port named `{port}` and writes records to a folder."""
        words = [
            sys.executable,
            "-m",
            "gdl_miner.agent",
            "serve",
            "--port",
            "{port}",
            "--threads",
            "1",
            "--seed",
            str(seed),
        ]
        words += ["--records", str(records)]
        if self.knowledge is not None:
            words += ["--knowledge", str(self.knowledge)]
        for option in self.options:
            words += ["--option", option]
        return [*words, *self.serve]


class OwnMove(NamedTuple):
    """A move of our player after the opening, where it had a choice."""

    ply: int  # joint moves made before
    move: str  # that was made, canonical
    playouts: int | None  # 0 where the position was solved before; None if nothing was searched or no log line is there
    value: float | None  # mean goal of the search's move, 0..100; None where nothing was searched
    chosen: bool  # whether it is the move that a search chose
    most_visited: bool | None  # whether no move had more visits at the root; None where the record has no visits
    fault: str | None  # late, illegal or unreachable, as the referee saw it

    @property
    def search(self) -> OwnSearch | None:
        """The search of the move, None if it had none or the log does not tell."""
        if self.playouts is None:
            return None
        return OwnSearch(self.ply, self.playouts, math.nan if self.value is None else self.value)


class _LoggedMove(NamedTuple):
    move: str  # canonical
    playouts: int | None  # 0 where the position was solved before; None if nothing was searched
    value: float | None


@dataclass(frozen=True)
class OwnTraces:
    """The record that our player has left behind about one match."""

    logged: Mapping[int, _LoggedMove]  # by ply
    visits: Mapping[int, Mapping[str, int]]  # by ply: visits of the root's moves, canonical


def read_traces(log: Path, records: Path, machine: Machine, knowledge: Path | None, match: str, role: int) -> OwnTraces:
    """Read the log of a player and the record of its match; what is missing in them is missing in the result.

    Args:
        log: the output of the player.
        records: the folder with the record.
        machine: the game.
        knowledge: the folder with the player's knowledge, which decides under which names it knows the game.
        match: id of the match.
        role: our player's role.
    """
    logged = dict(_logged(log.read_text(errors="replace").splitlines(), match))
    found = sorted(records.glob("*.xml"))
    visits = _visits(found[-1], machine, knowledge, role) if found else {}
    return OwnTraces(logged, visits)


def _logged(lines: Sequence[str], match: str) -> Iterator[tuple[int, _LoggedMove]]:
    for line in lines:
        found = _LOGGED.search(line)
        if found is None or found["match"] != match:
            continue
        playouts = int(found["playouts"] or 0)
        searched = playouts > 0 or found["circuit"] is not None  # the interpreter has no tree to look into
        value = float(found["value"] or "nan")
        yield (
            int(found["number"]) - 1,
            _LoggedMove(normalise(found["move"]), playouts if searched else None, None if math.isnan(value) else value),
        )


def _visits(path: Path, machine: Machine, knowledge: Path | None, role: int) -> dict[int, dict[str, int]]:
    """Return the visits of our player's searches from a record, which has the words of the sheet that it plays with."""
    known = KnownGames(knowledge).recognise(machine.sheet)
    played = machine if known.sheet.digest == machine.sheet.digest else load_machine(known.sheet.source)
    try:
        record = read_records(path, played)
    except UserError:
        return {}  # the player was ended while it wrote
    found: dict[int, dict[str, int]] = {}
    for ply in range(len(record.states)):
        span = slice(int(record.visit_start[ply]), int(record.visit_start[ply + 1]))
        visits = zip(record.visit_row[span].tolist(), record.visit_count[span].tolist(), strict=True)
        moves = {played.circuit.moves[row]: count for row, count in visits if row in played.rows(role)}
        if moves:
            back = str if known.renaming is None else known.renaming.back
            found[ply] = {back(move): count for move, count in moves.items()}
    return found


def own_moves(
    machine: Machine,
    joints: Sequence[Sequence[str]],
    role: int,
    opening: int,
    traces: OwnTraces,
    faults: Sequence[PlayerFault],
) -> Iterator[OwnMove]:
    """Yield our player's moves of a match after the opening, where it had a choice.

    Args:
        machine: the game.
        joints: [ply][role] the moves that were made, canonical.
        role: our player's role.
        opening: plies that were drawn.
        traces: what our player has left behind.
        faults: the faults of our player as the referee saw them.
    """
    seen = {fault.move - 1: fault.what for fault in faults}
    match = OngoingMatch(machine)
    for ply, joint in enumerate(joints):
        if ply >= opening and len(match.legal_rows(role)) > 1:
            logged, visits = traces.logged.get(ply), traces.visits.get(ply)
            top = None if visits is None else visits.get(joint[role], 0) == max(visits.values())
            chosen = bool(top) if logged is None else logged.playouts is not None and logged.move == joint[role]
            yield OwnMove(
                ply,
                joint[role],
                None if logged is None else logged.playouts,
                None if logged is None else logged.value,
                chosen and ply not in seen,
                top,
                seen.get(ply),
            )
        match.advance(joint)
