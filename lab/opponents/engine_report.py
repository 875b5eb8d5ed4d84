"""Reports of matches against an engine: rows of pairs, the summary, and records of single matches."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gdl_miner.agent.errors import RecordError, unwritable
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.play.rating import Score
from lab.opponents.engine_matches import EngineMatch
from lab.tables import CellValue, Column

__all__ = ["EngineSummary", "append_record", "outcome", "pair_columns", "pair_row", "wins_losses_draws"]


def outcome(match: EngineMatch) -> str:
    """Return `win`, `loss` or `draw`, as the player sees it."""
    score = match.score
    return "win" if score.wins else "draw" if score.draws else "loss"


def wins_losses_draws(score: Score) -> str:
    """Return a text such as `3-6-1`."""
    return f"{score.wins}-{score.losses}-{score.draws}"


def pair_columns(machine: Machine, roles: Sequence[int]) -> tuple[Column, ...]:
    """Return the columns of a table of pairs: the player's result in each of its roles, its playouts, and the plies."""
    names = [machine.roles[role] for role in roles]
    results = [Column(name, f"as {machine.sheet.display(name)}", 10) for name in names]
    return (Column("pair", "pair", 6), *results, Column("playouts", "playouts"), Column("plies", "plies", 6, ",.1f"))


def pair_row(machine: Machine, pair: Sequence[EngineMatch]) -> dict[str, CellValue]:
    """Return the row of a pair; `playouts` is the mean of the player's searches."""
    row: dict[str, CellValue] = {machine.roles[match.role]: outcome(match) for match in pair}
    return row | {
        "pair": str(pair[0].pair + 1),
        "playouts": _mean_playouts(pair),
        "plies": float(np.mean([len(match.joints) for match in pair])),
    }


def _mean_playouts(matches: Iterable[EngineMatch]) -> float | None:
    """Return the mean number of playouts of the player's searches, None without searches."""
    made = [search.playouts for match in matches for search in match.searches]
    return float(np.mean(made)) if made else None


@dataclass(frozen=True)
class EngineSummary:
    """The results of all matches against an engine, as the player sees them."""

    machine: Machine
    engine: str  # description of the engine
    pairs: Sequence[Sequence[EngineMatch]]

    @property
    def matches(self) -> list[EngineMatch]:
        """All matches."""
        return [match for pair in self.pairs for match in pair]

    @property
    def score(self) -> Score:
        """The score of all matches; its interval allows for the dependence of the matches of a pair."""
        return sum((sum((match.score for match in pair), Score()).as_group() for pair in self.pairs), Score())

    def role_score(self, role: int) -> Score:
        """Return the score of the matches in which the player had a role."""
        return sum((match.score for match in self.matches if match.role == role), Score())

    @property
    def mean_playouts(self) -> float | None:
        """Mean number of playouts of the player's searches, None without searches."""
        return _mean_playouts(self.matches)

    @property
    def roles(self) -> list[int]:
        """The roles that the player had."""
        return sorted({match.role for match in self.matches})

    def as_json(self) -> dict[str, object]:
        """Return the published keys, in order."""
        score, sheet = self.score, self.machine.sheet
        seconds = [each for match in self.matches for each in match.engine_seconds]
        return {
            "game": sheet.name,
            "engine": self.engine,
            **score.as_json(),
            "by_role": {
                sheet.display(self.machine.roles[role]): wins_losses_draws(self.role_score(role)) for role in self.roles
            },
            "pairs": [[outcome(match) for match in pair] for pair in self.pairs],
            "playouts": self.mean_playouts,
            "engine_s": float(np.mean(seconds)) if seconds else None,
            "plies": float(np.mean([len(match.joints) for match in self.matches])),
        }

    def in_words(self) -> str:
        """Return a text such as `3-6-1 wins-losses-draws (2-3-0 as white, …): 35.0 % (95 %: 16.3–59.5) against …`."""
        score = self.score
        low, high = score.ci95
        made = self.mean_playouts
        playouts = "" if made is None else f", {made:,.0f} playouts a move"
        roles = ", ".join(
            f"{wins_losses_draws(self.role_score(role))} as {self.machine.sheet.display(self.machine.roles[role])}"
            for role in self.roles
        )
        return (
            f"{wins_losses_draws(score)} wins-losses-draws ({roles}): "
            f"{score.win_percent:.1f} % (95 %: {low:.1f}–{high:.1f}) against {self.engine}{playouts}"
        )


def append_record(path: Path, machine: Machine, match: EngineMatch, about: Mapping[str, object]) -> None:
    """Append one line of JSON about a match to a file: all moves, and the player's searches.

    Raises RecordError if the file cannot be written.
    """
    line = json.dumps(
        {
            "game": machine.sheet.name,
            **about,
            "pair": match.pair + 1,
            "role": machine.sheet.display(machine.roles[match.role]),
            "result": outcome(match),
            "goals": list(match.goals),
            "opening_plies": match.opening,
            "moves": [[machine.sheet.display(move) for move in joint] for joint in match.joints],
            "searches": list(_searches(match)),
        }
    )
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        raise RecordError(unwritable(path, error, "name a file in a folder that can be written")) from None


def _searches(match: EngineMatch) -> Iterator[dict[str, object]]:
    for search in match.searches:
        value = None if math.isnan(search.value) else round(search.value, 2)
        yield {"ply": search.ply, "playouts": search.playouts, "value": value}
