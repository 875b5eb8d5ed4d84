"""Champions of evolutions of several seeds, and what search alone reaches when it is evolved as long."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import read_sheet
from gdl_miner.agent.knowledge import read_knowledge, size_with_table, table_beside, write_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.commands.score import bare_constant
from gdl_miner.miner.commands.workplace import open_executor
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.play.comparison import ComparisonRule, RoundRobin, round_robin
from gdl_miner.miner.play.cost_model import PositionSample
from gdl_miner.miner.play.match_tasks import matches_on
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.player_names import PlayerName
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.results.json_file import read_object, write_object
from gdl_miner.miner.results.store import BEST, TUNING
from gdl_miner.miner.runs.settings import read_sections, read_settings
from lab.options import ExecutorKind, Executors, Games, Matches, OutFolder, PlayoutsOption, report_progress
from lab.tables import Column, Row, StudyTable, game_column, point_cells, point_columns
from lab.theses.kept_runs import keep_run

_MEETINGS: Final = {"champion": (3, 0), "twin": (1, 0), "rival": (2, 0), "over_rival": (3, 2)}
_RIVAL, _CONFIG = "rival.xml", "config.json"
_DEADLINE_S = 3600.0

# Features that act nowhere: individuals then differ in their parameters of the search alone.
_WITHOUT_KNOWLEDGE: Final[Mapping[str, Mapping[str, Any]]] = {
    "networks": {"generations": 0},
    "evolution": {"value_steps": 0},
    "teaching": {"positions": 0},
    "pruning": {"matches": 0},
    "genes": {"features_in_selection": False, "features_in_playouts": False},
}


@dataclass(frozen=True)
class _ChampionRuns:
    """Evolutions in a folder: for each game and seed that of a champion, and that of its rival without knowledge."""

    out: Path
    config: str  # a shipped configuration, or a TOML file
    executor: ExecutorKind

    def champion(self, game: str, name: str, seed: int) -> Path:
        """Return the folder of the champion's run; the run is made, or completed, or taken as it is.

        `game` is a sheet as commands find it, `name` what the folder is called after.
        """
        return self._run(game, f"{name}-{seed}", seed, read_sections(EvolutionConfig, self.config))

    def rival(self, game: str, name: str, seed: int) -> Path:
        """Return the folder of a run with as many matches in which nobody has knowledge, as `champion` does."""
        sections = read_sections(EvolutionConfig, self.config)
        changed = {name: {**sections.get(name, {}), **changes} for name, changes in _WITHOUT_KNOWLEDGE.items()}
        settings = read_settings(EvolutionConfig, self.config)
        changed["evolution"]["generations"] = settings.planned_steps
        return self._run(game, f"{name}-{seed}-rival", seed, {**sections, **changed})

    def _run(self, game: str, folder_name: str, seed: int, sections: Mapping[str, Mapping[str, Any]]) -> Path:
        folder = self.out / folder_name
        keep_run(folder, game, EVOLUTION.name, sections, seed, self.executor)
        return folder


def champions(
    game: Games = None,
    config: Annotated[
        str, typer.Option(help="Configuration of the evolutions: quick, default, deep, or a TOML file.")
    ] = "quick",
    seeds: Annotated[int, typer.Option(min=1, max=999, help="Evolutions of each game, with seeds from 1 on.")] = 5,
    playouts: PlayoutsOption = 20,
    matches: Matches = 400,
    out: OutFolder = Path("results/champions"),
    keep: Annotated[
        Path | None, typer.Option(help="A folder to copy champions, rivals and configurations to.", show_default=False)
    ] = None,
    executor: Executors = ExecutorKind.ray,
) -> Iterator[StudyTable]:
    """Tell the gains of knowledge and of search parameters apart: champions of several seeds (docs/strength.md).

    Against bare UCT at equal work play the champion of each evolution, its *twin*, which has its parameters but no
    knowledge, and the best of an evolution of *search* alone, in which nobody has knowledge. Runs that exist are taken
    up; the same command with other games or seeds adds to them.
    """
    runs = _ChampionRuns(out, config, executor)
    read_sections(EvolutionConfig, config)  # mistakes are told before anything is measured
    asked = [(each, read_sheet(each).name, seed) for each in game or sorted(bundled()) for seed in range(1, seeds + 1)]
    columns = (
        game_column(),
        Column("seed", "seed", 4),
        Column("features", "features", 8),
        Column("kilobytes", "kB", 5, ".1f"),
        Column("matches", "matches", 7),
        *point_columns("champion", "champion"),
        *point_columns("twin", "its twin"),
        *point_columns("rival", "search"),
        *point_columns("over_rival", "over search"),
    )
    yield StudyTable(columns, (_row(*each, runs, playouts, matches, keep) for each in asked))


def _row(game: str, name: str, seed: int, runs: _ChampionRuns, playouts: int, matches: int, kept: Path | None) -> Row:
    machine = load_machine(game)
    champion, rival = runs.champion(game, name, seed), runs.rival(game, name, seed)
    report_progress(f"{name}, seed {seed}: matches")
    match = _play(machine, champion / BEST, rival / BEST, playouts, matches, seed, runs.executor)
    if kept is not None:
        _keep(machine, champion, rival, runs.config, kept / f"{name}-{seed}")
    known = read_knowledge(champion / BEST, machine.sheet)
    row: dict[str, object] = {
        "game": name,
        "seed": seed,
        "features": max(
            len(winning) + len(losing) for winning, losing in zip(known.winning, known.losing, strict=True)
        ),
        "kilobytes": size_with_table(champion / BEST) / 1000,
        "matches": match.comparisons[0].score.matches,
    }
    for key, (player, opponent) in _MEETINGS.items():
        row |= point_cells(key, _score(match, player, opponent))
    return row


def _play(
    machine: Machine, champion: Path, rival: Path, playouts: int, matches: int, seed: int, executor: ExecutorKind
) -> RoundRobin:
    """Play a round robin of bare UCT, the champion's twin, the rival's twin and the champion, in this order."""
    sample = PositionSample(machine)
    names = (f"uct+c={bare_constant(champion).uct_c}", f"{champion}@twin", f"{rival}@twin", str(champion))
    specs = [PlayerName.read(name).player(machine, playouts, sample) for name in names]
    rule = ComparisonRule(matches, opening_plies=OPENING_PLIES)
    with closing(open_executor(executor, None, None, _DEADLINE_S)) as workplace:
        play = matches_on(workplace, machine, specs, lambda _: None)
        return round_robin(len(specs), len(machine.roles), rule, seed, play)


def _score(match: RoundRobin, player: int, opponent: int) -> Score:
    for each in match.comparisons:
        if (each.player, each.opponent) == (player, opponent):
            return each.score
        if (each.opponent, each.player) == (player, opponent):
            return each.turned
    raise KeyError(f"players {player} and {opponent} do not meet")


def _keep(machine: Machine, champion: Path, rival: Path, config: str, folder: Path) -> None:
    """Copy what is needed to play the matches and to make the runs again; a rival has nothing but its parameters.

    The copied configuration names `config` as its source, not a file on this machine.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in (champion / BEST, table_beside(champion / BEST), champion / TUNING):
        if path is not None and path.exists():
            shutil.copyfile(path, folder / path.name)
    content = read_object(champion / _CONFIG, "restore it")
    write_object(folder / _CONFIG, {**content, "source": config})
    known = read_knowledge(rival / BEST, machine.sheet)
    none: tuple[tuple[()], ...] = ((),) * len(machine.roles)
    write_knowledge(replace(known, winning=none, losing=none), folder / _RIVAL, machine.sheet)
