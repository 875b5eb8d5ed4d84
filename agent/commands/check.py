"""`agent check`: whether the rules of a game are sound."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from agent.commands.options import GAME_HELP, Json
from agent.gdl.check import CheckReport, report
from agent.gdl.rules import read_sheet


def check(game: Annotated[str, typer.Argument(help=GAME_HELP, show_default=False)], as_json: Json = False) -> None:
    """Check a game's rules; exits with 1 if there are errors, with 2 if the sheet cannot be read."""
    found = report(read_sheet(game))
    if as_json:
        print(json.dumps(_described(found)))
    else:
        _show(found, Console(highlight=False, soft_wrap=True))
    if found.errors:
        raise typer.Exit(1)


def _described(found: CheckReport) -> dict[str, Any]:
    return {
        "game": found.sheet.name,
        "source": found.sheet.source,
        "digest": found.sheet.digest,
        "sound": not found.errors,
        "findings": [
            {
                "severity": finding.severity,
                "line": finding.position.line,
                "column": finding.position.column,
                "what": finding.what,
                "advice": finding.advice,
            }
            for finding in found.findings
        ],
        "roles": [found.sheet.display(role) for role in found.sheet.roles],
        "board": asdict(found.board) if found.board is not None else None,
        "mgdl": {
            "conforming": found.mgdl.conforming,
            "places": [str(place) for place in found.mgdl.places],
        },
        "counts": asdict(found.counts),
    }


def _show(found: CheckReport, console: Console) -> None:
    colours = {"error": "red", "warning": "yellow"}
    for finding in found.findings:
        console.print(f"[{colours[finding.severity]}]{finding.severity}:[/]", end=" ")
        console.print(str(finding), markup=False)
    counts, board, places = found.counts, found.board, found.mgdl.places
    roles = ", ".join(map(found.sheet.display, found.sheet.roles)) or "none"
    console.print(
        f"{found.sheet.name}: {_count(counts.rules, 'rule')}, {_count(counts.facts, 'fact')},"
        f" {_count(counts.relations, 'relation')}, {_count(counts.functions, 'function')}; roles {roles}",
        markup=False,
    )
    if board is None:
        console.print("board: none described")
    else:
        console.print(
            f"board: {_count(board.dimensions, 'dimension')}, coordinates {board.low:g} to {board.high:g},"
            f" fields '{board.board_functor}', moves '{board.play_functor}'",
            markup=False,
        )
    console.print("mGDL: conforming" if not places else f"mGDL: inconclusive, {_count(len(places), 'place')}:")
    for place in places[:5]:
        console.print(f"  {place}", markup=False)
    if len(places) > 5:
        console.print(f"  … and {len(places) - 5} more (--json lists them)")
    errors = len(found.errors)
    warnings = len(found.findings) - errors
    verdict = "sound" if not errors else f"not playable: {_count(errors, 'error')}"
    console.print(f"verdict: {verdict}" + (f", {_count(warnings, 'warning')}" if warnings else ""))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
