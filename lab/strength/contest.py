"""Knowledge against bare UCT at equal time: at the depth of the thesis, and at ten times that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gdl_miner.agent.knowledge import Parameters, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.play.cost_model import equal_playouts
from gdl_miner.miner.play.match_tasks import play_batch
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from gdl_miner.miner.play.tuning import Tuning
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "DEPTHS", "Contest", "measure_contests"]

# Playouts per move that the clocks of the thesis allowed bare UCT; breakthrough is not among its games.
DEPTHS = {
    "amazons.ext": 500,
    "breakthrough.ext": 1000,
    "checkers.ext": 90,
    "connectfour.ext": 11_000,
    "cubicup.ext": 1400,
    "othello.ext": 30,
}
COLUMNS = (
    Column("game", "game", 17),
    Column("playouts", "bare UCT", 8),
    Column("uct_c", "constant", 8, "g"),
    Column("time_ratio", "s/playout", 9, ".2f"),
    Column("own_playouts", "knowledge", 9),
    Column("win_percent", "win %", 6, ".1f"),
    Column("low", "95 % from", 9, ".1f"),
    Column("high", "to", 6, ".1f"),
    Column("matches", "matches", 7),
)


@dataclass(frozen=True)
class Contest:
    """The knowledge file and the matches of one game."""

    knowledge: Path
    depths: Sequence[tuple[int, int]]  # playouts per move of bare UCT, matches
    tuning_matches: int  # matches for each constant that bare UCT tries; 0: it has the usual one


def measure_contests(
    game: str, contest: Contest, seed: int, progress: Callable[[str], None]
) -> Iterator[dict[str, CellValue]]:
    """Yield a row for each depth: bare UCT has its best constant, and knowledge as many playouts as fit into its time.

    The ratio of seconds per playout is measured; the matches follow from that ratio and the seed.
    """
    machine = load_machine(game)
    knowledge = read_knowledge(contest.knowledge, machine.sheet)
    for playouts, matches in contest.depths:
        bare = PlayerSpec("uct", playouts=playouts)
        if contest.tuning_matches:
            progress(f"{game}: tuning bare UCT at {playouts} playouts per move")
            bare = replace(bare, parameters=Parameters(uct_c=_tuned(machine, playouts, contest.tuning_matches, seed)))
        player = bare.with_knowledge(knowledge, machine)
        ratio = measure_time_ratio(machine, player, bare, seed)
        player = replace(player, playouts=equal_playouts(playouts, ratio))
        progress(f"{game}: {matches} matches at {playouts} playouts per move")
        score = score_players(machine, player, bare, matches, seed, lambda _: None).score
        low, high = score.ci95
        yield {
            "game": game,
            "playouts": playouts,
            "uct_c": bare.parameters.uct_c,
            "time_ratio": ratio,
            "own_playouts": player.playouts,
            "win_percent": score.win_percent,
            "low": low,
            "high": high,
            "matches": score.matches,
        }


def _tuned(machine: Machine, playouts: int, matches: int, seed: int) -> float:
    """The constant with which bare UCT is strongest."""
    tuning = Tuning(len(machine.roles), matches, seed)
    players = tuning.players(playouts, Parameters.expansions)
    game = PreparedGame(machine.sheet, machine.circuit)
    while asked := tuning.ask():
        record = play_batch(game, players, asked)
        tuning.tell({name: goal.tolist() for name, goal in zip(record.ids, record.goals, strict=True)})
    return tuning.uct_c
