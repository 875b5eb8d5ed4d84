"""The games of a table, the places of their sheets, and the speed of other systems on them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gdl_miner.agent.commands.options import report_progress
from gdl_miner.agent.errors import BudgetError, ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.reasoner.budget import Budget
from gdl_miner.agent.reasoner.machine import Machine, load_machine

__all__ = ["Reference", "games_of", "references"]


@dataclass(frozen=True)
class Reference:
    """Random playouts per second of two other systems and the goal of this project; None where there is no figure."""

    rbg: float | None = None
    propnet: float | None = None
    wanted: float | None = None


@cache
def references() -> dict[str, Reference]:
    """Return the figures by name of the rule sheet, in the order of the table."""
    text = (Path(__file__).parent / "references.toml").read_text(encoding="utf-8")
    return {name: Reference(**figures) for name, figures in tomllib.loads(text).items()}


def games_of(names: Sequence[str], corpus: Path | None, budget: Budget) -> Iterator[tuple[str, Machine]]:
    """Load the games one after the other, from the corpus folder or from the bundled games.

    Games that are not found, or not prepared within the budget, are reported and left out. Raises ConfigError where no
    game is left.
    """
    found = 0
    for name in names:
        game = _sheet_of(name, corpus)
        if game is None:
            report_progress(f"{name}: no such rule sheet{f' in {corpus}' if corpus else ''}; left out")
            continue
        try:
            machine = load_machine(
                game, budget_s=budget.seconds, memory_mib=budget.memory_mib, progress=budget.progress
            )
        except BudgetError as error:
            report_progress(f"{error}; left out")
            continue
        found += 1
        yield name, machine
    if not found:
        raise ConfigError("no game is left to measure; name a bundled game, or a folder of sheets with --shared")


def _sheet_of(name: str, corpus: Path | None) -> str | None:
    places: list[Any] = [] if corpus is None else [corpus / "games" / f"{name}.kif", corpus / f"{name}.kif"]
    for place in [*places, Path(name)]:
        if place.is_file():
            return str(place)
    return name if name in bundled() else None
