"""The state of a learner of features between two steps, as a value and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.knowledge import Knowledge
from miner.gifl import GiflFeature, GiflFeatures
from miner.learners.learner import Entrant, OtherVersionError

__all__ = ["NOTHING_LEARNED", "GiflState", "unpack_state"]

_VERSION = 1
NOTHING_LEARNED = GiflFeatures({}, 0, 0, 0, 0)


@dataclass(frozen=True)
class GiflState:
    """Everything that the learner needs to go on as if never interrupted."""

    step: int = 0  # 0: before anything is learned; one past the last: the validation
    learned: GiflFeatures = NOTHING_LEARNED  # from the games of all steps so far
    entrant: Entrant | None = None  # the player that this step measures
    best: Entrant | None = None  # the one of an earlier step with the best result against the baseline
    best_percent: float = 0.0  # that result
    ended: bool = False  # whether only the validation is left

    @property
    def members(self) -> tuple[Entrant, ...]:
        """The players of this step."""
        both = (each for each in (self.entrant, self.best) if each is not None)
        return tuple({each.name: each for each in both}.values())

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object; the knowledge of players is in the files of the step."""
        learned = self.learned
        return {
            "version": _VERSION,
            "step": self.step,
            "entrant": None if self.entrant is None else self.entrant.name,
            "best": None if self.best is None else self.best.name,
            "best_percent": self.best_percent,
            "ended": self.ended,
            "counts": [learned.games, learned.decided, learned.moves, learned.variants],
            "features": [
                [each.role, each.side, level, list(each.facts), list(each.moves)]
                for each, level in learned.levels.items()
            ],
        }


def unpack_state(packed: dict[str, Any], knowledge: Callable[[int, str], Knowledge]) -> GiflState:
    """Return the state that `GiflState.pack` packed; `knowledge(step, name)` reads the file of a player.

    Raises OtherVersionError where another version packed it; ValueError, KeyError or TypeError where `pack` cannot have
    made the value.
    """
    if packed["version"] != _VERSION:
        raise OtherVersionError(f"it is of version {packed['version']}")
    step = int(packed["step"])
    entrant, best = (
        None if packed[each] is None else Entrant(packed[each], knowledge(step, packed[each]))
        for each in ("entrant", "best")
    )
    levels = {
        GiflFeature(int(role), side, tuple(facts), tuple(moves)): int(level)
        for role, side, level, facts, moves in packed["features"]
    }
    learned = GiflFeatures(levels, *map(int, packed["counts"]))
    return GiflState(step, learned, entrant, best, float(packed["best_percent"]), bool(packed["ended"]))
