"""Checks the engines against every sheet of a corpus, each in its own process, and keeps the results in a JSON file.

A game that is in the file already is not run again, so that the check can be stopped and continued.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import BudgetError, UserError
from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.reasoner.budget import Budget
from gdl_miner.agent.reasoner.engines import CircuitEngine, fallback, states_per_second
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.reasoner.prepare import prepare
from gdl_miner.agent.reasoner.trace import check_traces, read_traces
from tests.corpus import default_corpus
from tests.fuzz.isolation import DiedError, OverLimitError, isolated

COLUMNS = (
    "game",
    "engine",
    "gates",
    "literals",
    "loops",
    "ground_s",
    "compile_s",
    "states",
    "states_per_s",
    "agreement",
    "why",
)


def check_circuit(sheet_file: Path, trace_file: Path, budget: Budget) -> dict[str, Any]:
    """Return the result of the circuit of one game."""
    sheet = read_sheet(sheet_file)
    try:
        circuit = prepare(sheet, budget)
    except BudgetError as error:
        return {"engine": "none", "agreement": "over budget", "why": str(error)}
    agreement = check_traces(CircuitEngine(Machine(sheet, circuit)), read_traces(trace_file))
    return {
        "engine": "circuit",
        "gates": circuit.n_gates,
        "literals": circuit.n_literals,
        "loops": len(circuit.loops),
        "ground_s": round(circuit.grounding_s, 3),
        "compile_s": round(circuit.compile_s, 3),
        "states": agreement.states,
        "agreement": "no" if agreement.difference else "yes",
        "why": str(agreement.difference or ""),
    }


def check_fallback(sheet_file: Path, trace_file: Path, budget: Budget) -> dict[str, Any]:
    """Return the result of the engine that a game without a circuit gets, for the playouts that fit the budget."""
    sheet = read_sheet(sheet_file)
    engine, started, states = fallback(sheet, "no circuit").engine, time.monotonic(), 0
    speed = {"states_per_s": round(states_per_second(engine, 2.0), 1)}
    for playout in read_traces(trace_file):
        agreement = check_traces(engine, [playout])
        states += agreement.states
        if agreement.difference is not None:
            why = str(agreement.difference)
            return speed | {"engine": engine.name, "states": states, "agreement": "no", "why": why}
        if time.monotonic() - started > budget.seconds:
            break
    return speed | {"engine": engine.name, "states": states, "agreement": "yes", "why": ""}


Check = Callable[[Path, Path, Budget], dict[str, Any]]


def in_process(check: Check, sheet_file: Path, trace_file: Path, budget: Budget, limit_s: float) -> dict[str, Any]:
    """Run a check in a process with limits of memory and time."""
    memory_mib = budget.memory_mib + 1024
    try:
        found: dict[str, Any] = isolated(check, sheet_file, trace_file, budget, seconds=limit_s, memory_mib=memory_mib)
    except UserError as error:
        return {"engine": "none", "agreement": "refused", "why": str(error)}
    except OverLimitError as error:
        return {"engine": "none", "agreement": "over budget", "why": str(error)}
    except DiedError as error:
        return {"engine": "none", "agreement": "crash", "why": str(error)}
    return found


def show(results: dict[str, dict[str, Any]]) -> None:
    """Print the table and a summary."""
    print("\t".join(COLUMNS))
    for game, result in sorted(results.items()):
        print(game, *(str(result.get(column, ""))[:160] for column in COLUMNS[1:]), sep="\t")
    print(", ".join(f"{key} {count}" for key, count in counts_of(results).items()))


def counts_of(results: dict[str, dict[str, Any]]) -> dict[str, int]:
    """Return the number of games for each engine and agreement."""
    counts: dict[str, int] = {}
    for result in results.values():
        key = f"{result['engine']}: {result['agreement']}"
        counts[key] = counts.get(key, 0) + 1
    return dict(sorted(counts.items()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="corpus-check", description=__doc__)
    parser.add_argument("games", nargs="*", help="names of sheets; all of the corpus if none is given")
    parser.add_argument(
        "--corpus", type=Path, default=default_corpus(), help="folder with games/*.kif and traces/*.jsonl"
    )
    parser.add_argument("--out", type=Path, default=Path("corpus-check.json"), help="file of the results so far")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds to prepare a game")
    parser.add_argument("--memory", type=int, default=4096, help="MiB to prepare a game")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args()
    results: dict[str, dict[str, Any]] = json.loads(options.out.read_text()) if options.out.exists() else {}
    names = options.games or sorted(path.stem for path in (options.corpus / "games").glob("*.kif"))
    for name in names:
        if name in results:
            continue
        files = options.corpus / "games" / f"{name}.kif", options.corpus / "traces" / f"{name}.jsonl"
        budget = Budget(options.budget, options.memory)
        result = in_process(check_circuit, *files, budget, 2 * options.budget)
        if result["agreement"] == "over budget":
            slow = in_process(check_fallback, *files, budget, 2 * options.budget)
            result = slow | {"why": f"{result['why']} {slow['why']}".strip()}
        results[name] = result
        options.out.write_text(json.dumps(results, indent=1, sort_keys=True))
        print(name, *result.values(), file=sys.stderr, flush=True)
    chosen = {name: results[name] for name in names}
    if options.json:
        print(json.dumps({"games": chosen, "counts": counts_of(chosen)}, sort_keys=True))
    else:
        show(chosen)
    return 0 if all(results[name]["agreement"] == "yes" for name in names) else 1


if __name__ == "__main__":
    raise SystemExit(main())
