"""`agent perft`: counts of reachable states, to compare reasoners with."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    Engine,
    Game,
    Json,
    report_fallback,
    report_progress,
)
from gdl_miner.agent.reasoner.engines import EngineKind, choose_engine
from gdl_miner.agent.reasoner.perft import Level
from gdl_miner.agent.reasoner.perft import perft as count_levels


def perft(
    game: Game,
    depth: Annotated[
        int, typer.Option("--depth", "-d", min=0, max=1000, help="Joint moves from the initial state.")
    ] = 3,
    engine: Engine = EngineKind.auto,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Count the states reached after 0, 1, … joint moves, and the sequences of joint moves that reach them."""
    chosen = choose_engine(game, budget_s=budget, memory_mib=budget_memory, progress=report_progress, kind=engine)
    report_fallback(chosen)
    levels: list[Level] = []
    if not as_json:
        print(f"{'depth':>5} {'states':>12} {'sequences':>16} {'terminal':>12} {'ended':>16}")
    for level in count_levels(chosen.machine or chosen.engine, depth):
        levels.append(level)
        if not as_json:
            print("{:>5} {:>12,} {:>16,} {:>12,} {:>16,}".format(*level), flush=True)
    if as_json:
        print(
            json.dumps(
                {
                    "game": chosen.sheet.name,
                    "engine": chosen.engine.name,
                    "levels": [level._asdict() for level in levels],
                }
            )
        )
