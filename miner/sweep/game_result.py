"""The result of one run of a sweep: a row of its table."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.report_features import class_shares
from gdl_miner.miner.results.store import BEST
from gdl_miner.miner.results.tables import Cell

BoardSource: TypeAlias = Literal["declared", "found", "none"]


@dataclass(frozen=True)
class GameResult:
    """The result of one run; one that failed has an error, and no more than what says which run it is."""

    run: str  # name of its folder
    game: str
    digest: str  # of the rules
    learner: str  # the learning method
    config: str  # name of the configuration
    seed: int
    error: str = ""  # why there is no run; empty if there is one
    n_roles: int = 0
    board_source: BoardSource = "none"  # whether the sheet describes a board, or one was found in the rules
    cells: int = 0  # of the board
    win_percent: float | None = None  # of the champion in fresh matches; None without such matches
    ci95: tuple[float, float] | None = None
    n: int = 0  # fresh matches
    draws: int = 0
    helps: bool = False  # whether the champion beat bare UCT in these matches
    outcomes: int = 0  # different results of the matches without knowledge; 1 if all ended alike
    features: dict[str, int] = field(default_factory=dict)  # of best.xml, by class
    weights: int = 0  # of the values of states in best.xml
    run_s: float = 0.0  # time of the run on one processor

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> GameResult:
        """Return the result that `as_json` gave. Raises TypeError or KeyError where the value is none."""
        interval = value["ci95"]
        return cls(**{**value, "ci95": None if interval is None else tuple(interval)})

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return asdict(self)

    def row(self) -> dict[str, Cell]:
        """Return the cells of the result in the table, by column."""
        low, high = self.ci95 or (None, None)
        return {
            "run": self.run,
            "game": self.game,
            "digest": self.digest,
            "learner": self.learner,
            "config": self.config,
            "seed": self.seed,
            "n_roles": self.n_roles,
            "board_source": self.board_source,
            "cells": self.cells,
            "win_percent": self.win_percent,
            "ci95_low": low,
            "ci95_high": high,
            "n": self.n,
            "draws": self.draws,
            "helps": self.helps,
            "outcomes": self.outcomes,
            **{each.element: self.features.get(each.element, 0) for each in FEATURE_CLASSES},
            "weights": self.weights,
            "run_s": round(self.run_s, 1),
            "error": self.error,
        }


COLUMNS = tuple(GameResult("", "", "", "", "", 0).row())


def found_in_run(folder: Path, machine: Machine) -> dict[str, Any]:
    """Return what a complete run has found: the fields of its result by name."""
    history, best = read_run(folder), read_knowledge(folder / BEST, machine.sheet)
    champion, matches = history.champion or {}, history.matches
    source: BoardSource = (
        "declared" if machine.sheet.board is not None else "none" if machine.board is None else "found"
    )
    return {
        "n_roles": len(machine.roles),
        "board_source": source,
        "cells": len(geometry_of(machine).points),
        "win_percent": champion.get("win_percent"),
        "ci95": tuple(champion["ci95"]) if champion else None,
        "n": champion.get("n", 0),
        "draws": champion.get("draws", 0),
        "helps": bool(champion) and history.helps,
        "outcomes": matches[matches["phase"] == "without knowledge"]["goals"].nunique(),
        "features": {name: count for name, count, _ in class_shares(best) if count},
        "weights": 0 if best.values is None else best.values.n_weights,
        "run_s": float(history.timings["seconds"].sum()),  # without what stands in no table, such as pictures
    }
