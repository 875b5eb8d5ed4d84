"""Values of states as knowledge: how much each fact and each pattern of cells counts (docs/formats.md, `<Values>`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from gdl_miner.agent.values.contents_table import LARGEST_WEIGHT, ContentsTable

__all__ = ["NOTHING", "TuplePattern", "ValuePart", "Values"]

NOTHING = "."  # content of a cell without a piece


@dataclass(frozen=True)
class TuplePattern:
    """Weights of the contents of some cells, or of some groups of facts of which at most one holds.

    Contents that are not named have the weight 0.
    """

    cells: tuple[tuple[int, ...], ...]
    weights: Mapping[tuple[str, ...], float]  # pieces or facts, NOTHING for none; a ContentsTable if there are many
    place: str = field(default="", compare=False)  # file:line from which the tuple was read
    groups: tuple[tuple[str, ...], ...] = ()  # facts of each group; then there are no cells
    anywhere: bool = False  # whether the same arrangement of cells has the same weights all over the board

    def __post_init__(self) -> None:
        size, places = max(len(self.cells), len(self.groups)), "groups of facts" if self.groups else "cells"
        if not size or (self.cells and self.groups):
            raise ValueError("a tuple needs either cells or groups of facts")
        if self.anywhere and not self.cells:
            raise ValueError("a tuple of groups of facts has no place on the board, and so cannot be anywhere")
        if isinstance(self.weights, ContentsTable):
            if len(self.weights.choices) != size:
                raise ValueError(f"choices of {len(self.weights.choices)} for {size} {places}")
            return
        for contents, weight in self.weights.items():
            if len(contents) != size:
                raise ValueError(f"{len(contents)} contents for {size} {places}: {' '.join(contents)}")
            _check(weight)


@dataclass(frozen=True)
class ValuePart:
    """The weights that count in the states of one turn and stage, for one role.

    A weight is in units of log-odds: the value of a state is the logistic function of the sum of its weights.
    """

    turn: int  # whose turn it is: the place in the cycle of turns, 0 where there are no turns
    stage: int  # the stage of the match, from 0
    role: int  # role to which the state is worth it
    facts: Mapping[str, float]  # weight of each fact; by symmetry, its images have the same
    tuples: tuple[TuplePattern, ...]
    place: str = field(default="", compare=False)  # file:line from which the part was read

    def __post_init__(self) -> None:
        for weight in self.facts.values():
            _check(weight)


@dataclass(frozen=True)
class Values:
    """Weights that tell the value of a state to each role."""

    symmetries: tuple[str, ...]  # names of the symmetries over which weights are shared, the identity left out
    constant_sum: bool  # whether the value to the second of two roles is one minus the value to the first
    blank: str  # piece that counts as nothing, empty if there is none
    stages: tuple[int, ...]  # numbers of pieces from which the next stage begins, ascending
    parts: tuple[ValuePart, ...]
    place: str = field(default="", compare=False)  # file:line from which the values were read

    @property
    def n_weights(self) -> int:
        """Number of weights that are given."""
        return sum(len(part.facts) + sum(len(each.weights) for each in part.tuples) for part in self.parts)


def _check(weight: float) -> None:
    if not math.isfinite(weight) or abs(weight) > LARGEST_WEIGHT:
        raise ValueError(f"the weight {weight} of a value is not a number from -{LARGEST_WEIGHT} to {LARGEST_WEIGHT}")
