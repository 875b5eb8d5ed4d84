"""Standings of a ladder: one row for each engine, with the faults of both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from lab.opponents.engine_report import EngineSummary, wins_losses_draws
from lab.opponents.ladder_engines import short_name
from lab.opponents.ladder_match import LadderMatch
from lab.opponents.own_player import OwnMove
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "LadderStanding"]

COLUMNS = (
    Column("engine", "engine", 28),
    Column("result", "w-l-d", 8),
    Column("win_percent", "points %", 8, ".1f"),
    Column("low", "95 % from", 9, ".1f"),
    Column("high", "to", 6, ".1f"),
    Column("own_moves", "moves", 6),
    Column("own_late", "late", 5),
    Column("own_illegal", "illegal", 7),
    Column("not_chosen", "not chosen", 10),
    Column("playouts", "playouts"),
    Column("engine_moves", "its moves", 9),
    Column("engine_faults", "its faults", 10),
    Column("other_load", "other load", 10, ".2f"),
)


@dataclass(frozen=True)
class LadderStanding:
    """The matches against one engine, as our player sees them."""

    machine: Machine
    description: str
    pairs: Sequence[Sequence[LadderMatch]]
    note: str | None  # why there are fewer matches than there should be

    def as_row(self) -> dict[str, CellValue]:
        """Return the cells of COLUMNS; all but the first are None without matches."""
        name = short_name(self.description)
        if not self.pairs:
            return {column.key: name if column.key == "engine" else None for column in COLUMNS}
        summary = self._summary
        own, engine = self._faults(own=True), self._faults(own=False)
        low, high = summary.score.ci95
        return {
            "engine": name,
            "result": wins_losses_draws(summary.score),
            "win_percent": summary.score.win_percent,
            "low": low,
            "high": high,
            "own_moves": len(self._moves),
            "own_late": own["late"],
            "own_illegal": own["illegal"],
            "not_chosen": sum(not move.chosen for move in self._moves),
            "playouts": summary.mean_playouts,
            "engine_moves": sum(match.engine_moves for match in self._matches),
            "engine_faults": sum(engine.values()),
            "other_load": self._other_load,
        }

    def as_json(self) -> dict[str, object]:
        """Return the published keys, in order; without matches those of the game, the engine and the note alone."""
        if not self.pairs:
            return {"game": self.machine.sheet.name, "engine": self.description, "n": 0, "note": self.note}
        values = [move.most_visited for move in self._moves]
        return {
            **self._summary.as_json(),
            "own_moves": len(self._moves),
            "own_faults": dict(self._faults(own=True)),
            "not_chosen": sum(not move.chosen for move in self._moves),
            "not_most_visited": values.count(False),
            "own_slowest_s": max(match.own_slowest_s for match in self._matches),
            "engine_moves": sum(match.engine_moves for match in self._matches),
            "engine_faults": dict(self._faults(own=False)),
            "engine_slowest_s": max(match.engine_slowest_s for match in self._matches),
            "other_load": self._other_load,
            "shared_processor": any(match.shared_processor for match in self._matches),
            "note": self.note,
        }

    @property
    def _matches(self) -> list[LadderMatch]:
        return [match for pair in self.pairs for match in pair]

    @property
    def _moves(self) -> list[OwnMove]:
        return [move for match in self._matches for move in match.moves]

    @property
    def _summary(self) -> EngineSummary:
        return EngineSummary(self.machine, self.description, [[each.match for each in pair] for pair in self.pairs])

    @property
    def _other_load(self) -> float:
        return float(np.mean([match.other_load for match in self._matches]))

    def _faults(self, *, own: bool) -> Counter[str]:
        """Return the faults of one side by kind, those of the start and the opening included."""
        display, found = self.machine.sheet.display, Counter({"late": 0, "illegal": 0})
        for match in self._matches:
            name = display(self.machine.roles[match.match.role])
            found.update(fault.what for fault in match.faults if (fault.role == name) is own)
        return found
