"""Options that several commands share, what they stand for, and the lines that report progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError, escaped
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.rules import LARGE_TEXT, RuleSheet, parse_sheet, read_text
from gdl_miner.agent.limits import MAX_IN_FLIGHT, MAX_MEMORY_MIB, MAX_PLIES, MAX_SECONDS, MAX_SEED, MAX_THREADS
from gdl_miner.agent.reasoner.budget import DEFAULT_MEMORY_MIB, DEFAULT_SECONDS, Budget, Clock
from gdl_miner.agent.reasoner.engines import Chosen, EngineKind, choose_engine
from gdl_miner.agent.reasoner.machine import Machine, load_machine

GAME_HELP = "A bundled game (amazons.ext) or the path of a .kif file."
DEFAULT_BUDGET = DEFAULT_SECONDS
DEFAULT_BUDGET_MEMORY = DEFAULT_MEMORY_MIB


def completing(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what completes a word of the command line to a name; where none fits, the shell completes files."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


completed = completing(bundled)
Game = Annotated[str, typer.Option("--game", "-g", help=GAME_HELP, show_default=False, autocompletion=completed)]
GameArgument = Annotated[str, typer.Argument(help=GAME_HELP, show_default=False, autocompletion=completed)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
SeedOption = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of all random choices.")]
RecordOption = Annotated[Path | None, typer.Option(help="Write the match to this XML file (.gz: compressed).")]
BudgetSeconds = Annotated[
    float,
    typer.Option(
        "--budget",
        min=0.1,
        max=MAX_SECONDS,
        help="Seconds for reading the rules, and for grounding and compiling them.",
    ),
]
BudgetMemory = Annotated[
    int,
    typer.Option(
        "--budget-memory", min=1, max=MAX_MEMORY_MIB, help="MiB that grounding and compiling the rules may take."
    ),
]
Engine = Annotated[
    EngineKind, typer.Option(help="What plays: the circuit, or the slow interpreter for what is too large for it.")
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        help="NAME=VALUE, a parameter in place of the knowledge file's or the default; give it again for more.",
        show_default=False,
    ),
]
InFlightOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MAX_IN_FLIGHT,
        help="Playouts at once in each tree; more are faster, one thinks best.",
        show_default="1; against a clock 8 for a player with values, 64 for others",
    ),
]
ThreadsOption = Annotated[
    int, typer.Option(min=0, max=MAX_THREADS, help="Trees grown at once; 0: one for each processor.")
]
MemoryOption = Annotated[int, typer.Option(min=1, max=MAX_MEMORY_MIB, help="MiB for transposition tables.")]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")]
OpeningPlies = Annotated[
    int, typer.Option(min=0, max=MAX_PLIES, help="Plies at the start of a pair of matches that are drawn at random.")
]


def report_progress(text: str) -> None:
    """Print a line of progress on standard error."""
    print(escaped(text), file=sys.stderr, flush=True)


def read(game: str | RuleSheet, budget: Budget) -> RuleSheet:
    """Read a rule sheet within a budget; where that takes seconds, say so. Raises BudgetError if it is too large."""
    if isinstance(game, RuleSheet):
        return game
    text, source = read_text(game)
    large = len(text) > LARGE_TEXT
    if large:
        report_progress(f"reading {source}: {len(text) / 2**20:.0f} MiB")
    clock = Clock(Path(source).name, budget)
    sheet = parse_sheet(text, source, lambda: clock.check("reading"))
    if large:
        report_progress(f"checking {sheet.name}: {len(sheet.rules):,} rules and facts")
    return sheet


def load(game: str | RuleSheet, budget: float, budget_memory: int) -> Machine:
    """Prepare a game for its circuit within a budget. Raises BudgetError if it is too large."""
    limits = Budget(budget, budget_memory, report_progress)
    return load_machine(read(game, limits), budget_s=budget, memory_mib=budget_memory, progress=report_progress)


def choose(game: str | RuleSheet, budget: float, budget_memory: int, kind: EngineKind = EngineKind.auto) -> Chosen:
    """Prepare a game for its circuit within a budget, or else for the best other engine."""
    limits = Budget(budget, budget_memory, report_progress)
    sheet = read(game, limits)
    return choose_engine(sheet, budget_s=budget, memory_mib=budget_memory, progress=report_progress, kind=kind)


def report_fallback(chosen: Chosen) -> None:
    """Say on standard error that a game has no circuit, and what plays it instead."""
    if chosen.machine is None:
        report_progress(f"{chosen.engine.name}, which is slow, plays {chosen.sheet.name}: {chosen.why}")


def check_word(option: str, word: str) -> None:
    """Raise ConfigError for a name that is not one word in a message of the protocol, or not read in a record."""
    if not word or not word.isprintable() or any(character.isspace() or character in "();" for character in word):
        raise ConfigError(f"{option} {word}: give one word of letters, digits and signs, without parentheses")
