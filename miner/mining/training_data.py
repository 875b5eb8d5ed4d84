"""The training data of mining: counts and samples of some generations of matches, the same for every role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord, concatenate_records
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import SearchResult, search_positions
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counts import FeatureCounts
from gdl_miner.miner.mining.role_record import RoleRecord, held_out_matches, thin_records

if TYPE_CHECKING:
    from gdl_miner.miner.play.prepared_game import PreparedGame


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Counts over all matches of some generations, and a sample of the matches and searches themselves.

    Correlations need counts alone. Weights and itemsets need states, but a sample of them is enough.
    """

    counts: tuple[tuple[FeatureCounts[Feature], ...], ...]  # [generation][role] over all matches
    weights: tuple[float, ...]  # [generation] weight of each of its matches
    matches: MatchBatchRecord  # the sample: whole matches of all generations, oldest first
    held_out: NDArray[np.bool_]  # [match] kept for testing the itemsets that the other matches suggest
    searches: MatchBatchRecord  # weights are fitted to its root visits
    importance: NDArray[np.float64]  # [match of searches] weight of its choices in the fit
    seed: int  # decides which root choices are sampled
    valuing: PlayerSpec | None = None  # has values, whose judgement of moves is known to the fit; None: there are none

    @classmethod
    def of(
        cls,
        records: Sequence[MatchBatchRecord],
        counts: Sequence[Sequence[FeatureCounts[Feature]]],
        config: MiningConfig,
        seed: int,
        *,
        positions: Sequence[MatchBatchRecord] | None = None,
        weights: Sequence[float] | None = None,
        valuing: PlayerSpec | None = None,
    ) -> TrainingData:
        """Put generations together, oldest first, and take a sample of `config.sample` states of their matches.

        Args:
            records: [generation] at least one; they may be samples already if `counts` are of more matches.
            counts: [generation][role] of all matches, see `count_matches`.
            config: how much is sampled and held out, and how generations fade.
            seed: decides the sample and the matches held out.
            positions: [generation] searched training positions; by default weights are fitted to the matches' visits.
            weights: [generation] weight of a match; by default `config.fading` times that of the next generation.
            valuing: a player whose values of moves are known to the fit of weights.

        Raises ValueError where there is not one weight above 0, or not one record of positions, for each generation.
        """
        fading = [config.fading**age for age in range(len(records) - 1, -1, -1)] if weights is None else list(weights)
        if len(fading) != len(records) or any(not weight > 0 for weight in fading):
            raise ValueError(f"{len(records)} records with weights {fading}; give one weight above 0 for each")
        if positions is not None and len(positions) != len(records):
            raise ValueError(f"{len(records)} records with {len(positions)} lessons; give one of each per generation")
        sample = thin_records(records, config.sample, seed)
        matches = concatenate_records(sample)
        searched = sample if positions is None else positions
        return cls(
            counts=tuple(tuple(roles) for roles in counts),
            weights=tuple(fading),
            matches=matches,
            held_out=held_out_matches(matches, config.itemsets.held_out, seed),
            searches=matches if positions is None else concatenate_records(positions),
            importance=np.repeat(np.array(fading, dtype=np.float64), [record.n_matches for record in searched]),
            seed=seed,
            valuing=valuing,
        )


_UNFINISHED = -1  # goal of a training position, which has no result


@dataclass(frozen=True, eq=False)
class TrainingPosition:
    """A position to search, with the joint move that led to it."""

    id: str
    seed: int
    state: NDArray[np.uint64]  # [word]
    before: NDArray[np.uint64] | None  # [word] the state before; None at the start of a match
    joint: NDArray[np.int32]  # [role] the joint move made in `before`; NO_MOVE at the start of a match


def choose_training_positions(
    record: MatchBatchRecord, machine: Machine, budget: int, seed: int
) -> tuple[TrainingPosition, ...]:
    """At most `budget` positions of every role's decisions, sampled evenly by match id, move number and seed alone."""
    chosen: set[int] = set()
    for role in machine.circuit.choosing_roles:
        chosen |= set(RoleRecord(record, machine, role).sample_decisions(budget, seed).tolist())
    match, last = record.match_of_step(), record.last_rows()
    positions = []
    for step in sorted(chosen):
        name = f"{record.ids[match[step]]}-{step - int(record.start[match[step]]):04d}"
        first = last[step, 0] == NO_MOVE
        before = None if first else record.states[step - 1]
        positions.append(
            TrainingPosition(name, derive_seed(seed, "lesson", name), record.states[step], before, last[step])
        )
    return tuple(positions)


def search_training_positions(
    game: PreparedGame, teacher: PlayerSpec, positions: tuple[TrainingPosition, ...]
) -> MatchBatchRecord:
    """Search the positions and return an unfinished match for each, whose last state carries the root visits."""
    found = search_positions(
        game.machine(),
        np.array([position.state for position in positions]),
        teacher,
        [position.seed for position in positions],
        last_rows=np.array([position.joint for position in positions]),
    )
    return _record(positions, found, teacher.playouts)


def _record(
    positions: Sequence[TrainingPosition], found: Sequence[Sequence[SearchResult]], playouts: int
) -> MatchBatchRecord:
    """The searches as matches; `found[position]` has a result for each role that has a choice there."""
    roles = len(positions[0].joint)
    states: list[NDArray[np.uint64]] = []
    moves: list[NDArray[np.int32]] = []
    visits: list[int] = []  # [step] number of visits
    for position, results in zip(positions, found, strict=True):
        if position.before is not None:
            states.append(position.before)
            moves.append(position.joint)
            visits.append(0)
        states.append(position.state)
        moves.append(np.full(roles, NO_MOVE, np.int32))
        visits.append(sum(len(result.rows) for result in results))
    lengths = [1 if position.before is None else 2 for position in positions]
    every = [result for results in found for result in results]
    return MatchBatchRecord(
        ids=tuple(position.id for position in positions),
        start=np.cumsum([0, *lengths]).astype(np.int32),
        states=np.array(states, dtype=np.uint64),
        moves=np.array(moves, dtype=np.int32),
        goals=np.full((len(positions), roles), _UNFINISHED, dtype=np.int32),
        visit_start=np.cumsum([0, *visits]).astype(np.int64),
        visit_row=np.concatenate([result.rows for result in every]).astype(np.int32),
        visit_count=np.concatenate([result.visits for result in every]).astype(np.int32),
        players=np.zeros((len(positions), roles), dtype=np.int32),
        playouts=np.array([[playouts * len(results)] * roles for results in found], dtype=np.int64),
    )
