"""Many matches at once, in which each role searches with UCT (Kocsis & Szepesvári 2006) in bit-sliced lanes.

There are three stages: players, seats and seeds become a request of arrays; the native arena plays all matches in
lock-step; the arrays that it returns become a record. The result of a match depends on the rules, its players and its
seed only: not on the other matches, their order, the number of lanes or the instruction set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.limits import LONGEST_MATCH
from gdl_miner.agent.reasoner.machine import Machine, endless, violation_of
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord

# Parts of a step of all lanes: load states into lanes, evaluate the rules, read the goals of ended playouts, read
# states, list legal moves, work on the trees (including knowledge), choose random moves, advance to the next states.
STAGES = ("load", "evaluate", "goals", "read", "list", "tree", "choose", "advance")

# Logical operations of searches: playouts, joint moves of playouts (drawn uniformly, drawn by knowledge), nodes passed
# during selection and moves compared there, nodes opened, moves listed there, choices of a role ranked by knowledge
# there and their moves, choices of a role drawn by knowledge in playouts and their moves, states valued by a learned
# function at new nodes. The others are what knowledge read for these choices (agent/native/scoring/scoring_work.hpp).
OPERATIONS = (
    "playout",
    "draw",
    "weigh",
    "pass",
    "compare",
    "open",
    "list",
    "rank",
    "score",
    "choose",
    "candidate",
    "value",
    "board",
    "occupant",
    "test",
    "pattern",
    "run",
    "union",
    "slot",
    "hit",
)

# Called a few times a second with the numbers of matches ended, joint moves made and playouts finished so far.
BatchProgress = Callable[[int, int, int], None]


@dataclass(frozen=True, eq=False)
class MatchBatch:
    """The matches that the kernel is asked to play."""

    players: tuple[PlayerSpec, ...]
    seats: NDArray[np.int32]  # [n_matches, n_roles] index of a player
    seeds: NDArray[np.uint64]  # [n_matches]
    states: NDArray[np.uint64]  # [n_matches, words] where each match starts
    last_rows: NDArray[np.int32]  # [n_matches, n_roles] the joint move before that state, -1 for none
    opening_plies: NDArray[np.int32]  # [n_matches] joint moves at the beginning that are drawn at random
    move_limit: int = 0  # joint moves after which a match is broken off; 0: no limit
    lanes: int = 0  # 64, 128, 256 or 512; 0: as many as the matches need


class MatchArrays(NamedTuple):
    """The arrays that the kernel returns. Only roles that searched have visits."""

    start: NDArray[np.int32]  # [n_matches + 1] into the steps
    states: NDArray[np.uint64]  # [n_steps, words]
    moves: NDArray[np.int32]  # [n_steps, n_roles] -1 in the last step of a match
    goals: NDArray[np.int32]  # [n_matches, n_roles] -1 where the rules give none or the match was broken off
    visit_start: NDArray[np.int64]  # [n_steps + 1] into the three arrays below
    visit_row: NDArray[np.int32]
    visit_count: NDArray[np.int32]
    visit_payoff: NDArray[np.int64]  # sum of goals
    playouts: NDArray[np.int64]  # [n_matches, n_roles]
    nodes_added: NDArray[np.int64]  # [n_matches, n_roles] states put into the transposition table
    nodes_held: NDArray[np.int64]  # [n_matches, n_roles] states in the table after the role's last search
    work: NDArray[np.int64]  # [operation] number of operations in all searches together
    stage_seconds: NDArray[np.float64]  # [stage] estimated; the only figures here that differ from run to run


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of a search for one role: the statistics of its legal moves.

    Where moves are valued (`experience`), their values count in visits and means like that many playouts.
    """

    role: int
    rows: NDArray[np.int32]  # [n_moves] ascending
    visits: NDArray[np.int32]  # [n_moves] playouts that chose the move
    means: NDArray[np.float64]  # [n_moves] mean goal 0..100 of those playouts; nan without playouts
    best: int  # the row the player would play
    nodes_added: int  # states put into the transposition table
    nodes_held: int  # states in the table after the search


def play_matches(
    machine: Machine,
    players: Sequence[PlayerSpec],
    seats: ArrayLike,
    seeds: ArrayLike,
    ids: Sequence[str],
    *,
    opening_plies: ArrayLike = 0,
    move_limit: int = 0,
    lanes: int | None = None,
    progress: BatchProgress | None = None,
) -> MatchBatchRecord:
    """Play whole matches.

    Args:
        machine: the game.
        players: the players that may have a seat.
        seats: [n_matches, n_roles] index of the player in each seat.
        seeds: [n_matches] seed of each match, below 2**64.
        ids: [n_matches] names of the matches in the record.
        opening_plies: [n_matches] joint moves at the beginning that are drawn at random, or one number for all matches.
            They depend on the seed alone, so matches of one seed begin alike, whoever plays.
        move_limit: joint moves after which a match is broken off, without goals; 0: an endless one is an error.
        lanes: 64, 128, 256 or 512; by default as many as the matches need. They change the speed, never the result.
        progress: called a few times a second.

    Raises ValueError where shapes do not agree, and RuleError where a role has no legal move in a state that is not
    terminal, or a match does not end.
    """
    seats = np.ascontiguousarray(seats, np.int32)
    if len(seats) != len(ids):
        raise ValueError(f"{len(ids)} ids ask for as many matches, not {len(seats)}")
    arrays = play_arrays(
        machine,
        players,
        seats,
        seeds,
        opening_plies=opening_plies,
        move_limit=move_limit,
        lanes=lanes,
        progress=progress,
    )
    return MatchBatchRecord(
        ids=tuple(ids),
        start=arrays.start,
        states=arrays.states,
        moves=arrays.moves,
        goals=arrays.goals,
        visit_start=arrays.visit_start,
        visit_row=arrays.visit_row,
        visit_count=arrays.visit_count,
        players=seats,
        playouts=arrays.playouts,
    )


def play_arrays(
    machine: Machine,
    players: Sequence[PlayerSpec],
    seats: ArrayLike,
    seeds: ArrayLike,
    *,
    opening_plies: ArrayLike = 0,
    move_limit: int = 0,
    lanes: int | None = None,
    progress: BatchProgress | None = None,
) -> MatchArrays:
    """Play whole matches as `play_matches` does, and return all arrays of the kernel."""
    seats = np.ascontiguousarray(seats, np.int32)
    seeds = np.ascontiguousarray(seeds, np.uint64)
    shape = (len(seeds), len(machine.roles))
    if seats.shape != shape:
        raise ValueError(f"{len(seeds)} seeds ask for seats {shape}, not {seats.shape}")
    states = np.repeat(np.asarray(machine.initial(), np.uint64)[None, :], len(seeds), axis=0)
    request = MatchBatch(
        players=tuple(players),
        seats=seats,
        seeds=seeds,
        states=states,
        last_rows=np.full_like(seats, -1),
        opening_plies=np.broadcast_to(np.asarray(opening_plies, np.int32), len(seeds)).copy(),
        move_limit=move_limit or LONGEST_MATCH,
        lanes=lanes or 0,
    )
    arrays = _play(machine, request, progress)
    if not move_limit and int(np.diff(arrays.start).max(initial=0)) > LONGEST_MATCH:
        last = arrays.states[arrays.start[1:] - 1]
        if not all(machine.terminal(last[long]) for long in np.flatnonzero(np.diff(arrays.start) > LONGEST_MATCH)):
            raise endless(machine.sheet.source)
    return arrays


def search_positions(
    machine: Machine,
    states: ArrayLike,
    player: PlayerSpec,
    seeds: ArrayLike,
    *,
    last_rows: ArrayLike | None = None,
    lanes: int | None = None,
) -> list[tuple[SearchResult, ...]]:
    """Search many positions at once. Return for each the results of the roles that have a choice there."""
    arrays = search_arrays(machine, states, player, seeds, last_rows=last_rows, lanes=lanes)
    return [_results(machine, arrays, match) for match in range(len(arrays.goals))]


def search_arrays(
    machine: Machine,
    states: ArrayLike,
    player: PlayerSpec | Sequence[PlayerSpec],
    seeds: ArrayLike,
    *,
    last_rows: ArrayLike | None = None,
    lanes: int | None = None,
) -> MatchArrays:
    """Search many positions at once; each is a match that is broken off after its first joint move.

    Args:
        machine: the game.
        states: [n, words] packed states; none may be terminal.
        player: the player that searches for every role, one for all positions or one for each.
        seeds: [n] seed of each search, below 2**64.
        last_rows: [n, n_roles] the joint move before each state, -1 for none. Only knowledge reads it.
        lanes: 64, 128, 256 or 512; by default as many as the positions need.
    """
    states = np.ascontiguousarray(states, np.uint64)
    shape = (len(states), len(machine.roles))
    last = np.full(shape, -1, np.int32) if last_rows is None else np.ascontiguousarray(last_rows, np.int32)
    players, index = _distinct([player] * len(states) if isinstance(player, PlayerSpec) else player)
    if len(index) != len(states):
        raise ValueError(f"{len(states)} positions with {len(index)} players; give one player, or one for each")
    request = MatchBatch(
        players=tuple(players),
        seats=np.repeat(index[:, None], len(machine.roles), axis=1),
        seeds=np.ascontiguousarray(seeds, np.uint64),
        states=states,
        last_rows=last,
        opening_plies=np.zeros(len(states), np.int32),
        move_limit=1,
        lanes=lanes or 0,
    )
    return _play(machine, request, None)


def search_position(
    machine: Machine, state: NDArray[np.uint64], player: PlayerSpec, seed: int
) -> tuple[SearchResult, ...]:
    """Search one position for every role that has a choice there; see `search_positions`."""
    return search_positions(machine, np.asarray(state)[None, :], player, [seed])[0]


def _play(machine: Machine, request: MatchBatch, progress: BatchProgress | None) -> MatchArrays:
    try:
        return MatchArrays(*_native.play_matches(machine.native, request, progress))
    except _native.RuleViolationError as violation:
        raise violation_of(machine, violation) from None


def _distinct(players: Sequence[PlayerSpec]) -> tuple[list[PlayerSpec], NDArray[np.int32]]:
    """Return the different objects among players, and [player] the index of each player among them."""
    index = {id(each): each for each in players}
    number = {key: place for place, key in enumerate(index)}
    return list(index.values()), np.array([number[id(each)] for each in players], np.int32)


def _results(machine: Machine, arrays: MatchArrays, match: int) -> tuple[SearchResult, ...]:
    step = int(arrays.start[match])
    found = slice(int(arrays.visit_start[step]), int(arrays.visit_start[step + 1]))
    rows, visits = arrays.visit_row[found], arrays.visit_count[found]
    with np.errstate(invalid="ignore"):
        means = arrays.visit_payoff[found] / visits
    results = []
    for role in range(len(machine.roles)):
        own = machine.rows(role)
        mine = (rows >= own.start) & (rows < own.stop)
        if mine.any():
            results.append(
                SearchResult(
                    role=role,
                    rows=rows[mine],
                    visits=visits[mine],
                    means=means[mine],
                    best=int(arrays.moves[step, role]),
                    nodes_added=int(arrays.nodes_added[match, role]),
                    nodes_held=int(arrays.nodes_held[match, role]),
                )
            )
    return tuple(results)
