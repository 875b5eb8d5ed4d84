"""Matches are cut into tasks: batches that workers play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count

import numpy as np

from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord, concatenate_records, without_visits
from gdl_miner.agent.search.uct import play_matches
from gdl_miner.miner.play.comparison import PlayMatches
from gdl_miner.miner.play.executor import Executor, TaskProgress, WorkerTask, tell
from gdl_miner.miner.play.pairing import MatchRequest, PairedMatches
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.rating import Score

MATCHES_PER_TASK = 256  # a batch of 512 takes 10 to 20 % less processor time for each match, but twice the tree memory
FEWEST = 8  # pieces that are worth a task of their own
FEWEST_PLAYED_OUT = 64  # matches that are worth one where all players make playouts


def play_batch(
    game: PreparedGame, players: Sequence[PlayerSpec], matches: tuple[MatchRequest, ...]
) -> MatchBatchRecord:
    """Play the matches; the result of each depends on its players, its seed and the length of its opening only."""
    return play_requests(game.machine(), players, matches)


def play_unmined_batch(
    game: PreparedGame, players: Sequence[PlayerSpec], kept: frozenset[str], matches: tuple[MatchRequest, ...]
) -> MatchBatchRecord:
    """Play the matches as `play_batch` does, and keep the visits of searches of those with the ids in `kept` only.

    Visits are most of a record, and they need not travel where nothing mines them.
    """
    return without_visits(play_requests(game.machine(), players, matches), kept)


def play_short_batch(
    game: PreparedGame, players: Sequence[PlayerSpec], move_limit: int, matches: tuple[MatchRequest, ...]
) -> MatchBatchRecord:
    """Play the matches as `play_batch` does, and break each off after `move_limit` joint moves; 0: no limit."""
    return play_requests(game.machine(), players, matches, move_limit)


def play_pairs(
    machine: Machine, players: Sequence[PlayerSpec], pairs: Sequence[PairedMatches], move_limit: int = 0
) -> list[Score]:
    """Play whole pairs in this process and return the score of each pair's player.

    A match that lasts `move_limit` joint moves is broken off as a draw; 0: no limit.
    """
    record = play_requests(machine, players, [match for pair in pairs for match in pair.matches], move_limit)
    goals = goals_of(record, machine.circuit.choosing_roles)
    return [pair.score(goals) for pair in pairs]


def play_requests(
    machine: Machine, players: Sequence[PlayerSpec], matches: Sequence[MatchRequest], move_limit: int = 0
) -> MatchBatchRecord:
    """Play the matches in this process, and break each off after `move_limit` joint moves (0: no limit).

    The record has the matches in their order.
    """
    seats = np.zeros((len(matches), len(machine.roles)), np.int32)  # nobody asks who sits where chance moves
    seats[:, list(machine.circuit.choosing_roles)] = [match.seats for match in matches]
    return play_matches(
        machine,
        players,
        seats,
        [match.seed for match in matches],
        [match.id for match in matches],
        opening_plies=[match.opening_plies for match in matches],
        move_limit=move_limit,
        progress=lambda ended, moves, _: tell(TaskProgress(ended, len(matches), moves)),
    )


def matches_on(
    executor: Executor, machine: Machine, players: Sequence[PlayerSpec], played: Callable[[int], None]
) -> PlayMatches:
    """Return a way to play matches of these players on an executor.

    `played` is called with the number of matches of every finished task.
    """
    shared = (executor.share(PreparedGame(machine.sheet, machine.circuit)), executor.share(tuple(players)))
    calls, fewest = count(), fewest_of_task([plays_out(player.values, player.parameters) for player in players])

    def play(matches: Sequence[MatchRequest]) -> Mapping[str, Sequence[int]]:
        workers = max(1, executor.workers)
        tasks = cut_into_tasks(f"look{next(calls)}", matches, MATCHES_PER_TASK, workers, fewest)
        goals: dict[str, list[int]] = {}
        for _, record in executor.run(play_batch, shared, tasks):
            goals |= goals_of(record, machine.circuit.choosing_roles)
            played(len(record.ids))
        return goals

    return play


def goals_of(record: MatchBatchRecord, choosing_roles: Sequence[int]) -> dict[str, list[int]]:
    """Return the goals of the roles that choose, by match id."""
    goals = record.goals[:, list(choosing_roles)]
    return {name: goal.tolist() for name, goal in zip(record.ids, goals, strict=True)}


def plays_out(values: object | None, parameters: Parameters) -> bool:
    """Whether a player with these values of states, or with none, makes random playouts."""
    return values is None or parameters.value_weight < 1


def fewest_of_task(playing_out: Sequence[bool]) -> int:
    """Return how many matches are worth a task of their own; smaller ones would take twice the processor time.

    Playouts of all matches of a task are made at once, in the bits of machine words, so that a few matches take nearly
    as long as many. Values of states are found one by one.

    Args:
        playing_out: of each seat in the matches, whether its player makes playouts.
    """
    share = sum(playing_out) / max(1, len(playing_out))
    return round(FEWEST + (FEWEST_PLAYED_OUT - FEWEST) * share)


def cut_into_tasks(
    name: str, pieces: Sequence[object], largest: int, workers: int, fewest: int = FEWEST
) -> list[WorkerTask]:
    """Cut pieces (matches, positions) into tasks `name`-t000, …, enough of them to keep all workers busy.

    A task has at most `largest` pieces, and at least `fewest` where there are so many. The pieces are dealt out in
    turn, so that every task holds some pieces of every player. The result of a task is a record with a match for each
    piece, so it can be done in parts.
    """
    needed = -(-len(pieces) // largest)
    count = max(needed, min(-(-needed // workers) * workers, len(pieces) // fewest), 1)
    dealt = [tuple(pieces[number::count]) for number in range(count)]
    return [WorkerTask(f"{name}-t{number:03d}", part, concatenate_records) for number, part in enumerate(dealt)]
