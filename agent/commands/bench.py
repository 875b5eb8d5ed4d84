"""`agent bench`: how fast a game runs."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from agent import _native
from agent.commands.options import DEFAULT_BUDGET, BudgetSeconds, Game, Json, report_progress
from agent.errors import ConfigError
from agent.reasoner.machine import Machine, load_machine
from agent.search.benchmark import SearchSpeed, measure_search

LANES = (64, 128, 256, 512)


def bench(
    game: Game,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long to play.")] = 3.0,
    lanes: Annotated[int, typer.Option(help="Games in lock-step: 64, 128, 256 or 512.")] = 512,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random moves.")] = 0,
    search: Annotated[bool, typer.Option("--search", help="Measure batched UCT instead of random playouts.")] = False,
    playouts: Annotated[int, typer.Option(min=1, help="Playouts for each position that --search searches.")] = 1000,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    as_json: Json = False,
) -> None:
    """Play random playouts, or search with --search, on one core and say how many playouts a second there are."""
    if lanes not in LANES:
        raise ConfigError(f"--lanes {lanes}: expected one of {', '.join(map(str, LANES))}")
    machine = load_machine(game, budget_s=budget, progress=report_progress)
    if search:
        _bench_search(
            machine, measure_search(machine, playouts=playouts, seconds=seconds, lanes=lanes, seed=seed), as_json
        )
        return
    totals = machine.playouts(seconds=seconds, lanes=lanes, seed=seed)
    result = _measured(machine, lanes, totals)
    if as_json:
        print(json.dumps(result))
    else:
        _print_table(machine, result)


def _bench_search(machine: Machine, speed: SearchSpeed, as_json: bool) -> None:
    result = {
        "game": machine.sheet.name,
        "isa": _native.chosen_instruction_set(),
        "positions": speed.positions,
        "playouts_per_s": speed.playouts_per_s,
        "nodes_per_s": speed.nodes / speed.seconds,
        "shares": speed.shares,
    }
    if as_json:
        print(json.dumps(result))
        return
    print(
        f"{result['game']}: {speed.playouts_per_s:,.0f} playouts and {result['nodes_per_s']:,.0f} nodes per second, "
        f"in searches of {speed.positions:,} positions of random matches ({result['isa']})"
    )
    print("time: " + ", ".join(f"{stage} {share:.0%}" for stage, share in speed.shares.items()))


def _measured(machine: Machine, lanes: int, totals: _native.PlayoutTotals) -> dict[str, Any]:
    """Return what `--json` prints. Means are over finished playouts, None where none finished."""
    finished = totals.playouts
    circuit = machine.circuit
    return {
        "game": machine.sheet.name,
        "engine": "circuit",
        "isa": _native.chosen_instruction_set(),
        "lanes": lanes,
        "playouts_per_s": finished / totals.seconds,
        "states_per_s": totals.states / totals.seconds,
        "mean_length": totals.finished_states / finished if finished else None,
        "mean_goals": [goal / finished if finished else None for goal in totals.goals],
        "gates": circuit.n_gates,
        "literals": circuit.n_literals,
        "ground_s": circuit.grounding_s,
        "compile_s": circuit.compile_s,
    }


def _print_table(machine: Machine, result: dict[str, Any]) -> None:
    table = Table(show_header=False, box=None)
    goals = zip(machine.roles, result["mean_goals"], strict=True)
    rows = {
        "game": result["game"],
        "engine": f"{result['engine']}, {result['isa']}, {result['lanes']} lanes",
        "playouts": f"{result['playouts_per_s']:,.0f} per second",
        "states": f"{result['states_per_s']:,.0f} per second",
        "mean length": _decimal(result["mean_length"]),
        "mean goals": ", ".join(f"{machine.sheet.display(role)} {_decimal(goal)}" for role, goal in goals),
        "circuit": f"{result['gates']:,} gates, {result['literals']:,} literals",
        "prepared in": f"{result['ground_s']:.2f} s grounding, {result['compile_s']:.2f} s compiling",
    }
    for name, text in rows.items():
        table.add_row(name, text)
    Console().print(table)


def _decimal(value: float | None) -> str:
    return "none finished" if value is None else f"{value:.2f}"
