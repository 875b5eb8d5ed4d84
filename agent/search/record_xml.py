"""Match records as XML: written and read one match at a time (thesis figure 5.2, docs/formats.md)."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.files.elements import Element, ElementError
from gdl_miner.agent.files.new_file import new_file
from gdl_miner.agent.files.untrusted_xml import GuardedStream, iterate_xml, located, open_xml, schema_of, schema_problem
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.search.record_names import RecordedGame, RecordNames, Sheet, text_of
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord

MAX_BYTES = 4 << 30  # largest size of uncompressed XML
VERSION = 1


def write_records(record: MatchBatchRecord, machine: RecordedGame, path: str | os.PathLike[str]) -> None:
    """Write matches to a file, compressed where its name ends in `.gz`. The file appears when it is complete.

    Raises:
        RecordError: the file cannot be written.
    """
    names = RecordNames(machine)
    with new_file(Path(path), RecordError) as write:
        sheet = machine.sheet
        attributes = f"version={quoteattr(str(VERSION))} game={quoteattr(sheet.name)} digest={quoteattr(sheet.digest)}"
        write(f"<?xml version='1.0' encoding='UTF-8'?>\n<Matches {attributes}>\n".encode())
        for match in range(record.n_matches):
            write("".join(_match_text(record, names, match)).encode())
        write(b"</Matches>\n")


def _match_text(record: MatchBatchRecord, names: RecordNames, match: int) -> Iterator[str]:
    yield f"  <Match Id={quoteattr(record.ids[match])}>\n"
    for role, name in enumerate(names.shown_roles):
        agent, playouts = int(record.players[match, role]), int(record.playouts[match, role])
        yield f'    <Player Agent="{agent}" Playouts="{playouts}">\n      <Role>{name}</Role>\n'
        yield f"      <Score>{int(record.goals[match, role])}</Score>\n    </Player>\n"
    first, last = int(record.start[match]), int(record.start[match + 1])
    holds = unpack_states(record.states[first:last], len(names.fact_lines))
    for step in range(first, last):
        yield f'    <State Number="{step - first}">\n'
        yield "".join([names.fact_lines[fluent] for fluent in np.flatnonzero(holds[step - first]).tolist()])
        yield from _moves_text(record, names, step)
        yield "    </State>\n"
    yield "  </Match>\n"


def _moves_text(record: MatchBatchRecord, names: RecordNames, step: int) -> Iterator[str]:
    for role, row in enumerate(record.moves[step].tolist()):
        if row != NO_MOVE:
            yield f"      <Move>\n        <Role>{names.shown_roles[role]}</Role>\n"
            yield f"        <MoveFact>{names.shown_moves[row]}</MoveFact>\n      </Move>\n"
    visits = slice(int(record.visit_start[step]), int(record.visit_start[step + 1]))
    rows, counts = record.visit_row[visits].tolist(), record.visit_count[visits].tolist()
    starts = names.machine.circuit.move_start
    open_role = None
    for row, count in zip(rows, counts, strict=True):
        role = int(np.searchsorted(starts, row, side="right")) - 1
        if role != open_role:
            yield "" if open_role is None else "      </Visits>\n"
            yield f"      <Visits>\n        <Role>{names.shown_roles[role]}</Role>\n"
            open_role = role
        yield f'        <Visit Count="{count}">{names.shown_moves[row]}</Visit>\n'
    yield "" if open_role is None else "      </Visits>\n"


@dataclass
class _Collected:
    """A record under construction."""

    ids: list[str] = field(default_factory=list)
    start: list[int] = field(default_factory=lambda: [0])
    states: list[NDArray[np.uint64]] = field(default_factory=list)
    moves: list[list[int]] = field(default_factory=list)
    goals: list[list[int]] = field(default_factory=list)
    visit_start: list[int] = field(default_factory=lambda: [0])
    visit_row: list[int] = field(default_factory=list)
    visit_count: list[int] = field(default_factory=list)
    players: list[list[int]] = field(default_factory=list)
    playouts: list[list[int]] = field(default_factory=list)

    def record(self, names: RecordNames) -> MatchBatchRecord:
        roles = len(names.roles)
        return MatchBatchRecord(
            ids=tuple(self.ids),
            start=np.array(self.start, dtype=np.int32),
            states=np.array(self.states, dtype=np.uint64).reshape(-1, names.state_words),
            moves=np.array(self.moves, dtype=np.int32).reshape(-1, roles),
            goals=np.array(self.goals, dtype=np.int32).reshape(-1, roles),
            visit_start=np.array(self.visit_start, dtype=np.int64),
            visit_row=np.array(self.visit_row, dtype=np.int32),
            visit_count=np.array(self.visit_count, dtype=np.int32),
            players=np.array(self.players, dtype=np.int32).reshape(-1, roles),
            playouts=np.array(self.playouts, dtype=np.int64).reshape(-1, roles),
        )


def read_records(path: str | os.PathLike[str], machine: RecordedGame, *, force: bool = False) -> MatchBatchRecord:
    """Read matches, `.gz` or plain; the root may be `<Matches>` or a single `<Match>`.

    Args:
        path: the file.
        machine: the game that the matches were played in.
        force: accept records of other rules; the names in them must exist in this game all the same.

    Raises:
        RecordError: the file is unreadable, malformed, too large or of another game; the message has file and line.
    """
    return next(iterate_records(path, machine, sys.maxsize, force=force))


def iterate_records(
    path: str | os.PathLike[str], machine: RecordedGame, states: int, *, force: bool = False
) -> Iterator[MatchBatchRecord]:
    """Read matches as `read_records` does, and yield them in parts of whole matches.

    A part ends with the match that makes it reach `states` states. At least one part is yielded; it is empty where the
    file holds no matches.
    """
    names, collected, source = RecordNames(machine), _Collected(), Path(path)
    with open_xml(source, MAX_BYTES, RecordError) as stream, located(source, RecordError):
        root, parts = None, 0
        for match in _matches(stream):
            if root is None:
                root = match.getroottree().getroot()
                _check_game(root, machine.sheet, force=force)
            problem = schema_problem(_schema(), match)
            if problem:
                raise RecordError(f"{source}:{problem[0]}: {problem[1]}; mend the record")
            _read_match(match, names, collected)
            _forget(match)
            if len(collected.moves) >= states:
                yield collected.record(names)
                collected, parts = _Collected(), parts + 1
        if collected.ids or parts == 0:
            yield collected.record(names)


def _matches(stream: GuardedStream) -> Iterator[Element]:
    for event, element in iterate_xml(stream):
        is_root = element.getparent() is None
        if event == "start" and is_root and element.tag not in ("Matches", "Match"):
            raise ElementError(element, f"<{element.tag}> is no match record", "give a file of <Matches>")
        if event == "end" and element.tag == "Match":
            yield element


def _forget(match: Element) -> None:
    """Free the memory of a match that has been read, and of what precedes it."""
    match.clear()
    parent = match.getparent()
    while parent is not None and match.getprevious() is not None:
        del parent[0]


def _check_game(root: Element, sheet: Sheet, *, force: bool) -> None:
    version, digest = root.get("version", str(VERSION)), root.get("digest", "")
    if version != str(VERSION):
        raise ElementError(root, f"version {version} of the format", f"this program reads version {VERSION}")
    if digest and digest != sheet.digest and not force:
        raise ElementError(root, f"matches of {root.get('game')}, not of {sheet.name}", "give records of this game")


@lru_cache(maxsize=1)
def _schema() -> etree.XMLSchema:
    return schema_of("gdl_miner.agent.search", "match.xsd")


def _read_match(match: Element, names: RecordNames, collected: _Collected) -> None:
    roles = len(names.roles)
    goals, players, playouts = [-1] * roles, [0] * roles, [0] * roles
    seated = match.findall("Player")
    for player in seated:
        role = names.role(player)
        goals[role] = int(text_of(player, "Score"))
        players[role], playouts[role] = int(player.get("Agent", "0")), int(player.get("Playouts", "0"))
    if len({names.role(player) for player in seated}) != roles or len(seated) != roles:
        raise ElementError(match, "the players do not match the roles", f"give one each: {', '.join(names.roles)}")
    for state in match.findall("State"):
        _read_state(state, names, collected)
    if any(NO_MOVE in moves for moves in collected.moves[collected.start[-1] : -1]):
        raise ElementError(match, "a state before the last has no joint move", "give one <Move> per role")
    collected.ids.append(match.get("Id", ""))
    collected.start.append(len(collected.moves))
    collected.goals.append(goals)
    collected.players.append(players)
    collected.playouts.append(playouts)


def _read_state(state: Element, names: RecordNames, collected: _Collected) -> None:
    words = [0] * names.state_words
    for fact in state.iterchildren("Fact"):
        fluent = names.fluent(fact)
        words[fluent // 64] |= 1 << (fluent % 64)
    moves = [NO_MOVE] * len(names.roles)
    for move in state.iterchildren("Move"):
        role = names.role(move)
        moves[role] = names.row(move, role, text_of(move, "MoveFact"))
    for visits in state.iterchildren("Visits"):
        role = names.role(visits)
        for visit in visits.iterchildren("Visit"):
            collected.visit_row.append(names.row(visit, role, (visit.text or "").strip()))
            collected.visit_count.append(int(visit.get("Count", "0")))
    collected.states.append(np.array(words, dtype=np.uint64))
    collected.moves.append(moves)
    collected.visit_start.append(len(collected.visit_row))
