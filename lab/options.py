"""Options that several studies share, and the games that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    SeedOption,
    report_progress,
)
from gdl_miner.agent.errors import BudgetError, ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS, MAX_SECONDS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.commands.workplace import ExecutorKind, Executors

__all__ = [
    "DEFAULT_BUDGET",
    "DEFAULT_BUDGET_MEMORY",
    "BudgetMemory",
    "BudgetSeconds",
    "ExecutorKind",
    "Executors",
    "Games",
    "LanesOption",
    "Matches",
    "OutFolder",
    "PlayoutsOption",
    "Rounds",
    "Seconds",
    "SeedOption",
    "SharedFolder",
    "corpus_in",
    "loaded_games",
    "named_games",
    "report_progress",
]

GameT = TypeVar("GameT")

Games = Annotated[
    list[str] | None, typer.Option("--game", "-g", help="A game; give it again for more.", show_default="all")
]
Seconds = Annotated[float, typer.Option(min=0.01, max=MAX_SECONDS, help="How long to measure each game.")]
LanesOption = Annotated[int, typer.Option(min=64, max=512, help="Games in lock-step: 64, 128, 256 or 512.")]
SharedFolder = Annotated[
    Path | None,
    typer.Option("--shared", envvar="GDL_MINER_SHARED", help="Folder of corpus/games/NAME.kif, if any."),
]
Rounds = Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Rounds, in each of which everything has its turn.")]
PlayoutsOption = Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move.")]
Matches = Annotated[int, typer.Option(min=2, max=MAX_COUNT, help="Matches of each kind, in pairs with roles swapped.")]
OutFolder = Annotated[Path, typer.Option(help="Where the runs are kept, or already are; they are made once.")]


def corpus_in(shared: Path | None) -> Path | None:
    """Return the folder of the corpus, None where there is none."""
    folder = None if shared is None else shared / "corpus"
    return folder if folder is not None and folder.is_dir() else None


def loaded_games(
    names: Sequence[str],
    shared: Path | None,
    budget: float = DEFAULT_BUDGET,
    budget_memory: int = DEFAULT_BUDGET_MEMORY,
) -> Iterator[tuple[str, Machine]]:
    """Load the games one after the other, from the corpus or from the bundled games.

    Games that are not found, or not prepared within the budget, are reported and left out. Raises ConfigError where no
    game is left.
    """
    corpus, loaded = corpus_in(shared), 0
    for name in names:
        game = _sheet_of(name, corpus)
        if game is None:
            report_progress(f"{name}: no such rule sheet{f' in {corpus}' if corpus else ''}; left out")
            continue
        try:
            machine = load_machine(game, budget_s=budget, memory_mib=budget_memory, progress=report_progress)
        except BudgetError as error:
            report_progress(f"{error}; left out")
            continue
        loaded += 1
        yield name, machine
    if not loaded:
        raise ConfigError("no game is left to measure; name a bundled game, or a folder of sheets with --shared")


def named_games(known: Mapping[str, GameT], names: Sequence[str] | None, source: str) -> tuple[GameT, ...]:
    """Return the games of these names, with or without `.kif`; all known games without names.

    Raises ConfigError where the tables of the source have no such game.
    """
    wanted = [name.removesuffix(".kif") for name in names or known]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ConfigError(f"{unknown[0]} is not in the tables of {source}; take one of {', '.join(known)}")
    return tuple(known[name] for name in wanted)


def _sheet_of(name: str, corpus: Path | None) -> str | None:
    places = [] if corpus is None else [corpus / "games" / f"{name}.kif", corpus / f"{name}.kif"]
    for place in [*places, Path(name)]:
        if place.is_file():
            return str(place)
    return name if name in bundled() else None
