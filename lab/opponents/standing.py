"""The result of all matches against one opponent: one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.play.rating import Score
from lab.opponents.match import OpponentMatch
from lab.opponents.seats import short_name
from lab.tables import Column, Row

COLUMNS = (
    Column("name", "opponent", 28),
    Column("result", "w-l-d", 8),
    Column("win_percent", "points %", 8, ".1f"),
    Column("ci95", "95 %", 12, ".1f"),
    Column("by_role", "by role", 24),
    Column("own_moves", "moves", 6),
    Column("own_faults", "faults", 18),
    Column("not_chosen", "not chosen", 10),
    Column("playouts", "playouts"),
    Column("engine_moves", "its moves", 9),
    Column("engine_faults", "its faults", 18),
    Column("other_load", "other load", 10, ".2f"),
)


@dataclass(frozen=True)
class OpponentStanding:
    """The matches against one opponent, as our player sees them."""

    machine: Machine
    description: str
    pairs: Sequence[Sequence[OpponentMatch]]
    note: str | None = None  # why there are fewer matches than there should be

    @property
    def score(self) -> Score:
        """The score of all matches; its interval allows for the dependence of the matches of a pair."""
        return sum((sum((match.score for match in pair), Score()).as_group() for pair in self.pairs), Score())

    def row(self) -> Row:
        """Return the published keys, in order; without matches those of the game, the opponent and the note alone."""
        sheet, score, name = self.machine.sheet, self.score, short_name(self.description)
        if not self.pairs:
            return {"game": sheet.name, "engine": self.description, "name": name, "n": 0, "note": self.note}
        matches = [match for pair in self.pairs for match in pair]
        moves = [move for match in matches for move in match.moves]
        searched = [move.playouts for move in moves if move.playouts is not None]
        seconds = [each for match in matches for each in match.engine_seconds]
        return {
            "game": sheet.name,
            "engine": self.description,
            "name": name,
            "result": _wins_losses_draws(score),
            **score.as_json(),
            "by_role": {
                sheet.display(self.machine.roles[role]): _wins_losses_draws(
                    sum((match.score for match in matches if match.role == role), Score())
                )
                for role in sorted({match.role for match in matches})
            },
            "pairs": [[match.outcome for match in pair] for pair in self.pairs],
            "playouts": float(np.mean(searched)) if searched else None,
            "engine_s": float(np.mean(seconds)) if seconds else None,
            "plies": float(np.mean([len(match.joints) for match in matches])),
            "own_moves": len(moves),
            "own_faults": dict(self._faults(matches, own=True)),
            "not_chosen": sum(not move.chosen for move in moves),
            "not_most_visited": [move.most_visited for move in moves].count(False),
            "own_slowest_s": max(match.own_slowest_s for match in matches),
            "engine_moves": sum(match.engine_moves for match in matches),
            "engine_faults": dict(self._faults(matches, own=False)),
            "engine_slowest_s": max(match.engine_slowest_s for match in matches),
            "other_load": float(np.mean([match.other_load for match in matches])),
            "shared_processor": any(match.shared_processor for match in matches),
            "note": self.note,
        }

    def _faults(self, matches: Sequence[OpponentMatch], *, own: bool) -> Counter[str]:
        """Return the faults of one side by kind, those of the start and the opening included."""
        faults = Counter({"late": 0, "illegal": 0})
        for match in matches:
            name = self.machine.sheet.display(self.machine.roles[match.role])
            faults.update(fault.what for fault in match.faults if (fault.role == name) is own)
        return faults


def _wins_losses_draws(score: Score) -> str:
    """Return a text such as `3-6-1`."""
    return f"{score.wins}-{score.losses}-{score.draws}"
