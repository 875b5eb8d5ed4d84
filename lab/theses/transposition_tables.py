"""Table 6.5 of the thesis: linked transposition tables against tables with random eviction, both much too small."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_arrays
from gdl_miner.miner.play.scoring import score_players
from lab.tables import CellValue, Column
from lab.theses.thesis import ThesisGame

__all__ = ["COLUMNS", "compare_evictions"]

_UNBOUNDED = 8  # number of matches in which the table may hold every state
_MOST_MOVES = 400  # number of searches in a match that such a table has room for

COLUMNS = (
    Column("game", "game", 18),
    Column("playouts", "playouts", 8),
    Column("states_needed", "states", 9),
    Column("states_allowed", "allowed", 7),
    Column("matches", "matches", 7),
    Column("win_percent", "linked wins", 11, ".1f"),
    Column("low", "95 % from", 9, ".1f"),
    Column("high", "to", 5, ".1f"),
    Column("thesis", "in the thesis", 13),
)


def compare_evictions(
    games: Iterable[ThesisGame],
    playouts: int | None,
    share: float | None,
    matches: int,
    seed: int,
    progress: Callable[[str], None],
) -> Iterator[dict[str, CellValue]]:
    """Yield a row for each game: how often bare UCT with a linked table beats bare UCT with random eviction.

    Args:
        games: the games to measure, with the playouts per move and the share of states to allow.
        playouts: playouts per move instead of the games' own; None: the games' own.
        share: share of an unbounded table's states instead of the games' own; None: the games' own.
        matches: number of matches of each game, in pairs with roles swapped.
        seed: seed of the matches.
        progress: called with a line about the work that begins.
    """
    for game in games:
        machine = load_machine(game.name)
        budget = playouts or game.playouts
        progress(f"{game.name}: matches with unbounded tables")
        roomy = PlayerSpec(playouts=budget, max_states=_MOST_MOVES * budget)
        seats = [[0] * len(machine.roles)] * _UNBOUNDED
        seeds = [derive_seed(seed, "unbounded", number) for number in range(_UNBOUNDED)]
        needed = int(play_arrays(machine, [roomy], seats, seeds).nodes_added.max())
        allowed = max(1, round(needed * (share or game.table_share)))
        progress(f"{game.name}: {matches} matches with {allowed} states for each player")
        linked, plain = (
            PlayerSpec(playouts=budget, max_states=allowed, eviction="linked"),
            PlayerSpec(playouts=budget, max_states=allowed, eviction="random"),
        )
        score = score_players(machine, linked, plain, matches, seed, lambda _: None).score
        low, high = score.ci95
        yield {
            "game": game.name,
            "playouts": budget,
            "states_needed": needed,
            "states_allowed": allowed,
            "matches": score.matches,
            "win_percent": score.win_percent,
            "low": low,
            "high": high,
            "thesis": "–" if game.table_win is None else "{:.1f} ± {:.1f}".format(*game.table_win),
        }
