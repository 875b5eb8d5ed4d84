"""Where a knowledge file's features are watched: the moves of matches, and what searches without knowledge prefer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Knowledge, MoveBatch
from agent.reasoner.machine import Machine
from agent.search.player import PlayerSpec
from agent.search.records import MatchBatchRecord, concatenate_records
from agent.search.seeds import derive_seed
from agent.search.uct import play_matches, search_positions
from miner.mining.decisions import decision_steps, root_choices
from miner.mining.sampling import smallest, step_keys

__all__ = ["Effort", "Observations", "RoleObservations", "observe_matches", "observe_records"]

Progress = Callable[[str], None]


@dataclass(frozen=True)
class RoleObservations:
    """What was seen of one role. Choices are states in which searches told how much they like each legal move."""

    moves: MoveBatch  # the moves that the role made where it had a choice
    move_match: NDArray[np.int64]  # [decision] number of the match
    alternatives: MoveBatch  # the legal moves of the choices
    start: NDArray[np.int64]  # [choice + 1] offsets into the alternatives
    share: NDArray[np.float64]  # [alternative] share of the visits; sums to 1 in each choice
    choice_match: NDArray[np.int64]  # [choice] number of the match


@dataclass(frozen=True)
class Observations:
    """Matches and choices of all roles."""

    goals: NDArray[np.int32]  # [match, role]
    roles: tuple[RoleObservations, ...]


@dataclass(frozen=True)
class Effort:
    """What fresh observations may cost."""

    matches: int = 64
    playouts: int = 30  # per move of the matches
    positions: int = 600  # of each role, searched without knowledge
    judging: int = 10  # playouts of such a search for each playout of a move


def observe_matches(
    knowledge: Knowledge, machine: Machine, effort: Effort, seed: int, progress: Progress | None = None
) -> Observations:
    """Let the knowledge play itself, then have a sample of its positions searched deeper by bare UCT.

    The judge knows nothing of the features, so that what it prefers cannot come from them.
    """
    tell = progress or (lambda _text: None)
    tell(f"playing {effort.matches} matches")
    player = PlayerSpec(playouts=effort.playouts).with_knowledge(knowledge, machine)
    ids = [f"observed-{number:05d}" for number in range(effort.matches)]
    seats = np.zeros((len(ids), len(machine.roles)), np.int32)
    record = play_matches(machine, [player], seats, [derive_seed(seed, name) for name in ids], ids)
    judge = PlayerSpec("uct", playouts=effort.judging * effort.playouts)
    roles = []
    for role, name in enumerate(machine.roles):
        tell(f"judging the choices of {name}")
        steps = decision_steps(record, machine, role)
        steps = steps[smallest(step_keys(record, steps, role, seed), effort.positions)]
        roles.append(_judged(record, machine, role, steps, judge, seed))
    return Observations(record.goals, tuple(roles))


def observe_records(records: Sequence[MatchBatchRecord], machine: Machine, seed: int, choices: int) -> Observations:
    """Take moves and root visits from match records; at most `choices` states of each role, sampled evenly."""
    record = concatenate_records(records)
    roles = []
    for role in range(len(machine.roles)):
        found = root_choices(record, machine, role)
        found = found.at(smallest(step_keys(record, found.step, role, seed), choices))
        roles.append(_observed(record, machine, role, found.step, found.sizes, found.row, found.share))
    return Observations(record.goals, tuple(roles))


def _judged(
    record: MatchBatchRecord, machine: Machine, role: int, steps: NDArray[np.int64], judge: PlayerSpec, seed: int
) -> RoleObservations:
    seeds = [derive_seed(seed, "judge", role, step) for step in range(len(steps))]
    last = record.last_rows()[steps]
    found = search_positions(machine, record.states[steps], judge, seeds, last_rows=last)
    own = [next(result for result in results if result.role == role) for results in found]
    rows = np.concatenate([np.zeros(0, np.int32), *(result.rows for result in own)])
    shares = np.concatenate([np.zeros(0), *(result.visits / result.visits.sum() for result in own)])
    sizes = np.array([len(result.rows) for result in own], dtype=np.int64)
    return _observed(record, machine, role, steps, sizes, rows, shares)


def _observed(
    record: MatchBatchRecord,
    machine: Machine,
    role: int,
    steps: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rows: NDArray[np.int32],
    shares: NDArray[np.float64],
) -> RoleObservations:
    decisions = decision_steps(record, machine, role)
    finished = record.goals.min(axis=1) >= 0
    decisions = decisions[finished[record.match_of_step()[decisions]]]
    return RoleObservations(
        moves=_batch(record, decisions, np.ones(len(decisions), np.int64), record.moves[decisions, role]),
        move_match=record.match_of_step()[decisions].astype(np.int64),
        alternatives=_batch(record, steps, sizes, rows),
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        share=shares,
        choice_match=record.match_of_step()[steps].astype(np.int64),
    )


def _batch(
    record: MatchBatchRecord, steps: NDArray[np.int64], sizes: NDArray[np.int64], rows: NDArray[np.int32]
) -> MoveBatch:
    """`sizes[i]` of the rows belong to `steps[i]`."""
    return MoveBatch(
        states=record.states[steps],
        last_rows=record.last_rows()[steps],
        state_index=np.repeat(np.arange(len(steps), dtype=np.int32), sizes),
        row=np.ascontiguousarray(rows, dtype=np.int32),
    )
