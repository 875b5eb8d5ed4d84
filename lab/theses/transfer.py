"""Transfer in expert iteration: runs from the features of a smaller or similar game, beside runs from nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.apprentice import GrowthKind
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.scoring import score_players
from lab.tables import CellValue, Column
from lab.theses.board_sizes import smaller
from lab.theses.expert_iteration import ExpertRuns, seed_sections
from lab.theses.point_columns import point_cells, point_columns

__all__ = ["SOURCES", "TRANSFER_COLUMNS", "compare_starts"]

# For each game, the game whose features it starts from: a bundled one, or itself on a smaller board.
SOURCES: dict[str, str | int] = {
    "breakthrough.ext": 6,
    "connectfour.ext": "connectfour7.ext",
    "gomoku.ext": 11,
    "hex11.ext": "hex5.ext",
}
TRANSFER_COLUMNS = (
    Column("game", "game", 18),
    Column("source", "source", 18),
    Column("seed", "seed", 5),
    Column("start", "start", 8),
    Column("games", "games", 6),
    Column("features", "features", 8),
    Column("matches", "matches", 7),
    Column("slowdown", "slowdown", 8, ".2f"),
    *point_columns("uct", "UCT"),
    *point_columns("uct_work", "same work"),
    *point_columns("puct", "bare PUCT"),
    *point_columns("puct_work", "same work"),
    *point_columns("last", "last of nothing"),
)
_GROWTH: GrowthKind = "correlation"
_MOVE_LIMIT = 100


def compare_starts(
    games: Iterable[str], runs: ExpertRuns, playouts: int, matches: int, source_games: int | None = None
) -> Iterator[dict[str, CellValue]]:
    """Return a row for each game, start and number of games of self-play.

    A run learns the source of a game, one learns the game from nothing, and one learns it from what the source's run
    knew last. Each biased search plays against UCT and against bare PUCT, which has the same parameters and to which
    all moves look the same, both with as many playouts and with as many as cost the same work as UCT's. With as many
    playouts it plays against what is known at the end of the run from nothing.

    Args:
        games: some of SOURCES.
        runs: the runs that learn the features.
        playouts: playouts per move of the opponents.
        matches: number of matches of each kind, in pairs with roles swapped.
        source_games: games of self-play of the source's run; None for as many as the others have.

    Raises ConfigError where a game has no source, before anything is measured.
    """
    asked = tuple(games)
    unknown = [game for game in asked if game not in SOURCES]
    if unknown:
        raise ConfigError(f"{unknown[0]} has no source to start from; give one of {', '.join(SOURCES)}")
    return _rows(asked, runs, playouts, matches, source_games)


def _rows(
    games: Iterable[str], runs: ExpertRuns, playouts: int, matches: int, source_games: int | None
) -> Iterator[dict[str, CellValue]]:
    for game in games:
        source = _source(game, runs.out)
        of_source, machine = load_machine(source), load_machine(game)
        first = replace(runs, games=source_games or runs.games)
        first.learned(of_source, _GROWTH, game=source)
        start = first.path(first.folder(of_source, _GROWTH), len(first.measured_after))
        anew = runs.learned(machine, _GROWTH)
        from_source = runs.learned(machine, _GROWTH, start=start)
        field = _Field.of(machine, anew[-1][1], playouts, matches, runs.seed)
        for title, known in (("nothing", anew), ("source", from_source)):
            for number, knowledge in known:
                runs.progress(f"{game}: matches after {number} games from {title}")
                yield {
                    "game": machine.sheet.name,
                    "source": of_source.sheet.name,
                    "seed": runs.seed,
                    "start": title,
                    "games": number,
                    "features": knowledge.n_features,
                    **field.row(knowledge),
                }


def _source(game: str, folder: Path) -> str:
    """Return the name or path of the game from which another one starts; a smaller board is written to the folder."""
    source = SOURCES[game]
    if isinstance(source, str):
        return source
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{game.removesuffix('.ext')}{source}.kif"
    path.write_text(smaller(bundled()[game].read_text("utf-8"), source), "utf-8")
    return str(path)


@dataclass(frozen=True)
class _Field:
    """The opponents of a game's biased searches."""

    machine: Machine
    sample: PositionSample
    uct: PlayerSpec
    last: PlayerSpec  # what is known at the end of the run from nothing
    matches: int
    seed: int

    @classmethod
    def of(cls, machine: Machine, last: Knowledge, playouts: int, matches: int, seed: int) -> _Field:
        """Return the opponents with `playouts` playouts per move."""
        uct = PlayerSpec(playouts=playouts, parameters=Parameters(uct_c=seed_sections()["search"]["uct_c"]))
        return cls(machine, PositionSample(machine), uct, uct.with_knowledge(last, machine), matches, seed)

    def row(self, knowledge: Knowledge) -> dict[str, CellValue]:
        """Return the cells of a biased search's matches."""
        player = self.uct.with_knowledge(knowledge, self.machine)
        puct = self.uct.with_knowledge(_indifferent(knowledge), self.machine)
        slowdown = self.sample.work_ratio(player, self.uct)
        fewer = replace(player, playouts=equal_playouts(self.uct.playouts, slowdown))
        row: dict[str, CellValue] = {"matches": self.matches, "slowdown": slowdown}
        for key, one, other in (
            ("uct", player, self.uct),
            ("uct_work", fewer, self.uct),
            ("puct", player, puct),
            ("puct_work", fewer, puct),
            ("last", player, self.last),
        ):
            row |= point_cells(key, self._score(one, other))
        return row

    def _score(self, player: PlayerSpec, opponent: PlayerSpec) -> Score:
        return score_players(
            self.machine, player, opponent, self.matches, self.seed, lambda _: None, move_limit=_MOVE_LIMIT
        ).score


def _indifferent(knowledge: Knowledge) -> Knowledge:
    """Return the twin of knowledge, with all parameters of the biased search, also those of its playouts."""
    return replace(knowledge.twin(), parameters=knowledge.parameters)
