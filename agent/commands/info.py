"""`agent info`: what a game is and how it will run."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent import _native
from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    GAME_HELP,
    BudgetMemory,
    BudgetSeconds,
    Json,
    report_progress,
)
from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.gdl.board import Board
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.reasoner import cache
from gdl_miner.agent.reasoner.discovery import discovery_in_words
from gdl_miner.agent.reasoner.engines import fallback, states_per_second
from gdl_miner.agent.reasoner.machine import Machine, load_machine


def info(
    game: Annotated[str, typer.Argument(help=GAME_HELP, show_default=False)],
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Show a game's roles, size, board, and the engine it gets and why."""
    sheet = read_sheet(game)
    result = _described(sheet, budget, budget_memory)
    if as_json:
        print(json.dumps(result))
        return
    table = Table(show_header=False, box=None)
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in result.items():
        table.add_row(name.replace("_", " "), _text(value))
    Console().print(table)


def _described(sheet: RuleSheet, budget: float, budget_memory: int) -> dict[str, Any]:
    entry = cache.entry_path(sheet.digest)
    cached = entry.exists()
    result: dict[str, Any] = {
        "game": sheet.name,
        "source": sheet.source,
        "digest": sheet.digest,
        "roles": [sheet.display(role) for role in sheet.roles],
        "rules": len(sheet.rules),
        "board": asdict(sheet.board) if sheet.board is not None else None,
    }
    try:
        machine = load_machine(sheet, budget_s=budget, memory_mib=budget_memory, progress=report_progress)
    except BudgetError as error:
        chosen = fallback(sheet, str(error), memory_mib=budget_memory)
        speed = states_per_second(chosen.engine, 1.0)
        return result | {"engine": chosen.engine.name, "why": chosen.why, "states_per_s": speed}
    circuit = machine.circuit
    if sheet.board is None:
        result |= _found(machine)
    return result | {
        "engine": "circuit",
        "why": f"the rules ground and compile within {budget:g} s",
        "isa": _native.chosen_instruction_set(),
        "fluents": circuit.n_fluents,
        "moves": [len(moves) for moves in machine.moves],
        "gates": circuit.n_gates,
        "state_gates": circuit.n_state_gates,
        "literals": circuit.n_literals,
        "move_sets": circuit.n_sets,
        "loops": len(circuit.loops),
        "decisive_moves": machine.decisive_moves("auto").words,
        "ground_s": circuit.grounding_s,
        "compile_s": circuit.compile_s,
        "cache": str(entry),
        "from_cache": cached,
    }


def _found(machine: Machine) -> dict[str, Any]:
    """Return the board that the rules of a sheet without board facts show, and whether features use it."""
    board = machine.board
    words = {each.name: getattr(board, each.name) for each in fields(Board)} if board is not None else None
    return {"board": words, "found_board": discovery_in_words(machine.discovery, machine.sheet.display)}


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {_text(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
