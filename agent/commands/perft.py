"""`agent perft`: counts of reachable states, to compare reasoners with."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from agent.commands.options import DEFAULT_BUDGET, BudgetSeconds, Game, Json, report_progress
from agent.reasoner.machine import load_machine
from agent.reasoner.perft import Level
from agent.reasoner.perft import perft as count_levels


def perft(
    game: Game,
    depth: Annotated[int, typer.Option("--depth", "-d", min=0, help="Joint moves from the initial state.")] = 3,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    as_json: Json = False,
) -> None:
    """Count the states reached after 0, 1, … joint moves, and the sequences of joint moves that reach them."""
    machine = load_machine(game, budget_s=budget, progress=report_progress)
    levels: list[Level] = []
    if not as_json:
        print(f"{'depth':>5} {'states':>12} {'sequences':>16} {'terminal':>12} {'ended':>16}")
    for level in count_levels(machine, depth):
        levels.append(level)
        if not as_json:
            print("{:>5} {:>12,} {:>16,} {:>12,} {:>16,}".format(*level), flush=True)
    if as_json:
        print(json.dumps({"game": machine.sheet.name, "levels": [level._asdict() for level in levels]}))
