"""`agent bench`, `agent perft` and `agent trace`: the speed of a game's engine, and whether it is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent import _native
from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.knowledge.parameter_changes import read_changes
from gdl_miner.agent.limits import MAX_PLAYOUTS, MAX_SECONDS
from gdl_miner.agent.reasoner.engines import Chosen, EngineKind, WalkTotals, random_walks
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.reasoner.perft import Level
from gdl_miner.agent.reasoner.perft import perft as count_levels
from gdl_miner.agent.reasoner.trace import check_traces, read_traces
from gdl_miner.agent.search.benchmark import SearchSpeed, measure_plain_search, measure_search
from gdl_miner.agent.search.player import PlayerSpec

LANES = (64, 128, 256, 512)


def bench(
    game: options.Game,
    seconds: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="How long to play.")] = 3.0,
    lanes: Annotated[int, typer.Option(min=64, max=512, help="Games in lock-step: 64, 128, 256 or 512.")] = 512,
    seed: options.SeedOption = 0,
    search: Annotated[bool, typer.Option("--search", help="Measure batched UCT instead of random playouts.")] = False,
    playouts: Annotated[
        int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts for each position that --search searches.")
    ] = 1000,
    option: options.ParameterOption = None,
    engine: options.Engine = EngineKind.auto,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Play random playouts, or search with --search, on one core and say how many playouts a second there are."""
    if lanes not in LANES:
        raise ConfigError(f"--lanes {lanes}: expected one of {', '.join(map(str, LANES))}")
    changes = read_changes(option or [])
    if changes and not search:
        raise ConfigError("--option is for searches; give --search, or leave it out")
    chosen = options.choose(game, budget, budget_memory, engine)
    machine = chosen.machine
    if option and machine is None:
        raise ConfigError(f"--option {option[0]} needs a circuit ({chosen.why}); leave it out")
    if search:
        if machine is None:
            speed = measure_plain_search(chosen.engine, playouts=playouts, seconds=seconds, seed=seed)
        else:
            player = PlayerSpec(playouts=playouts, parameters=Parameters(**changes))
            speed = measure_search(machine, player, seconds=seconds, lanes=lanes, seed=seed)
        _print_search(chosen, speed, as_json)
        return
    if machine is None:
        result = _walked(chosen, random_walks(chosen.engine, seconds, seed))
    else:
        result = _measured(machine, lanes, machine.playouts(seconds=seconds, lanes=lanes, seed=seed))
    if as_json:
        print(json.dumps(result))
    else:
        _print_table(chosen.sheet, result)


def _print_search(chosen: Chosen, speed: SearchSpeed, as_json: bool) -> None:
    result = {
        "game": chosen.sheet.name,
        "engine": chosen.engine.name,
        "isa": _isa(chosen),
        "positions": speed.positions,
        "playouts_per_s": speed.playouts_per_s,
        "nodes_per_s": speed.nodes / speed.seconds,
        "shares": speed.shares,
    }
    if as_json:
        print(json.dumps(result))
        return
    print(
        f"{result['game']}: {_rate(speed.playouts_per_s)} playouts and {_rate(speed.nodes / speed.seconds)} nodes per "
        f"second, in searches of {speed.positions:,} positions of random matches "
        f"({result['isa'] or chosen.engine.name})"
    )
    if chosen.machine is not None:
        print("time: " + ", ".join(f"{stage} {share:.0%}" for stage, share in speed.shares.items()))
    else:
        options.report_fallback(chosen)


def _isa(chosen: Chosen) -> str | None:
    return _native.chosen_instruction_set() if chosen.machine is not None else None


def _walked(chosen: Chosen, totals: WalkTotals) -> dict[str, Any]:
    """Return what `--json` prints for an engine that plays one playout after another."""
    finished = totals.playouts
    return {
        "game": chosen.sheet.name,
        "engine": chosen.engine.name,
        "why": chosen.why,
        "playouts_per_s": finished / totals.seconds,
        "states_per_s": totals.states / totals.seconds,
        "mean_length": totals.finished_states / finished if finished else None,
        "mean_goals": [goal / finished if finished else None for goal in totals.goals],
    }


def _measured(machine: Machine, lanes: int, totals: _native.PlayoutTotals) -> dict[str, Any]:
    """Return what `--json` prints for a circuit. Means are over finished playouts, None if none finished."""
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


def _print_table(sheet: RuleSheet, result: dict[str, Any]) -> None:
    table = Table(show_header=False, box=None)
    table.add_column()
    table.add_column(overflow="fold")
    compiled = "isa" in result
    goals = zip(sheet.roles, result["mean_goals"], strict=True)
    rows = {
        "game": result["game"],
        "engine": f"{result['engine']}, {result['isa']}, {result['lanes']} lanes" if compiled else result["engine"],
        "playouts": f"{_rate(result['playouts_per_s'])} per second",
        "states": f"{_rate(result['states_per_s'])} per second",
        "mean length": _decimal(result["mean_length"]),
        "mean goals": ", ".join(f"{sheet.display(role)} {_decimal(goal)}" for role, goal in goals),
    }
    if compiled:
        rows["circuit"] = f"{result['gates']:,} gates, {result['literals']:,} literals"
        rows["prepared in"] = f"{result['ground_s']:.2f} s grounding, {result['compile_s']:.2f} s compiling"
    else:
        rows["why"] = result["why"]
    for name, text in rows.items():
        table.add_row(name, text)
    Console().print(table)
    if result["mean_length"] is None:
        print(
            f"no match ended in this time, so searches by playouts learn nothing; agent check {sheet.source} says more"
        )


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _decimal(value: float | None) -> str:
    return "none finished" if value is None else f"{value:.2f}"


def perft(
    game: options.Game,
    depth: Annotated[
        int, typer.Option("--depth", "-d", min=0, max=1000, help="Joint moves from the initial state.")
    ] = 3,
    engine: options.Engine = EngineKind.auto,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Count the states reached after 0, 1, … joint moves, and the sequences of joint moves that reach them."""
    chosen = options.choose(game, budget, budget_memory, engine)
    options.report_fallback(chosen)
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


def trace(
    game: options.Game,
    check: Annotated[Path, typer.Option(help="The trace: JSON lines, one playout each.", show_default=False)],
    engine: options.Engine = EngineKind.auto,
    budget: options.BudgetSeconds = options.DEFAULT_BUDGET,
    budget_memory: options.BudgetMemory = options.DEFAULT_BUDGET_MEMORY,
) -> None:
    """Check that every step of recorded playouts agrees; otherwise show the first difference and exit with 1."""
    playouts = list(read_traces(check))
    chosen = options.choose(game, budget, budget_memory, engine)
    options.report_fallback(chosen)
    agreement = check_traces(chosen.engine, playouts)
    if agreement.difference is not None:
        print(f"{chosen.sheet.name}: {chosen.engine.name} differs: {agreement.difference}")
        raise typer.Exit(1)
    print(
        f"{chosen.sheet.name}: {chosen.engine.name} agrees on {agreement.playouts} playouts, {agreement.states} states"
    )
