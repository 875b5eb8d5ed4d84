"""`agent check` and `agent format`: whether the rules of a game are sound, and their canonical layout."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import BudgetError, ConfigError
from gdl_miner.agent.files.new_file import replace_file
from gdl_miner.agent.gdl.check import CheckReport, lint_sheet, report
from gdl_miner.agent.gdl.formatting import format_sheet
from gdl_miner.agent.gdl.rules import RuleSheet, read_text
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.reasoner.budget import Budget, Clock
from gdl_miner.agent.reasoner.checking import place_of, tried_findings
from gdl_miner.agent.reasoner.discovery import discovery_in_words
from gdl_miner.agent.reasoner.machine import Machine


def check(
    game: options.GameArgument,
    playouts: Annotated[
        int, typer.Option(min=0, max=MAX_PLAYOUTS, help="Random playouts to look for faults in; 0: none.")
    ] = 100,
    budget: options.BudgetSeconds = 20.0,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    hints: Annotated[bool, typer.Option("--hints", help="Show hints about style, which are else counted.")] = False,
    as_json: options.Json = False,
) -> None:
    """Check a game's rules and hint at oddities; exits with 1 for errors, with 2 if the sheet cannot be read."""
    limits = Budget(budget, budget_memory, options.report_progress)
    sheet = options.read(game, limits)
    clock = Clock(sheet.name, limits)
    checked = report(sheet, lambda: clock.check("checking"))
    notes: list[str] = []
    machine: Machine | None = None
    if not checked.errors:
        machine = _machine(sheet, limits) if playouts else None
        tried = tried_findings(sheet, checked.findings, machine, playouts, limits, notes)
        all_findings = (*checked.findings, *lint_sheet(sheet), *tried)
        checked = replace(checked, findings=tuple(sorted(all_findings, key=place_of)))
    found = discovery_in_words(machine.discovery, sheet.display) if machine is not None and sheet.board is None else ""
    if as_json:
        print(json.dumps(_described(checked, found, notes)))
    else:
        _show_report(checked, found, notes, Console(highlight=False, soft_wrap=True), hints=hints)
    if checked.errors:
        raise typer.Exit(1)


def _machine(sheet: RuleSheet, budget: Budget) -> Machine | None:
    """Return the machine of a sheet, None where its rules are too large for a circuit."""
    try:
        return options.load(sheet, budget.seconds, budget.memory_mib)
    except BudgetError:
        return None


def _described(checked: CheckReport, found: str, notes: list[str]) -> dict[str, Any]:
    return {
        "game": checked.sheet.name,
        "source": checked.sheet.source,
        "digest": checked.sheet.digest,
        "sound": not checked.errors,
        "findings": [
            {
                "severity": finding.severity,
                "line": finding.position.line,
                "column": finding.position.column,
                "what": finding.what,
                "advice": finding.advice,
            }
            for finding in checked.findings
        ],
        "roles": [checked.sheet.display(role) for role in checked.sheet.roles],
        "board": asdict(checked.board) if checked.board is not None else None,
        "found_board": found,
        "mgdl": {
            "conforming": checked.mgdl.conforming,
            "places": [str(place) for place in checked.mgdl.places],
        },
        "counts": asdict(checked.counts),
        "notes": notes,
    }


def _show_report(checked: CheckReport, found: str, notes: list[str], console: Console, *, hints: bool) -> None:
    colours = {"error": "red", "warning": "yellow", "hint": "cyan"}
    for finding in sorted(checked.findings, key=lambda finding: finding.severity == "hint"):
        if finding.severity != "hint" or hints:
            console.print(f"[{colours[finding.severity]}]{finding.severity}:[/]", end=" ")
            console.print(str(finding), markup=False)
    counts, board, places = checked.counts, checked.board, checked.mgdl.places
    roles = ", ".join(map(checked.sheet.display, checked.sheet.roles)) or "none"
    console.print(
        f"{checked.sheet.name}: {_count(counts.rules, 'rule')}, {_count(counts.facts, 'fact')},"
        f" {_count(counts.relations, 'relation')}, {_count(counts.functions, 'function')}; roles {roles}",
        markup=False,
    )
    if board is None:
        console.print(f"board: none described{f'; found {found}' if found else ''}", markup=False)
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
    for note in notes:
        console.print(f"note: {note}", markup=False)
    errors = len(checked.errors)
    kinds = Counter(finding.severity for finding in checked.findings if finding.severity != "error")
    verdict = f"not playable: {_count(errors, 'error')}" if errors else "playable" if kinds["warning"] else "sound"
    asked = "" if hints or not kinds["hint"] else " (--hints shows them)"
    counted = [_count(kinds[kind], kind) for kind in ("warning", "hint") if kinds[kind]]
    console.print(", ".join([f"verdict: {verdict}", *counted]) + asked)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_file(
    file: Annotated[str, typer.Argument(help="A .kif file, or a bundled game.", show_default=False)],
    write: Annotated[bool, typer.Option("--write", "-w", help="Write the file in place.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only exit with 1 if it would change.")] = False,
) -> None:
    """Lay out a rule sheet canonically. Order, comments and spelling stay; the rules mean the same."""
    text, source = read_text(file)
    if write and not Path(file).exists():
        raise ConfigError(f"{file} is a bundled game; --write needs the path of a file")
    if write and "\ufffd" in text:
        raise ConfigError(f"{source}: not UTF-8 text, so --write would lose some of it; save it as UTF-8 first")
    formatted = format_sheet(text, source)
    if check:
        raise typer.Exit(int(formatted != text))
    if not write:
        sys.stdout.write(formatted)
    elif formatted != text:
        path = Path(source).resolve()
        replace_file(path, formatted.encode(), path.stat().st_mode)
