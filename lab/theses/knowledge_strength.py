"""Table 6.4 of the thesis: how much stronger evolved knowledge makes a player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from gdl_miner.agent.knowledge import Parameters, read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.commands.evolve import evolve
from gdl_miner.miner.commands.resume import resume
from gdl_miner.miner.commands.workplace import ExecutorKind
from gdl_miner.miner.play.scoring import measure_time_ratio, score_players
from gdl_miner.miner.results.store import BEST
from gdl_miner.miner.results.tuned import bare_constant
from lab.tables import CellValue, Column
from lab.theses.thesis import ThesisGame

__all__ = ["COLUMNS", "measure_strength"]

_THESIS_HANDICAP = 0.5  # share of the player's time that the bare player gets (thesis 6.3.3)

COLUMNS = (
    Column("game", "game", 18),
    Column("playouts", "playouts", 8),
    Column("matches", "matches", 7),
    Column("handicap_win_percent", "half the time", 13, ".1f"),
    Column("thesis", "in the thesis", 13),
    Column("win_percent", "equal time", 10, ".1f"),
    Column("low", "95 % from", 9, ".1f"),
    Column("high", "to", 5, ".1f"),
    Column("time_ratio", "s/playout", 9, ".2f"),
    Column("uct_c", "UCT constant", 12, ".1f"),
    Column("baseline_uct_c", "of bare UCT", 11, ".1f"),
    Column("expansions", "expands", 14),
)


def measure_strength(
    games: Iterable[ThesisGame],
    config: str,
    at_depth: bool,
    out: Path,
    playouts: int | None,
    matches: int,
    seed: int,
    executor: ExecutorKind,
    progress: Callable[[str], None],
) -> Iterator[dict[str, CellValue]]:
    """Yield a row for each game: the champion of an evolution against bare UCT with half its time and with equal time.

    Bare UCT has the constant that the evolution tuned for it. Evolutions are kept in `out`/GAME: finished ones are used
    as they are, interrupted ones go on.

    Args:
        games: the games to measure, with the playouts per move.
        config: configuration of the evolutions, as `miner evolve` takes it.
        at_depth: whether the evolutions have the playouts of the matches instead of the configuration's.
        out: folder of the runs.
        playouts: playouts per move instead of the games' own; None: the games' own.
        matches: number of matches of each kind and game, in pairs with roles swapped.
        seed: seed of the evolutions and of the matches.
        executor: kind of executor for the evolutions.
        progress: called with a line about the work that begins.
    """
    for game in games:
        folder, budget = out / game.name, playouts or game.playouts
        _evolve(game.name, config, budget if at_depth else None, folder, seed, executor, progress)
        machine = load_machine(game.name)
        knowledge = read_knowledge(folder / BEST, machine.sheet)
        constant = bare_constant(folder / BEST)
        progress(f"{game.name}: {constant.words}")
        bare = PlayerSpec("uct", Parameters(uct_c=constant.uct_c), playouts=budget)
        player = bare.with_knowledge(knowledge, machine)
        ratio = measure_time_ratio(machine, player, bare, seed)
        progress(f"{game.name}: {matches} matches against half the time, {matches} at equal time")
        # Only the opponent's playouts are scaled, so that the player searches equally deep in both measurements.
        rivals = [replace(bare, playouts=max(1, round(budget * ratio * share))) for share in (_THESIS_HANDICAP, 1.0)]
        half, equal = (score_players(machine, player, rival, matches, seed, lambda _: None).score for rival in rivals)
        low, high = equal.ci95
        yield {
            "game": game.name,
            "playouts": budget,
            "matches": equal.matches,
            "handicap_win_percent": half.win_percent,
            "thesis": "{:.1f} ± {:.1f}".format(*game.knowledge_win),
            "win_percent": equal.win_percent,
            "low": low,
            "high": high,
            "time_ratio": ratio,
            "uct_c": knowledge.parameters.uct_c,
            "baseline_uct_c": constant.uct_c,
            "expansions": f"{10 * knowledge.parameters.expansions:.0f}/10 playouts",
        }


def _evolve(
    game: str,
    config: str,
    playouts: int | None,
    folder: Path,
    seed: int,
    executor: ExecutorKind,
    progress: Callable[[str], None],
) -> None:
    """Complete the run in `folder`, which is new, interrupted or complete."""
    if (folder / "config.json").exists():
        progress(f"{game}: taking the evolution in {folder}")
        resume(folder, executor=executor)
    else:
        evolve(game, config=config, seed=seed, playouts=playouts, out=folder, executor=executor)
