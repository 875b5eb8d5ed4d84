"""The state of a learner of values between two steps, as a value and as JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.values import LearnedWeights, RoundTotals
from gdl_miner.miner.learners.curve.state import CurveState, unpack_curve_state
from gdl_miner.miner.learners.requests import TrainedValues

__all__ = ["ValuesState", "pack_weights", "unpack_state", "unpack_weights"]


@dataclass(frozen=True, kw_only=True)
class ValuesState(CurveState):
    """Everything that a learner of values needs to go on as if never interrupted."""

    trained: TrainedValues | None = None  # what the step before has learned; the entrant has these values
    discount: float = 1.0  # with which it was learned
    trusted_playouts: int = 0  # of the longest search in which players trust values alone; 0: of any
    unchanged: int = 0  # steps since the strongest was found

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object; the knowledge of players is in the files of the step."""
        trained = self.trained
        return {
            **super().pack(),
            "learned": None if trained is None else pack_weights(trained.learned),
            "totals": None if trained is None else [list(each) for each in trained.totals],
            "discount": self.discount,
            "trusted_playouts": self.trusted_playouts,
            "unchanged": self.unchanged,
        }


def unpack_state(packed: dict[str, Any], knowledge: Callable[[int, str], Knowledge]) -> ValuesState:
    """Return the state that `ValuesState.pack` packed; `knowledge(step, name)` reads the file of a player.

    Raises OtherVersionError where another version packed it; ValueError, KeyError or TypeError where `pack` cannot have
    made the value.
    """
    fields, trained = unpack_curve_state(packed, knowledge), None
    if packed["learned"] is not None:
        totals = tuple(RoundTotals(*each) for each in packed["totals"])
        trained = TrainedValues(unpack_weights(packed["learned"]), totals)
    return ValuesState(
        **fields,
        trained=trained,
        discount=float(packed["discount"]),
        trusted_playouts=int(packed["trusted_playouts"]),
        unchanged=int(packed["unchanged"]),
    )


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
