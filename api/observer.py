"""Observations and utilities for learners. They see all facts of a state, or where on the board each piece stands."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner import Machine
from gdl_miner.api.game import State

ObservationKind: TypeAlias = Literal["facts", "planes"]


class Observer:
    """The truth values that a kind of observation has: a fact of the game for each.

    `facts` have one for each of `Game.facts`. `planes` have a plane for each piece, whose axes are the dimensions of
    the board in the order of the arguments of its facts; facts that name no field, such as whose turn it is, are left
    out.

    Raises:
        ConfigError: no board is known, or there is no such kind.
    """

    def __init__(self, machine: Machine, kind: ObservationKind) -> None:
        self.names: tuple[str, ...] = ()
        """[plane] the piece that stands on the fields of each plane; empty for facts."""
        if kind == "facts":
            self.shape: tuple[int, ...] = (len(machine.fluents),)
            """Of the observation of one state."""
            self.facts = np.arange(len(machine.fluents), dtype=np.int32)
            """[flat] the fact that is seen there, -1 for a field on which the piece never stands."""
            return
        if kind != "planes":
            raise ConfigError(f"{machine.sheet.name}: no observations are called {kind}; take facts or planes")
        fields = [] if machine.board is None else [machine.board.field(fluent) for fluent in machine.fluents]
        named = [(number, *field) for number, field in enumerate(fields) if field is not None]
        if not named:
            raise ConfigError(f"{machine.sheet.name}: no board is known, so there are no planes; take facts")
        pieces = sorted({piece or "" for _, _, piece in named})
        points = np.array([point for _, point, _ in named])
        low = points.min(axis=0)
        self.names = tuple(map(machine.sheet.display, pieces))
        self.shape = (len(pieces), *(points.max(axis=0) - low + 1).tolist())
        fluents = np.full(self.shape, -1, np.int32)
        for number, point, piece in named:
            fluents[(pieces.index(piece or ""), *(np.array(point) - low))] = number
        self.facts = fluents.ravel()

    def of(self, state: State) -> NDArray[np.bool_]:
        """Return what is seen of a state, in the shape of observations."""
        held = np.append(state.to_array(), False)  # -1 is the last
        return held[self.facts].reshape(self.shape)


def utility(goal: int) -> float:
    """Return a goal of 0 to 100 in the scale of reinforcement learning, from -1 to 1."""
    return goal / 50 - 1
