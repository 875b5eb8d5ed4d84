"""Experience of self-play: searched states, the moves that were possible there, and how often the search chose them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import MoveBatch
from gdl_miner.agent.geometry import Symmetry
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.sharing import FeatureSharing


@dataclass(frozen=True, eq=False)
class Experience:
    """Examples for an apprentice, oldest first; an example is a searched state in which a role had a choice.

    A role that shares the features of another one is seen as that one, its owner, on the image of the board.
    """

    owners: NDArray[np.int32]  # [example] role whose features learn from it
    states: NDArray[np.uint64]  # [example, word] packed
    start: NDArray[np.int64]  # [example + 1] into the alternatives
    rows: NDArray[np.int32]  # [alternative] legal move
    shares: NDArray[np.float64]  # [alternative] its share of the visits; these sum to 1 in each example

    @classmethod
    def none(cls, machine: Machine) -> Experience:
        """Return no experience of a game."""
        words = np.asarray(machine.initial()).size
        return cls(
            np.zeros(0, np.int32),
            np.zeros((0, words), np.uint64),
            np.zeros(1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0),
        )

    @classmethod
    def of(cls, record: MatchBatchRecord, machine: Machine, sharing: FeatureSharing) -> Experience:
        """Return the root visits of all searches of a record, by owner."""
        parts = []
        for owner in sorted(set(sharing.owners)):
            searched = RoleRecord(sharing.pooled(record, owner), machine, owner)
            found = searched.root_choices()
            owners = np.full(len(found.step), owner, np.int32)
            parts.append(cls(owners, searched.record.states[found.step], found.start, found.row, found.share))
        return cls.joined(parts)

    @classmethod
    def joined(cls, parts: Sequence[Experience]) -> Experience:
        """Return the examples of all parts, in their order."""
        ends = np.cumsum([0, *(len(part.rows) for part in parts)])
        starts = [part.start[1:] + end for part, end in zip(parts, ends, strict=False)]
        return cls(
            np.concatenate([part.owners for part in parts]),
            np.concatenate([part.states for part in parts]),
            np.concatenate([[0], *starts]).astype(np.int64),
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.shares for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.owners)

    def alternatives_of(self, examples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the alternatives of some examples, in their order."""
        return np.concatenate([np.arange(0), *(np.arange(self.start[each], self.start[each + 1]) for each in examples)])

    def at(self, examples: NDArray[np.int64]) -> Experience:
        """Return some of the examples, in the order in which they are named."""
        chosen = self.alternatives_of(examples)
        start = np.concatenate([[0], np.cumsum(np.diff(self.start)[examples])]).astype(np.int64)
        return Experience(self.owners[examples], self.states[examples], start, self.rows[chosen], self.shares[chosen])

    def of_owner(self, owner: int) -> Experience:
        """Return the examples of an owner."""
        return self.at(np.flatnonzero(self.owners == owner))

    def latest(self, most: int) -> Experience:
        """Return the `most` latest examples."""
        return self.at(np.arange(max(0, len(self) - most), len(self)))

    def image(self, symmetry: Symmetry) -> Experience:
        """Return the same examples on the image of the board, under a symmetry that keeps their owners."""
        return Experience(self.owners, symmetry.image(self.states), self.start, symmetry.moves[self.rows], self.shares)

    def batch(self, n_roles: int) -> MoveBatch:
        """Return all alternatives as pairs of state and move; the moves before the states are not known."""
        index = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.start))
        return MoveBatch(self.states, np.full((len(self), n_roles), NO_MOVE, np.int32), index, self.rows)
