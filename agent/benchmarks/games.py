"""The games of a table, where their sheets are, and what other systems reach on them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agent.commands.options import report_progress
from agent.errors import ConfigError
from agent.games import bundled
from agent.reasoner.machine import Machine, load_machine

__all__ = ["Reference", "games_of", "references"]


@dataclass(frozen=True)
class Reference:
    """Random playouts per second: of two other systems, and what is wanted here. None where nobody measured."""

    rbg: float | None = None
    propnet: float | None = None
    wanted: float | None = None


@cache
def references() -> dict[str, Reference]:
    """Figures by name of the rule sheet, in the order of the table."""
    text = (Path(__file__).parent / "references.toml").read_text(encoding="utf-8")
    return {name: Reference(**figures) for name, figures in tomllib.loads(text).items()}


def games_of(names: Sequence[str], corpus: Path | None, budget_s: float) -> Iterator[tuple[str, Machine]]:
    """Load the games one after the other, from the corpus folder or bundled; those not found are named and left out.

    Raises ConfigError where no name is found.
    """
    found = 0
    for name in names:
        game = _sheet_of(name, corpus)
        if game is None:
            report_progress(f"{name}: no such rule sheet{f' in {corpus}' if corpus else ''}; left out")
            continue
        found += 1
        yield name, load_machine(game, budget_s=budget_s, progress=report_progress)
    if not found:
        raise ConfigError("none of the games is there; name a bundled game or a folder of sheets with --corpus")


def _sheet_of(name: str, corpus: Path | None) -> str | None:
    places: list[Any] = [] if corpus is None else [corpus / "games" / f"{name}.kif", corpus / f"{name}.kif"]
    for place in [*places, Path(name)]:
        if place.is_file():
            return str(place)
    return name if name in bundled() else None
