"""The state of a learner of features between two steps, as a value and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from typing import Any

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.miner.gifl import GameCounts, GiflFeature, GiflFeatures
from gdl_miner.miner.learners.curve.state import CurveState, unpack_curve_state

__all__ = ["GiflState", "unpack_state"]


@dataclass(frozen=True, kw_only=True)
class GiflState(CurveState):
    """Everything that the learner needs to go on as if never interrupted."""

    learned: GiflFeatures | None = None  # from the games of all steps so far; None before the first
    played: GameCounts = field(default_factory=GameCounts)  # the games of the step before
    dropped: int = 0  # features that the step before has dropped

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object; the knowledge of players is in the files of the step."""
        return {
            **super().pack(),
            "learned": None if self.learned is None else _pack_features(self.learned),
            "played": astuple(self.played),
            "dropped": self.dropped,
        }


def unpack_state(packed: dict[str, Any], knowledge: Callable[[int, str], Knowledge]) -> GiflState:
    """Return the state that `GiflState.pack` packed; `knowledge(step, name)` reads the file of a player.

    Raises OtherVersionError where another version packed it; ValueError, KeyError or TypeError where `pack` cannot have
    made the value.
    """
    fields = unpack_curve_state(packed, knowledge)
    learned = None if packed["learned"] is None else _unpack_features(packed["learned"])
    played = GameCounts(*map(int, packed["played"]))
    return GiflState(**fields, learned=learned, played=played, dropped=int(packed["dropped"]))


def _pack_features(learned: GiflFeatures) -> dict[str, Any]:
    levels = learned.levels.items()
    return {
        "counts": astuple(learned.counts),
        "features": [[each.role, each.side, level, list(each.facts), list(each.moves)] for each, level in levels],
    }


def _unpack_features(packed: dict[str, Any]) -> GiflFeatures:
    levels = {
        GiflFeature(int(role), side, tuple(facts), tuple(moves)): int(level)
        for role, side, level, facts, moves in packed["features"]
    }
    return GiflFeatures(levels, GameCounts(*map(int, packed["counts"])))
