"""Figures 4 to 8 of Soemers, Piette & Browne 2019: biased search against UCT after so many games of self-play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters, read_knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.learners.expert_iteration import EXPERT_ITERATION
from gdl_miner.miner.learners.expert_iteration.config import ExpertConfig
from gdl_miner.miner.learners.expert_iteration.growth import GROWTHS, GrowthKind
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.scoring import score_players
from gdl_miner.miner.runs.settings import read_sections
from gdl_miner.miner.usefulness.pruning import only_features
from lab.options import ExecutorKind, Executors, Games, Matches, OutFolder, PlayoutsOption, SeedOption, report_progress
from lab.tables import Column, Row, StudyTable, game_column
from lab.theses.kept_runs import keep_run

# Their figures are pictures; the text of section V-B says of each game where the curves of 200 games end.
THEIRS = {
    "breakthrough.ext": "well above 50",
    "connectfour7.ext": "somewhat above",
    "connectfour.ext": "somewhat above",
    "fanorona.ext": "well above 50",
    "gomoku.ext": "about 50",
    "hex11.ext": "above 50",
    "hex5.ext": "above 50",
    "knightthrough.ext": "somewhat above",
    "othello.ext": "well above 50",
    "teeko.ext": "well above 50",
    "yavalath.ext": "below 50",
}
THEIR_GROWTHS: tuple[GrowthKind, ...] = ("correlation", "combine max", "combine random", "add random")
_GAMES = (1, 25, 50, 100, 200)  # after which they measure, before pruning and after it
_MOVE_LIMIT = 100

GamesAtOnce = Annotated[
    int, typer.Option(min=1, max=MAX_COUNT, help="Games played together, between which nothing is learned.")
]
LearningPlayouts = Annotated[int, typer.Option(min=1, max=MAX_PLAYOUTS, help="Playouts per move of self-play.")]


@dataclass(frozen=True)
class ExpertRuns:
    """The runs of expert iteration in a folder, one for each game and strategy."""

    out: Path
    games: int  # of self-play, before pruning
    pruned_games: int  # further games after it; 0: nothing is pruned
    games_at_once: int
    playouts: int  # per move of self-play
    seed: int
    executor: ExecutorKind
    value_steps: int = 0  # steps of training games before self-play, whose values stand in for playouts

    @property
    def measured_after(self) -> tuple[int, ...]:
        """Numbers of games after which there is a knowledge file."""
        grown = [*(each for each in _GAMES if each < self.games), self.games]
        more = [*(each for each in _GAMES if each < self.pruned_games), self.pruned_games] if self.pruned_games else []
        return (*grown, *(self.games + each for each in more))

    def learned(
        self, machine: Machine, growth: GrowthKind, *, game: str | None = None, start: Path | None = None
    ) -> list[tuple[int, Knowledge]]:
        """Return what was known after so many games; the run is made, or completed, or taken as it is.

        Args:
            machine: the game.
            growth: the strategy of growth.
            game: the name by which commands find the game, where it is another one than that of its sheet.
            start: a knowledge file that the run starts from; what it brings is known after 0 games.
        """
        folder = self.folder(machine, growth, started=start is not None)
        sections = seed_sections()
        sections["expert"] |= {
            "measured_after": list(self.measured_after),
            "games_at_once": self.games_at_once,
            "playouts": self.playouts,
            "growth": growth,
            "pruned_after": self.games if self.pruned_games else 0,
            "matches": 2,
            "validation_matches": 0,
            "value_steps": self.value_steps,
        }
        sections["search"] |= {"playouts": self.playouts}
        named = game or machine.sheet.name
        keep_run(folder, named, EXPERT_ITERATION.name, sections, self.seed, self.executor, start)
        paths = [self.path(folder, step) for step in range(1, len(self.measured_after) + 1)]
        known = [read_knowledge(path, machine.sheet) for path in paths]
        at_start = [] if start is None else [(0, read_knowledge(folder / "start.xml", machine.sheet))]
        return [*at_start, *zip(self.measured_after, known, strict=True)]

    def folder(self, machine: Machine, growth: GrowthKind, *, started: bool = False) -> Path:
        """Return the folder of a run, from nothing or from a knowledge file."""
        traits = [growth.replace(" ", "-")]
        traits += ["values"] if self.value_steps else []
        traits += ["started"] if started else []
        return self.out / "-".join([machine.sheet.name, *traits])

    def path(self, folder: Path, step: int) -> Path:
        """Return the path of what was known after a step, from 1, of the run in a folder."""
        return folder / "knowledge" / f"gen_{step:03d}" / f"s{step:03d}.xml"


def seed_sections() -> dict[str, dict[str, Any]]:
    """Return the settings of the seed's runs by section, as far as they differ from the default ones."""
    return read_sections(ExpertConfig, "expert-iteration-seed")


def expert_iteration(
    game: Games = None,
    growth: Annotated[
        list[str] | None,
        typer.Option(help=f"{', '.join(GROWTHS[:-1])}; give it again for more.", show_default="their four"),
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=MAX_COUNT, help="Games of self-play.")] = 200,
    pruned_games: Annotated[
        int, typer.Option(min=0, max=MAX_COUNT, help="Further games with pruned features; 0: none.")
    ] = 100,
    games_at_once: GamesAtOnce = 1,
    learning_playouts: LearningPlayouts = 1000,
    playouts: PlayoutsOption = 1000,
    value_steps: Annotated[
        int, typer.Option(min=0, max=999, help="Steps of training games, whose values stand in for playouts; 0: none.")
    ] = 0,
    matches: Matches = 200,
    out: OutFolder = Path("results/expert-iteration"),
    seed: SeedOption = 1,
    executor: Executors = ExecutorKind.ray,
) -> Iterator[StudyTable]:
    """Figures 4 to 8 of Soemers et al. 2019: searches biased by growing features against UCT.

    After 1, 25, 50, 100 and 200 games of self-play, and after as many of the games with pruned features, the biased
    search plays against UCT with as many playouts and with as many as cost the same, and a greedy player, which does
    not search, plays against UCT. With --value-steps the leaves of all biased searches are valued, and they also play
    against the values without features. The runs are kept; the same command takes them up again.

    Matches of 100 moves are drawn, and a draw counts half. The slowdown is the work of a playout of the biased search,
    in those of UCT.
    """
    kinds = [_growth(each) for each in growth or THEIR_GROWTHS]
    runs = ExpertRuns(out, games, pruned_games, games_at_once, learning_playouts, seed, executor, value_steps)
    columns = (
        game_column(),
        Column("growth", "growth", 14),
        Column("games", "games", 6),
        Column("features", "features", 8),
        Column("playouts", "playouts", 8),
        Column("matches", "matches", 7),
        Column("theirs", "theirs", 16),
        Column("win_percent", "win %", 6, ".1f"),
        Column("low", "low", 5, ".1f"),
        Column("high", "high", 5, ".1f"),
        Column("slowdown", "slowdown", 8, ".2f"),
        Column("biased_playouts", "for same work", 13),
        Column("work_percent", "same work %", 11, ".1f"),
        Column("work_low", "low", 5, ".1f"),
        Column("work_high", "high", 5, ".1f"),
        Column("greedy_percent", "greedy %", 8, ".1f"),
        Column("greedy_low", "low", 5, ".1f"),
        Column("greedy_high", "high", 5, ".1f"),
        Column("values_percent", "over values %", 13, ".1f"),
        Column("values_low", "low", 5, ".1f"),
        Column("values_high", "high", 5, ".1f"),
    )
    yield StudyTable(columns, _against_uct(game or sorted(THEIRS), kinds, runs, playouts, matches))


def _growth(name: str) -> GrowthKind:
    for kind in GROWTHS:
        if kind == name:
            return kind
    raise ConfigError(f"{name}: there is no such strategy of growth; give one of {', '.join(GROWTHS)}")


def _against_uct(
    games: Iterable[str], growths: Sequence[GrowthKind], runs: ExpertRuns, playouts: int, matches: int
) -> Iterator[Row]:
    uct = PlayerSpec(playouts=playouts, parameters=Parameters(uct_c=seed_sections()["search"]["uct_c"]))
    for game in games:
        machine = load_machine(game)
        sample = PositionSample(machine)

        def score(player: PlayerSpec, opponent: PlayerSpec = uct, plies: int = 0, machine: Machine = machine) -> Score:
            result = score_players(
                machine,
                player,
                opponent,
                matches,
                runs.seed,
                lambda _: None,
                move_limit=_MOVE_LIMIT,
                opening_plies=plies,
            )
            return result.score

        for growth in growths:
            for number, knowledge in runs.learned(machine, growth):
                report_progress(f"{machine.sheet.name}: {growth}, matches after {number} games")
                player = uct.with_knowledge(knowledge, machine)
                slowdown = sample.work_ratio(player, uct)
                fewer = equal_playouts(playouts, slowdown)
                even, same_work = score(player), score(replace(player, playouts=fewer))
                greedy = score(player.greedy())
                over_values: Score | None = None
                if knowledge.values is not None:
                    featureless = only_features(knowledge, [()] * len(machine.roles))
                    valued = uct.with_knowledge(featureless, machine)
                    cheap = equal_playouts(playouts, sample.work_ratio(valued, uct))
                    alone = replace(valued, playouts=cheap)
                    over_values = score(replace(player, playouts=fewer), alone, OPENING_PLIES)
                yield {
                    "game": machine.sheet.name,
                    "growth": growth,
                    "games": number,
                    "features": knowledge.n_features,
                    "playouts": playouts,
                    "matches": even.matches,
                    "theirs": THEIRS.get(machine.sheet.name) if number == max(_GAMES) else None,
                    **_percent("", even),
                    "slowdown": slowdown,
                    "biased_playouts": fewer,
                    **_percent("work_", same_work),
                    **_percent("greedy_", greedy),
                    **_percent("values_", over_values),
                }


def _percent(prefix: str, score: Score | None) -> Row:
    """Return the cells of a score, which are empty where no matches were played."""
    low, high = (None, None) if score is None else score.ci95
    return {
        f"{prefix}percent" if prefix else "win_percent": None if score is None else score.win_percent,
        f"{prefix}low": low,
        f"{prefix}high": high,
    }
