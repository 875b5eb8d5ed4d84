"""Analyses of positions that a program asks for, a line for each: visits, values, worth and reasons of the moves."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from gdl_miner.agent.board import MoveNames
from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE
from gdl_miner.agent.limits import MAX_PLAYOUTS, MAX_SECONDS, MOST_REASONS
from gdl_miner.agent.player.match import OngoingMatch
from gdl_miner.agent.player.player import Player
from gdl_miner.agent.player.thought import Thought
from gdl_miner.agent.player.worth import MoveWorth
from gdl_miner.agent.reasoner.engines import CircuitEngine
from gdl_miner.agent.reasoner.line_of_play import follow, position_of
from gdl_miner.agent.reasoner.machine import Machine

_MOST_MOVES = 12  # joint moves of the line expected


class AnalysisRequest(BaseModel):
    """A position to analyse, and how; what a line does not say is as the options say."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: JsonValue = None  # given back as it is
    facts: str | list[str] = ""  # the state to start from; by default the initial one
    moves: str = ""  # joint moves from there on, as `agent show --moves` takes them
    role: str = ""  # whose moves are searched; by default the first role with a choice
    playouts: int | None = Field(default=None, ge=1, le=MAX_PLAYOUTS)
    seconds: float | None = Field(default=None, gt=0, le=MAX_SECONDS)
    reasons: int | None = Field(default=None, ge=0, le=MOST_REASONS)


class AnalysisLimits(NamedTuple):
    """How long a position is searched, by playouts or by seconds, and what is told of it."""

    playouts: int | None
    seconds: float | None
    every: float | None  # seconds between two lines of one search
    reasons: int


class Analyst:
    """It answers lines that ask for analyses."""

    def __init__(self, machine: Machine, player: Callable[[int], Player], values: MoveWorth | None) -> None:
        """Analyse with the player of each role; `values` tell what states are worth, where there are any."""
        self._machine = machine
        self._player = player
        self._values = values
        self._names = MoveNames(machine)

    def answers(self, line: str, effort: AnalysisLimits) -> Iterator[dict[str, Any]]:
        """Yield what is found for a line of input: with `every` while it is searched, and in the end."""
        asked = AnalysisRequest()
        try:
            asked = AnalysisRequest.model_validate_json(line) if line.startswith("{") else AnalysisRequest(facts=line)
            yield from self._searched(asked, effort)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            what = f"{place + ': ' if place else ''}{first['msg']}"
            known = ", ".join(AnalysisRequest.model_fields)
            yield {"id": _id_of(line), "error": f"{what}; a line may hold {known}"}
        except UserError as error:
            yield {"id": asked.id, "error": str(error)}

    def _searched(self, asked: AnalysisRequest, effort: AnalysisLimits) -> Iterator[dict[str, Any]]:
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

    def _match(self, asked: AnalysisRequest) -> OngoingMatch:
        machine = self._machine
        facts = asked.facts if isinstance(asked.facts, str) else " ".join(asked.facts)
        start = position_of(machine, facts) if facts else machine.initial()
        match = OngoingMatch(machine, start)
        for joint, _ in follow(CircuitEngine(machine), asked.moves, start, "moves"):
            match.advance(joint)
        return match

    def _role(self, asked: AnalysisRequest, match: OngoingMatch) -> int:
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
