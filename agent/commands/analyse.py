"""`agent analyse`: positions in, a line of analysis for each of them out, for scripts and graphical programs."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from gdl_miner.agent.board import MoveNames
from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import BudgetError, ConfigError, UserError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import MAX_PLAYOUTS, MAX_SECONDS
from gdl_miner.agent.player import OngoingMatch, Player, Thought
from gdl_miner.agent.player.player import DEFAULT_MEMORY_MIB
from gdl_miner.agent.player.position import position_of
from gdl_miner.agent.player.worth import MoveWorth
from gdl_miner.agent.reasoner.engines import CircuitEngine
from gdl_miner.agent.reasoner.line_of_play import follow
from gdl_miner.agent.reasoner.machine import Machine

_LONGEST_LINE = 1 << 20  # characters of a line of input
_MOST_MOVES = 12  # joint moves of the line expected
_MOST_REASONS = 1000


class Asked(BaseModel):
    """A position to analyse, and how; what a line does not say is as the options say."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: JsonValue = None  # given back as it is
    facts: str | list[str] = ""  # the state to start from; by default the initial one
    moves: str = ""  # joint moves from there on, as `agent show --moves` takes them
    role: str = ""  # whose moves are searched; by default the first role with a choice
    playouts: int | None = Field(default=None, ge=1, le=MAX_PLAYOUTS)
    seconds: float | None = Field(default=None, gt=0, le=MAX_SECONDS)
    reasons: int | None = Field(default=None, ge=0, le=_MOST_REASONS)


class _Effort(NamedTuple):
    playouts: int | None
    seconds: float | None
    every: float | None  # seconds between two lines of one search
    reasons: int


def analyse(
    game: options.Game,
    knowledge: Annotated[
        Path | None, typer.Option("--knowledge", "-k", help="A knowledge file (best.xml) the agent searches with.")
    ] = None,
    playouts: Annotated[
        int | None, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts for each position.", show_default="1000")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, max=MAX_SECONDS, help="Seconds for each position instead.")
    ] = None,
    every: Annotated[
        float | None, typer.Option(min=0.05, max=MAX_SECONDS, help="Tell the search so far each so many seconds, too.")
    ] = None,
    reasons: Annotated[
        int, typer.Option(min=0, max=_MOST_REASONS, help="Weights of values that explain the best move.")
    ] = 0,
    threads: options.ThreadsOption = 1,
    memory: options.MemoryOption = DEFAULT_MEMORY_MIB,
    seed: options.SeedOption = 0,
    option: options.ParameterOption = None,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each position.")] = False,
) -> None:
    """Analyse positions: each line of the standard input is one, and the answer is printed before the next is read.

    A line is a JSON object such as {"facts": "(cell 1 1 x) (control o)"} or {"moves": "(mark 2 2 x)"}, or only
    the facts. docs/json.md lists what a line may hold and what an answer tells. The same line has the same answer,
    whatever came before it, unless seconds limit the search. A line that is at fault has an answer with
    [b]error[/b], and the exit status is then 1.
    """
    if playouts is not None and seconds is not None:
        raise ConfigError("--playouts and --seconds are both given; choose one")
    changes = read_changes(option or [])
    try:
        machine = options.load(game, budget, budget_memory)
    except BudgetError as error:
        raise BudgetError(f"{error}; an analysis needs a circuit") from None
    known = None if knowledge is None else read_knowledge(knowledge, machine.sheet)
    values = None if known is None or known.values is None else MoveWorth(known.values, machine)
    effort = _Effort(None if seconds is not None else playouts or 1000, seconds, every, reasons)
    players: dict[int, Player] = {}

    def player(role: int) -> Player:
        if role not in players:
            players[role] = Player(
                machine,
                machine.roles[role],
                knowledge=known,
                parameters=changes,
                threads=threads or len(os.sched_getaffinity(0)),
                memory_mib=memory,
                seed=seed,
            )
        return players[role]

    failed = False
    analyst = _Analyst(machine, player, values)
    for line in _lines():
        for answer in analyst.answers(line, effort):
            failed |= "error" in answer
            print(json.dumps(answer) if as_json else _in_words(answer), flush=True)
    for each in players.values():
        each.close()
    if failed:
        raise typer.Exit(1)


def _lines() -> Iterator[str]:
    """Yield the lines of the standard input that are not blank."""
    while line := sys.stdin.readline(_LONGEST_LINE):
        if line.strip():
            yield line.strip()


class _Analyst:
    def __init__(self, machine: Machine, player: Callable[[int], Player], values: MoveWorth | None) -> None:
        self._machine = machine
        self._player = player
        self._values = values
        self._names = MoveNames(machine)

    def answers(self, line: str, effort: _Effort) -> Iterator[dict[str, Any]]:
        """Yield what is found for a line of input: with `every` while it is searched, and in the end."""
        asked = Asked()
        try:
            asked = Asked.model_validate_json(line) if line.startswith("{") else Asked(facts=line)
            yield from self._searched(asked, effort)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            said = f"{place + ': ' if place else ''}{first['msg']}; a line may hold {', '.join(Asked.model_fields)}"
            yield {"id": _id_of(line), "error": said}
        except UserError as error:
            yield {"id": asked.id, "error": str(error)}

    def _searched(self, asked: Asked, effort: _Effort) -> Iterator[dict[str, Any]]:
        machine, match = self._machine, self._match(asked)
        if match.ended:
            yield {"id": asked.id, "final": True, "ended": True, "goals": list(match.goals)}
            return
        role = self._role(asked, match)
        player = self._player(role)
        player.begin_match(match)
        if asked.playouts is not None or asked.seconds is not None:
            effort = effort._replace(playouts=asked.playouts, seconds=asked.seconds)
        if asked.reasons is not None:
            effort = effort._replace(reasons=asked.reasons)
        worth = {} if self._values is None else self._values.of_moves(match.state, role)
        begin, made = time.perf_counter(), 0
        while True:
            left = None if effort.seconds is None else max(1e-3, effort.seconds - (time.perf_counter() - begin))
            part = min((each for each in (left, effort.every) if each is not None), default=None)
            thought = player.think(seconds=part, playouts=None if effort.playouts is None else effort.playouts - made)
            made += thought.playouts
            spent = time.perf_counter() - begin
            short = thought.playouts == 0 or effort.every is None
            final = short or made == effort.playouts or (effort.seconds is not None and spent >= effort.seconds)
            yield {
                "id": asked.id,
                "final": final,
                "ended": False,
                "role": machine.sheet.display(machine.roles[role]),
                "playouts": made,
                "seconds": round(spent, 3),
                "worth": self._worth(match, role),
                "moves": self._moves(thought, worth),
                "line": self._line(player, thought),
                "reasons": self._reasons(match, thought, effort.reasons),
            }
            if final:
                return

    def _match(self, asked: Asked) -> OngoingMatch:
        machine = self._machine
        facts = asked.facts if isinstance(asked.facts, str) else " ".join(asked.facts)
        start = position_of(machine, facts) if facts else machine.initial()
        match = OngoingMatch(machine, start)
        for joint, _ in follow(CircuitEngine(machine), asked.moves, start, "moves"):
            match.advance(joint)
        return match

    def _role(self, asked: Asked, match: OngoingMatch) -> int:
        roles = self._machine.roles
        if asked.role:
            if asked.role.lower() not in roles or asked.role.lower() == CHANCE_ROLE:
                raise ConfigError(f"no player has the role {asked.role}; name one of {', '.join(roles)}")
            return roles.index(asked.role.lower())
        choosing = self._machine.circuit.choosing_roles
        return next((role for role in choosing if len(match.legal_rows(role)) > 1), choosing[0])

    def _worth(self, match: OngoingMatch, role: int) -> float | None:
        """Return what the position is worth to the role by the values alone."""
        if self._values is None:
            return None
        return round(float(self._values.judge.values(match.state[None])[0][role]), 3)

    def _moves(self, thought: Thought, worth: dict[int, float]) -> list[dict[str, Any]]:
        return [
            {
                "move": move.move,
                "label": self._names.label(move.row),
                "visits": move.visits,
                "value": None if math.isnan(move.value) else round(move.value, 3),
                "verdict": move.verdict,
                "worth": round(worth[move.row], 3) if move.row in worth else None,
            }
            for move in thought.moves
        ]

    def _line(self, player: Player, thought: Thought) -> list[list[str]]:
        moves, display = self._machine.circuit.moves, self._machine.sheet.display
        return [[display(moves[row]) for row in joint] for joint in player.line(thought, _MOST_MOVES)]

    def _reasons(self, match: OngoingMatch, thought: Thought, most: int) -> list[dict[str, Any]]:
        several = sum(len(match.legal_rows(role)) > 1 for role in range(len(self._machine.roles))) > 1
        if self._values is None or not most or several:
            return []
        found = self._values.reasons(match.state, thought.chosen.row).changes[:most]
        return [
            {"weight": round(each.weight, 4), "words": each.words, "cells": [list(cell) for cell in each.cells]}
            for each in found
        ]


def _id_of(line: str) -> Any:
    """Return the id of a line that is at fault elsewhere, None where it has none."""
    try:
        told = json.loads(line)
    except ValueError:
        return None
    return told.get("id") if isinstance(told, dict) else None


def _in_words(answer: dict[str, Any]) -> str:
    """Return an answer in a line for people."""
    if "error" in answer:
        return f"error: {answer['error']}"
    if answer["ended"]:
        return f"the match is over: {' '.join('no goal' if goal is None else str(goal) for goal in answer['goals'])}"
    best = answer["moves"][0]
    value = "" if best["value"] is None else f", mean goal {best['value']:.1f}"
    proven = {1: ", proven best", -1: ", proven to bring the least"}.get(best["verdict"], "")
    line = " ".join(f"({' '.join(joint)})" for joint in answer["line"])
    so_far = "" if answer["final"] else " so far"
    return (
        f"{answer['role']}: {best['move']}{value}{proven}; {best['visits']:,} visits, {answer['playouts']:,} playouts"
        f"{so_far}; expects {line}"
    )
