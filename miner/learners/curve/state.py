"""The state that all learners with a learning curve have between two steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.miner.learners.learner import OtherVersionError
from gdl_miner.miner.learners.requests import Entrant

__all__ = ["CurveState", "CurveStateFields", "unpack_curve_state"]

_VERSION = 2


@dataclass(frozen=True, kw_only=True)
class CurveState:
    """The players of a step and how far the run has come."""

    step: int = 0  # 0: before anything is learned; one past the last: the validation
    entrant: Entrant | None = None  # the player that this step measures
    best: Entrant | None = None  # the strongest before
    ended: bool = False  # whether only the validation is left

    @property
    def members(self) -> tuple[Entrant, ...]:
        """The players of this step."""
        both = (each for each in (self.entrant, self.best) if each is not None)
        return tuple({each.name: each for each in both}.values())

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object; the knowledge of players is in the files of the step."""
        return {
            "version": _VERSION,
            "step": self.step,
            "entrant": None if self.entrant is None else self.entrant.name,
            "best": None if self.best is None else self.best.name,
            "ended": self.ended,
        }


class CurveStateFields(TypedDict):
    """The fields of `CurveState`."""

    step: int
    entrant: Entrant | None
    best: Entrant | None
    ended: bool


def unpack_curve_state(packed: dict[str, Any], knowledge: Callable[[int, str], Knowledge]) -> CurveStateFields:
    """Return the fields that `CurveState.pack` packed; `knowledge(step, name)` reads the file of a player.

    Raises OtherVersionError where another version packed them; ValueError, KeyError or TypeError where `pack` cannot
    have made the value.
    """
    if packed["version"] != _VERSION:
        raise OtherVersionError(f"it is of version {packed['version']}")
    step = int(packed["step"])
    entrant, best = (
        None if packed[each] is None else Entrant(packed[each], knowledge(step, packed[each]))
        for each in ("entrant", "best")
    )
    return {"step": step, "entrant": entrant, "best": best, "ended": bool(packed["ended"])}
