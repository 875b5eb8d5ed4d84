"""What match records say about one role: its decisions, and the choices its searches made at their roots."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord

__all__ = ["RootChoices", "decision_steps", "finished_decisions", "root_choices"]

Steps = NDArray[np.int64]


class RootChoices(NamedTuple):
    """Root visits of one role's searches, by choice."""

    step: Steps  # [choice] step of the record
    start: NDArray[np.int64]  # [choice + 1] offsets into the alternatives
    row: NDArray[np.int32]  # [alternative] legal move
    share: NDArray[np.float64]  # [alternative] share of the choice's visits; sums to 1 in each choice

    @property
    def sizes(self) -> NDArray[np.int64]:
        """[choice] number of alternatives."""
        return np.diff(self.start)

    def at(self, places: NDArray[np.int64]) -> "RootChoices":
        """The choices at these places, which ascend."""
        kept = np.zeros(len(self.step), dtype=np.bool_)
        kept[places] = True
        alternatives = np.repeat(kept, self.sizes)
        start = np.concatenate([[0], np.cumsum(self.sizes[kept])]).astype(np.int64)
        return RootChoices(self.step[kept], start, self.row[alternatives], self.share[alternatives])


def decision_steps(record: MatchBatchRecord, machine: Machine, role: int) -> Steps:
    """Steps in which the role had more than one legal move, ascending; the final state of a match is none of them.

    Where the role searched in a match, its root visits tell; elsewhere the rules are asked.
    """
    moved = record.moves[:, role] >= 0
    alternatives = _root_alternatives(record, machine, role)
    match = record.match_of_step()
    searched = np.bincount(match, weights=alternatives, minlength=record.n_matches)[match] > 0
    unknown = np.flatnonzero(moved & ~searched)
    chose = alternatives > 1
    chose[unknown] = [len(machine.legal(record.states[step])[role]) > 1 for step in unknown]
    return np.flatnonzero(chose & moved)


def finished_decisions(record: MatchBatchRecord, machine: Machine, role: int) -> Steps:
    """Those of the decision steps whose matches have a result; matches that were broken off have goals of -1."""
    steps = decision_steps(record, machine, role)
    finished = record.goals.min(axis=1) >= 0
    kept: Steps = steps[finished[record.match_of_step()[steps]]]
    return kept


def root_choices(record: MatchBatchRecord, machine: Machine, role: int) -> RootChoices:
    """All choices between several moves for which the record keeps root visits of the role."""
    step, row, count = _role_visits(record, machine, role)
    n_steps = len(record.states)
    alternatives = np.bincount(step, minlength=n_steps)
    visits = np.bincount(step, weights=count, minlength=n_steps)
    chosen = (alternatives > 1) & (visits > 0)
    used = chosen[step]
    step, row, count = step[used], row[used], count[used]
    start = np.concatenate([[0], np.cumsum(alternatives[chosen])]).astype(np.int64)
    return RootChoices(np.flatnonzero(chosen), start, row, count / visits[step])


def _role_visits(
    record: MatchBatchRecord, machine: Machine, role: int
) -> tuple[Steps, NDArray[np.int32], NDArray[np.int32]]:
    """Step, row and count of the role's root visits, in the record's order."""
    rows = machine.rows(role)
    step = np.repeat(np.arange(len(record.states), dtype=np.int64), np.diff(record.visit_start))
    own = (record.visit_row >= rows.start) & (record.visit_row < rows.stop)
    return step[own], record.visit_row[own], record.visit_count[own]


def _root_alternatives(record: MatchBatchRecord, machine: Machine, role: int) -> NDArray[np.int64]:
    step, _, _ = _role_visits(record, machine, role)
    return np.bincount(step, minlength=len(record.states)).astype(np.int64)
