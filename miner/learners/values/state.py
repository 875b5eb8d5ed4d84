"""The state of a learner of values between two steps, as a value and as JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Knowledge
from miner.learners.learner import Entrant, OtherVersionError, TrainedValues
from miner.training import LearnedWeights, RoundTotals

__all__ = ["ValuesState", "pack_weights", "unpack_state", "unpack_weights"]

_VERSION = 1


@dataclass(frozen=True)
class ValuesState:
    """Everything that a learner of values needs to go on as if never interrupted."""

    step: int = 0  # 0: before any training; one past the last: the validation
    trained: TrainedValues | None = None  # what the step before has learned
    entrant: Entrant | None = None  # the player with these values, to be measured in this step
    best: Entrant | None = None  # the strongest before
    unchanged: int = 0  # steps since the strongest was found
    ended: bool = False  # whether only the validation is left

    @property
    def members(self) -> tuple[Entrant, ...]:
        """The players of this step."""
        both = (each for each in (self.entrant, self.best) if each is not None)
        return tuple({each.name: each for each in both}.values())

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object; the knowledge of players is in the files of the step."""
        trained = self.trained
        return {
            "version": _VERSION,
            "step": self.step,
            "learned": None if trained is None else pack_weights(trained.learned),
            "totals": None if trained is None else [list(each) for each in trained.totals],
            "entrant": None if self.entrant is None else self.entrant.name,
            "best": None if self.best is None else self.best.name,
            "unchanged": self.unchanged,
            "ended": self.ended,
        }


def unpack_state(packed: dict[str, Any], knowledge: Callable[[int, str], Knowledge]) -> ValuesState:
    """Return the state that `ValuesState.pack` packed; `knowledge(step, name)` reads the file of a player.

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
    trained = None
    if packed["learned"] is not None:
        trained = TrainedValues(
            unpack_weights(packed["learned"]), tuple(RoundTotals(*each) for each in packed["totals"])
        )
    return ValuesState(step, trained, entrant, best, int(packed["unchanged"]), bool(packed["ended"]))


def pack_weights(learned: LearnedWeights) -> list[str]:
    """Return learned weights as a JSON value."""
    return [_pack(each) for each in learned]


def unpack_weights(packed: list[str]) -> LearnedWeights:
    """Return the weights that `pack_weights` packed. Raises ValueError or TypeError where it cannot have."""
    return LearnedWeights(*map(_unpack, packed))


def _pack(array: NDArray[np.float32]) -> str:
    return base64.b64encode(array.astype("<f4").tobytes()).decode()


def _unpack(text: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(text, validate=True), "<f4").astype(np.float32)
