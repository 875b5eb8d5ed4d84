"""Tables 6.1 to 10.1 of Sharma's thesis (2009): what learned values do against random players and against UCT."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_arrays
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from lab.tables import CellValue, Column
from lab.theses.best_play import best_win_percent
from lab.theses.sharma import STAGES, SharmaGame, Triple
from lab.theses.value_runs import WAYS, ValueRuns

__all__ = ["RANDOM_COLUMNS", "UCT_COLUMNS", "compare_with_random", "compare_with_uct"]

RANDOM_COLUMNS = (
    Column("game", "game", 16),
    Column("table", "table", 5),
    Column("player", "player", 6),
    Column("matches", "matches", 7),
    Column("theirs", "theirs: win/loss/draw", 21),
    Column("facts", "ours, its parameters", 21),
    Column("tuples", "ours, tuples", 21),
    Column("best", "best win %", 10, ".2f"),
)

UCT_COLUMNS = (
    Column("game", "game", 16),
    Column("table", "table", 5),
    Column("learner", "learner", 7),
    Column("equal", "equal", 8),
    Column("playouts", "playouts", 8),
    Column("uct_playouts", "of UCT", 7),
    Column("matches", "matches", 7),
    Column("losses", "UCT wins", 8),
    Column("wins", "with values", 11),
    Column("draws", "draws", 5),
    Column("theirs", "theirs, of 100", 14),
)


def compare_with_random(
    games: Iterable[SharmaGame], chapters: frozenset[int], runs: ValueRuns, matches: int
) -> Iterator[dict[str, CellValue]]:
    """Yield a row for each game, table and role: wins, losses and draws of greedy players against random ones.

    Args:
        games: the games to measure.
        chapters: chapters of Sharma's thesis, 6 to 9, whose tables are measured.
        runs: the runs that learn the values.
        matches: number of matches of each role; random players play 2.5 times as many, as Sharma's did.
    """
    for game in games:
        machine = load_machine(game.name)
        best = [best_win_percent(machine, role) for role in (0, 1)]
        if 6 in chapters:
            count = matches * 5 // 2
            found = _against_random(machine, PlayerSpec("random"), 0, count, runs.seed)
            yield _row(game, "6.1", 0, count, game.random, [found], None)
        for number, stage in enumerate(STAGES):
            if 6 + number not in chapters:
                continue
            knowledge = [runs.culture(game, stage, way, machine) for way in WAYS]
            players = [PlayerSpec().with_knowledge(each, machine).greedy() for each in knowledge]
            for role in (0, 1):
                results = [_against_random(machine, player, role, matches, runs.seed) for player in players]
                yield _row(game, stage.tables[role], role, matches, game.theirs(number, role), results, best[role])


def _row(
    game: SharmaGame, table: str, role: int, matches: int, theirs: Triple, results: list[Triple], best: float | None
) -> dict[str, CellValue]:
    ours = [_said(each) for each in results]
    return {
        "game": game.name,
        "table": table,
        "player": role + 1,
        "matches": matches,
        "theirs": _said(theirs),
        "facts": ours[0],
        "tuples": ours[-1] if len(ours) > 1 else None,
        "best": best,
    }


def _said(result: Triple) -> str:
    return " / ".join(f"{each:.1f}" for each in result)


def _against_random(machine: Machine, player: PlayerSpec, role: int, matches: int, seed: int) -> Triple:
    """Return wins, losses and draws of a player in a role, in percent."""
    seats = np.ones((matches, 2), np.int32)
    seats[:, role] = 0
    seeds = [derive_seed(seed, "random player", role, number) for number in range(matches)]
    goals = play_arrays(machine, [player, PlayerSpec("random")], seats, seeds).goals
    margin = goals[:, role] - goals[:, 1 - role]
    won, lost, drawn = (100 * float(np.mean(each)) for each in (margin > 0, margin < 0, margin == 0))
    return won, lost, drawn


def compare_with_uct(
    games: Iterable[SharmaGame], runs: ValueRuns, playouts: int, experience: int, matches: Iterable[int]
) -> Iterator[dict[str, CellValue]]:
    """Yield rows for each game and learner: UCT with values against UCT without, at equal playouts and at equal time.

    Both prove goals in their trees. The values are those of the complete culture with tuples, which are used at new
    nodes, and those of `values`, which are used as the file says.

    Args:
        games: the games to measure.
        runs: the runs that learn the values.
        playouts: playouts per move of the player with values.
        experience: visits that the value of a move of culture counts as; 0: only new nodes are valued.
        matches: numbers of matches of each kind, in pairs with roles swapped.
    """
    counts = tuple(matches)
    bare = PlayerSpec("uct", playouts=playouts)
    bare = replace(bare, parameters=replace(bare.parameters, solver=True))
    for game in games:
        machine = load_machine(game.name)
        for learner, player in _players_with_values(game, machine, runs, bare, experience):
            ratio = measure_time_ratio(machine, player, bare, runs.seed)
            as_long = replace(bare, playouts=max(1, round(playouts * ratio)))
            opponents = (("playouts", bare), ("time", as_long))
            for (equal, opponent), count in itertools.product(opponents, counts):
                runs.progress(f"{game.name}: {count} matches of {learner} against UCT with equal {equal}")
                score = score_players(machine, player, opponent, count, runs.seed, lambda _: None).score
                yield {
                    "game": game.name,
                    "table": "10.1",
                    "learner": learner,
                    "equal": equal,
                    "playouts": playouts,
                    "uct_playouts": opponent.playouts,
                    "matches": score.matches,
                    "losses": score.losses,
                    "wins": score.wins,
                    "draws": score.draws,
                    "theirs": "{}:{}, {} drawn".format(*game.uct),
                }


def _players_with_values(
    game: SharmaGame, machine: Machine, runs: ValueRuns, bare: PlayerSpec, experience: int
) -> Iterator[tuple[str, PlayerSpec]]:
    """Yield the name of each learner, and the player with what it has learned."""
    culture = runs.culture(game, STAGES[-1], WAYS[-1], machine)
    culture = replace(culture, parameters=replace(culture.parameters, experience=experience))
    yield "culture", bare.with_knowledge(culture, machine)
    yield "values", bare.with_knowledge(runs.values(machine), machine)
