"""`scripts/lab`: speed tables of many games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    Json,
    report_progress,
)
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS, MAX_SECONDS, MAX_SEED, MAX_THREADS
from gdl_miner.agent.reasoner.budget import Budget
from gdl_miner.agent.reasoner.machine import Machine
from lab.speed import corpus as all_games
from lab.speed import decisive, instruction_sets, latency, playouts, puzzles, search, values
from lab.speed.games import games_of, references
from lab.tables import print_rows

BenchGames = Annotated[
    list[str] | None,
    typer.Option("--game", "-g", help="A game; give it again for more.", show_default="all"),
]
Seconds = Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="How long to measure each game.")]
LanesOption = Annotated[int, typer.Option(min=64, max=512, help="Games in lock-step: 64, 128, 256 or 512.")]
CorpusFolder = Annotated[
    Path | None,
    typer.Option("--shared", envvar="GDL_MINER_SHARED", help="Folder of corpus/games/NAME.kif, if any."),
]


def measure_playouts(
    game: BenchGames = None,
    seconds: Seconds = 2.0,
    lanes: LanesOption = 512,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Random playouts per second, beside the RBG compiler and the best propositional network."""
    games = _load(game or list(references()), shared, budget, budget_memory)
    print_rows(playouts.COLUMNS, playouts.measure_playouts(games, seconds=seconds, lanes=lanes), as_json)


def measure_decisive(
    game: BenchGames = None,
    seconds: Seconds = 2.0,
    lanes: LanesOption = 512,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Rates of playouts that prefer decisive moves, beside those of uniformly random ones in the same run."""
    games = _load(game or decisive.GAMES, shared, budget, budget_memory)
    print_rows(decisive.COLUMNS, decisive.measure_decisive(games, seconds=seconds, lanes=lanes), as_json)


def measure_search(
    game: BenchGames = None,
    seconds: Seconds = 2.0,
    lanes: LanesOption = 512,
    count: Annotated[int, typer.Option("--playouts", min=1, max=MAX_PLAYOUTS, help="Playouts of each search.")] = 1000,
    rounds: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Turns of search and random play.")] = 5,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Playouts per second of batched UCT, and where its time goes."""
    games = _load(game or search.GAMES, shared, budget, budget_memory)
    measured = search.measure_searches(games, seconds=seconds, lanes=lanes, playouts=count, rounds=rounds)
    print_rows(search.COLUMNS, measured, as_json)


def measure_latency(
    game: BenchGames = None,
    seconds: Seconds = 1.0,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Microseconds for one state alone, without lanes."""
    games = _load(game or latency.GAMES, shared, budget, budget_memory)
    print_rows(latency.COLUMNS, latency.measure_latency(games, seconds=seconds), as_json)


def measure_values(
    game: BenchGames = None,
    seconds: Seconds = 2.0,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Microseconds for the learned value of one state, with the usual networks of every game."""
    games = _load(game or values.GAMES, shared, budget, budget_memory)
    print_rows(values.COLUMNS, values.measure_values(games, seconds=seconds), as_json)


def measure_corpus(
    game: BenchGames = None,
    seconds: Seconds = 0.5,
    lanes: LanesOption = 512,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Literals times states per second of every game of the corpus, the largest first, and a summary."""
    folder = _corpus(shared)
    names = game or ([] if folder is None else sorted(sheet.stem for sheet in (folder / "games").glob("*.kif")))
    if not names:
        raise ConfigError("there is no corpus of rule sheets; name its folder with --shared, or games with --game")
    games = _load(names, shared, budget, budget_memory)
    rows = all_games.measure_circuits(games, seconds=seconds, lanes=lanes)
    print_rows(all_games.COLUMNS, rows, as_json)
    if not as_json:
        print(f"\n{all_games.summary(rows)}")


def measure_puzzles(
    game: BenchGames = None,
    start: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="Seconds before the first move.")] = 20.0,
    play: Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="Seconds for every move.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="Threads of the player.")] = 2,
    uct: Annotated[bool, typer.Option("--uct", help="Play each game with UCT, too.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the searches.")] = 0,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Goals that a single player reaches by the clock in the games of one role; other games are left out."""
    folder = _corpus(shared)
    names = game or ([] if folder is None else sorted(path.stem for path in _puzzles(folder)))
    if not names:
        raise ConfigError("there is no corpus of rule sheets; name its folder with --shared, or games with --game")
    games = _load(names, shared, budget, budget_memory)
    clocks = puzzles.PuzzleClocks(start, play)
    rows = puzzles.measure_puzzles(games, clocks=clocks, threads=threads, with_uct=uct, seed=seed)
    print_rows(puzzles.COLUMNS, rows, as_json)


def measure_instruction_sets(
    game: BenchGames = None,
    seconds: Seconds = 1.0,
    lanes: LanesOption = 512,
    shared: CorpusFolder = None,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Random playouts per second on every instruction set of this processor."""
    games = _load(game or list(references()), shared, budget, budget_memory)
    rows = instruction_sets.measure_instruction_sets(games, seconds=seconds, lanes=lanes)
    print_rows(instruction_sets.columns(), rows, as_json)


def _load(names: Sequence[str], shared: Path | None, seconds: float, memory_mib: int) -> Iterator[tuple[str, Machine]]:
    return games_of(names, _corpus(shared), Budget(seconds, memory_mib, report_progress))


def _puzzles(corpus: Path) -> list[Path]:
    return [path for path in (corpus / "games").glob("*.kif") if len(read_sheet(path).roles) == 1]


def _corpus(shared: Path | None) -> Path | None:
    folder = None if shared is None else shared / "corpus"
    return folder if folder is not None and folder.is_dir() else None
