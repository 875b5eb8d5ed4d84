"""Match records as one role saw them: its decisions, the moves it made, and the choices of its searches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import MoveBatch
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.mining.sampling import smallest, step_keys

__all__ = ["RoleRecord", "RootChoices"]

Steps = NDArray[np.int64]


class RootChoices(NamedTuple):
    """Root visits of one role's searches, by choice; a choice is a state in which it had several legal moves."""

    step: Steps  # [choice] step of the record
    start: NDArray[np.int64]  # [choice + 1] offsets into the alternatives
    row: NDArray[np.int32]  # [alternative] legal move
    share: NDArray[np.float64]  # [alternative] share of the choice's visits; sums to 1 in each choice

    @property
    def sizes(self) -> NDArray[np.int64]:
        """[choice] number of alternatives."""
        return np.diff(self.start)

    def at(self, places: NDArray[np.int64]) -> RootChoices:
        """The choices at these places, which ascend."""
        kept = np.zeros(len(self.step), dtype=np.bool_)
        kept[places] = True
        alternatives = np.repeat(kept, self.sizes)
        start = np.concatenate([[0], np.cumsum(self.sizes[kept])]).astype(np.int64)
        return RootChoices(self.step[kept], start, self.row[alternatives], self.share[alternatives])


@dataclass(frozen=True, eq=False)
class RoleRecord:
    """A record of matches, seen by one role."""

    record: MatchBatchRecord
    machine: Machine
    role: int

    @property
    def geometry(self) -> Geometry:
        """The board of the game."""
        return geometry_of(self.machine)

    @cached_property
    def decisions(self) -> Steps:
        """Steps in which the role had more than one legal move, ascending; the final state of a match is never one.

        The number of legal moves comes from the root visits in matches in which the role searched, and from the
        reasoner in the others.
        """
        record = self.record
        moved = record.moves[:, self.role] >= 0
        step, _, _ = self._visits()
        alternatives = np.bincount(step, minlength=len(record.states)).astype(np.int64)
        match = record.match_of_step()
        searched = np.bincount(match, weights=alternatives, minlength=record.n_matches)[match] > 0
        chose = alternatives > 1
        unknown = np.flatnonzero(moved & ~searched)
        chose[unknown] = [len(self.machine.legal(record.states[step])[self.role]) > 1 for step in unknown]
        return np.flatnonzero(chose & moved)

    @property
    def finished_decisions(self) -> Steps:
        """The decisions in matches that have a result; matches that were broken off have goals of -1."""
        finished = self.record.goals.min(axis=1) >= 0
        kept: Steps = self.decisions[finished[self.matches_of(self.decisions)]]
        return kept

    def root_choices(self) -> RootChoices:
        """All choices for which the record keeps root visits of the role."""
        step, row, count = self._visits()
        n_steps = len(self.record.states)
        alternatives = np.bincount(step, minlength=n_steps)
        visits = np.bincount(step, weights=count, minlength=n_steps)
        chosen = (alternatives > 1) & (visits > 0)
        used = chosen[step]
        step, row, count = step[used], row[used], count[used]
        start = np.concatenate([[0], np.cumsum(alternatives[chosen])]).astype(np.int64)
        return RootChoices(np.flatnonzero(chosen), start, row, count / visits[step])

    def sample_decisions(self, budget: int, seed: int) -> Steps:
        """At most `budget` of the decisions, sampled evenly."""
        return self.decisions[smallest(step_keys(self.record, self.decisions, self.role, seed), budget)]

    def sample_choices(self, budget: int, seed: int, alternatives: int | None = None) -> RootChoices:
        """At most `budget` root choices that together have at most `alternatives` legal moves, sampled evenly."""
        choices = self.root_choices()
        keys = step_keys(self.record, choices.step, self.role, seed)
        if alternatives is not None:
            summed = np.cumsum(choices.sizes[np.argsort(keys, kind="stable")])
            budget = min(budget, int(np.searchsorted(summed, alternatives, side="right")))
        return choices.at(smallest(keys, budget))

    def moves_made(self, steps: Steps) -> MoveBatch:
        """The moves that the role made in these steps."""
        return self._batch(steps, np.arange(len(steps), dtype=np.int32), self.record.moves[steps, self.role])

    def alternatives(self, choices: RootChoices) -> MoveBatch:
        """All legal moves of the choices, in their order."""
        places = np.arange(len(choices.step), dtype=np.int32)
        return self._batch(choices.step, np.repeat(places, choices.sizes), choices.row)

    def matches_of(self, steps: Steps) -> NDArray[np.int64]:
        """[step] number of its match in the record."""
        return self.record.match_of_step()[steps].astype(np.int64)

    def _batch(self, steps: Steps, state_index: NDArray[np.int32], rows: NDArray[np.int32]) -> MoveBatch:
        return MoveBatch(self.record.states[steps], self.record.last_rows()[steps], state_index, rows)

    def _visits(self) -> tuple[Steps, NDArray[np.int32], NDArray[np.int32]]:
        """Step, row and count of the role's root visits, in the record's order."""
        record, rows = self.record, self.machine.rows(self.role)
        step = np.repeat(np.arange(len(record.states), dtype=np.int64), np.diff(record.visit_start))
        own = (record.visit_row >= rows.start) & (record.visit_row < rows.stop)
        return step[own], record.visit_row[own], record.visit_count[own]
