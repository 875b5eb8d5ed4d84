"""Match records as one role saw them: its decisions, the moves it made, and the choices of its searches."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature, FeatureMatrix, MoveBatch, occurrences
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord, select_places
from gdl_miner.agent.search.uct import search_positions
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import FeatureCounts, count_decisions
from gdl_miner.miner.mining.sharing import FeatureSharing
from gdl_miner.miner.mining.statistics import result_shares

Keys = NDArray[np.uint64]


def match_keys(record: MatchBatchRecord, seed: int) -> Keys:
    """[match] keys of matches, by their ids."""
    return np.array([_hash(seed, "match", match_id) for match_id in record.ids], dtype=np.uint64)


def held_out_matches(record: MatchBatchRecord, share: float, seed: int) -> NDArray[np.bool_]:
    """[match] whether a match is kept for testing what the others taught; this is true of about `share` of them."""
    return np.array([_hash(seed, "held out", match_id) < share * 2.0**64 for match_id in record.ids], dtype=np.bool_)


def step_keys(record: MatchBatchRecord, steps: NDArray[np.int64], role: int, seed: int) -> Keys:
    """[step] keys of the decisions of a role, by the match's id and the move number."""
    match_keys = np.array([_hash(seed, role, match_id) for match_id in record.ids], dtype=np.uint64)
    match = record.match_of_step()[steps]
    number = (steps - record.start[match]).astype(np.uint64)
    return _mix(match_keys[match] + number * np.uint64(0x9E3779B97F4A7C15))


def smallest(keys: Keys, budget: int) -> NDArray[np.int64]:
    """Places of the `budget` smallest keys, ascending."""
    if len(keys) <= budget:
        return np.arange(len(keys), dtype=np.int64)
    return np.sort(np.argsort(keys, kind="stable")[:budget])


def thin_records(records: Sequence[MatchBatchRecord], states: int, seed: int) -> list[MatchBatchRecord]:
    """About `states` states of the records, in whole matches."""
    sizes = [np.diff(record.start).astype(np.int64) for record in records]
    if sum(int(each.sum()) for each in sizes) <= states:
        return list(records)
    keys = [match_keys(record, seed) for record in records]
    joined = np.concatenate(keys)
    order = np.argsort(joined, kind="stable")
    fitting = int(np.searchsorted(np.cumsum(np.concatenate(sizes)[order]), states, side="right"))
    most = joined[order[max(0, fitting - 1)]]
    return [select_places(record, np.flatnonzero(own <= most)) for record, own in zip(records, keys, strict=True)]


def _hash(*parts: int | str) -> int:
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _mix(x: Keys) -> Keys:
    """The finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


Steps = NDArray[np.int64]
_VALUED_AT_ONCE = 2000  # states whose moves are valued together, which bounds memory


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

    def values_of(self, choices: RootChoices, valuing: PlayerSpec) -> NDArray[np.float64]:
        """Return the values of the states after all legal moves of the choices, in their order, 0 to 1 to the role.

        A move is worth what the state after it is worth, or the goal where it ends the match. Where several roles
        choose at once, no state follows from a move, and all moves are worth 0.
        """
        worth = np.zeros(len(choices.row))
        spec = replace(valuing, tables=None).greedy()
        for first in range(0, len(choices.step), _VALUED_AT_ONCE):
            steps = choices.step[first : first + _VALUED_AT_ONCE]
            found = search_positions(self.machine, self.record.states[steps], spec, [0] * len(steps))
            for place, results in enumerate(found, first):
                if len(results) == 1:
                    worth[choices.start[place] : choices.start[place + 1]] = results[0].means / 100
        return worth

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


@dataclass(frozen=True, eq=False)
class RoleDecisions:
    """All decisions of a role in some matches. Matches that were broken off have no result and are left out."""

    geometry: Geometry
    states: NDArray[np.uint64]  # [decision, word]
    matrix: FeatureMatrix  # decisions × features of the moves made
    match: NDArray[np.int64]  # [decision] number of the match
    shares: NDArray[np.int64]  # [match] result share, 0..FULL_SHARE

    def counts(self) -> FeatureCounts[Feature]:
        """Count how often the features fired, and how the matches ended."""
        return count_decisions(self.matrix.features, self.matrix.start, self.matrix.ids, self.match, self.shares)


def read_decisions(played: RoleRecord, sharing: FeatureSharing, config: MiningConfig) -> RoleDecisions:
    """Find the role's decisions in all matches of a record, and the features that fired for its moves."""
    steps = played.finished_decisions
    batch = played.moves_made(steps)
    fired = occurrences(batch, played.geometry, config.feature_classes, config.enumeration(1))
    return RoleDecisions(
        geometry=played.geometry,
        states=batch.states,
        matrix=sharing.tied(fired, played.role).once(),
        match=played.matches_of(steps),
        shares=result_shares(played.record.goals, config.outcome)[:, played.role],
    )
