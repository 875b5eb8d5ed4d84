"""Transfer in expert iteration: runs from the features of a smaller or similar game, beside runs from nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.limits import MAX_COUNT
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.learners.expert_iteration.growth import GrowthKind
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.scoring import score_players
from lab.options import ExecutorKind, Executors, Games, Matches, OutFolder, PlayoutsOption, SeedOption, report_progress
from lab.tables import Column, Row, StudyTable, game_column, point_cells, point_columns
from lab.theses.board_sizes import smaller
from lab.theses.expert_iteration import ExpertRuns, GamesAtOnce, LearningPlayouts, seed_sections

# For each game, the game whose features it starts from: a bundled one, or itself on a smaller board.
_SOURCES: dict[str, str | int] = {
    "breakthrough.ext": 6,
    "connectfour.ext": "connectfour7.ext",
    "gomoku.ext": 11,
    "hex11.ext": "hex5.ext",
}
_GROWTH: GrowthKind = "correlation"
_MOVE_LIMIT = 100


def transfer(
    game: Games = None,
    games: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Games of self-play of each run.")] = 50,
    games_at_once: GamesAtOnce = 5,
    source_games: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_COUNT, help="Games of the run that learns the source.", show_default="--games"),
    ] = None,
    learning_playouts: LearningPlayouts = 100,
    playouts: PlayoutsOption = 100,
    matches: Matches = 100,
    out: OutFolder = Path("results/transfer"),
    seed: SeedOption = 1,
    executor: Executors = ExecutorKind.ray,
) -> Iterator[StudyTable]:
    """Expert iteration from the features of a smaller or similar game, beside the same from nothing.

    Breakthrough starts from boards of 6 x 6, gomoku of 11 x 11, hex of 5 x 5, and connect four from seven columns. What
    is known before the first game, and after 1, 25 and 50, plays against UCT, against a PUCT that knows nothing, and
    against what the run from nothing knows in the end. The runs are kept; the same command takes them up again.
    """
    asked = game or list(_SOURCES)
    unknown = [name for name in asked if name not in _SOURCES]
    if unknown:
        raise ConfigError(f"{unknown[0]} has no source to start from; give one of {', '.join(_SOURCES)}")
    runs = ExpertRuns(out, games, 0, games_at_once, learning_playouts, seed, executor)
    columns = (
        game_column(),
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
    yield StudyTable(columns, _rows(asked, runs, playouts, matches, source_games))


def _rows(
    games: Iterable[str], runs: ExpertRuns, playouts: int, matches: int, source_games: int | None
) -> Iterator[Row]:
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
                report_progress(f"{game}: matches after {number} games from {title}")
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
    source = _SOURCES[game]
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

    def row(self, knowledge: Knowledge) -> Row:
        """Return the cells of a biased search's matches."""
        player = self.uct.with_knowledge(knowledge, self.machine)
        puct = self.uct.with_knowledge(_indifferent(knowledge), self.machine)
        slowdown = self.sample.work_ratio(player, self.uct)
        fewer = replace(player, playouts=equal_playouts(self.uct.playouts, slowdown))
        row: dict[str, object] = {"matches": self.matches, "slowdown": slowdown}
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
