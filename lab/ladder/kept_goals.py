"""The file of a game's matches, a line for each, by which a ladder goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.files.new_file import append_file, replace_file
from gdl_miner.agent.reading import read_bounded
from gdl_miner.miner.play.comparison import PlayMatches
from gdl_miner.miner.play.pairing import MatchRequest

Remarks = Callable[[str], Mapping[str, Any]]
"""It returns what else is to be kept of a match, by the id of the match."""
Parts = Callable[[Sequence[MatchRequest]], Iterable[Sequence[MatchRequest]]]
"""It cuts matches into parts, after each of which the file grows."""


@dataclass(frozen=True)
class KeptGoals:
    """The goals of finished matches of one game.

    A match is known by its players, the conditions, its seed and the plies of its opening. So others than those asked
    for may be in the file: of a player whose knowledge has changed, or under other conditions.
    """

    path: Path
    digest: str  # of the rules
    conditions: str  # of the matches asked for

    def playing(self, names: Sequence[str], play: PlayMatches, parts: Parts, remarks: Remarks) -> PlayMatches:
        """Return a way to play matches that plays only those whose goals are not kept, and keeps them.

        Args:
            names: of the players, with what tells them from others of their name.
            play: plays matches.
            parts: cuts matches into what is played together.
            remarks: what else is kept of a match.
        """

        def kept(matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
            known = {_key(line): line["goals"] for line in self.lines()}
            lines = {match.id: self._line(match, names) for match in matches}
            missing = [match for match in matches if _key(lines[match.id]) not in known]
            for part in parts(missing):
                goals = play(part)
                new = [{**lines[match.id], "goals": list(goals[match.id]), **remarks(match.id)} for match in part]
                append_file(self.path, "".join(json.dumps(line) + "\n" for line in new).encode())
                known |= {_key(line): line["goals"] for line in new}
            return {match.id: known[_key(lines[match.id])] for match in matches}

        return kept

    def lines(self) -> list[dict[str, Any]]:
        """Return what is kept of each match; a last line that a crash has cut off is removed.

        Raises ConfigError where the file is damaged, or holds matches by other rules.
        """
        if not self.path.exists():
            return []
        content = read_bounded(self.path)
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            replace_file(self.path, whole)
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            other = next((line for line in lines if line["digest"] != self.digest), None)
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{self.path}: the file is damaged ({error}); remove it, or give another --out") from None
        if other is not None:
            raise ConfigError(f"{self.path}: its matches follow other rules; remove it, or give another --out")
        return lines

    def _line(self, match: MatchRequest, names: Sequence[str]) -> dict[str, Any]:
        return {
            "digest": self.digest,
            "conditions": self.conditions,
            "seats": [names[seat] for seat in match.seats],
            "seed": match.seed,
            "opening_plies": match.opening_plies,
        }


def _key(line: Mapping[str, Any]) -> tuple[str, ...]:
    return (line["conditions"], *line["seats"], str(line["seed"]), str(line["opening_plies"]))
