"""Observations of a knowledge file's features: moves of matches, and what searches without knowledge prefer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import MoveBatch
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_matches, search_positions
from gdl_miner.miner.mining.role_record import RoleRecord, RootChoices

Announce = Callable[[str], None]  # called with a text that says what begins


@dataclass(frozen=True)
class RoleObservations:
    """Observations of one role. Choices are states in which a search gave visits to the legal moves."""

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
    """The cost of fresh observations."""

    matches: int = 64
    playouts: int = 30  # per move of the matches
    positions: int = 600  # of each role, searched without knowledge
    judging: int = 10  # such a search has this many times the playouts of a move


def observe_matches(
    knowledge: Knowledge, machine: Machine, effort: Effort, seed: int, progress: Announce | None = None
) -> Observations:
    """Let the knowledge play itself, then have a sample of its positions searched deeper by bare UCT.

    The judge plays without the features, so that its preferences cannot come from them.
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
        played = RoleRecord(record, machine, role)
        steps = played.sample_decisions(effort.positions, seed)
        roles.append(_observed(played, _judged(played, steps, judge, seed)))
    return Observations(record.goals, tuple(roles))


def observe_records(records: Sequence[MatchBatchRecord], machine: Machine, seed: int, choices: int) -> Observations:
    """Take moves and root visits from match records; at most `choices` states of each role, sampled evenly."""
    record = concatenate_records(records)
    seen = [RoleRecord(record, machine, role) for role in range(len(machine.roles))]
    return Observations(record.goals, tuple(_observed(played, played.sample_choices(choices, seed)) for played in seen))


def _judged(played: RoleRecord, steps: NDArray[np.int64], judge: PlayerSpec, seed: int) -> RootChoices:
    """Root visits of the role when the judge searches the states of some steps."""
    record, role = played.record, played.role
    seeds = [derive_seed(seed, "judge", role, step) for step in range(len(steps))]
    found = search_positions(played.machine, record.states[steps], judge, seeds, last_rows=record.last_rows()[steps])
    own = [next(result for result in results if result.role == role) for results in found]
    sizes = [len(result.rows) for result in own]
    return RootChoices(
        step=steps,
        start=np.cumsum([0, *sizes]).astype(np.int64),
        row=np.concatenate([np.zeros(0, np.int32), *(result.rows for result in own)]),
        share=np.concatenate([np.zeros(0), *(result.visits / result.visits.sum() for result in own)]),
    )


def _observed(played: RoleRecord, choices: RootChoices) -> RoleObservations:
    decisions = played.finished_decisions
    return RoleObservations(
        moves=played.moves_made(decisions),
        move_match=played.matches_of(decisions),
        alternatives=played.alternatives(choices),
        start=choices.start,
        share=choices.share,
        choice_match=played.matches_of(choices.step),
    )
