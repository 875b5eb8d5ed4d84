"""`miner sweep`: a run for each of several games, a table, a page, and going on after an interruption."""

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import Result

from gdl_miner.agent.errors import ConfigError, RuleError
from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.report import RunReport
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.sweep import folder as sweep_folder
from gdl_miner.miner.sweep import game_run
from gdl_miner.miner.sweep.folder import SweepFolder
from gdl_miner.miner.sweep.game_run import FinishedRun, SweepRun, run_game
from tests.cli.conftest import TWO_METHODS
from tests.command_line import miner
from tests.conftest import SEED
from tests.search.chance_games import RACE

# A game of one joint move, after which both roles have 50.
ALIKE = """
(role a) (role b) (number 1) (number 2)
(<= (legal ?r (choose ?n)) (role ?r) (number ?n))
(<= (next over) (does a (choose ?n)))
(<= terminal (true over)) (<= (goal ?r 50) (role ?r))
"""


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheets")
    (folder / "race.kif").write_text(RACE)
    (folder / "alike.kif").write_text(ALIKE)
    return folder


def sweep(config: Path, out: Path, *arguments: str) -> Result:
    return miner("sweep", "--config", config, "--out", out, "--executor", "serial", "--seed", SEED, *arguments)


def sweep_seeds(config: Path, out: Path, seeds: str, *arguments: str) -> Result:
    choice = ["--executor", "serial", "--seeds", seeds]
    return miner("sweep", *arguments, "--config", config, "--out", out, *choice)


@pytest.fixture(scope="module")
def swept(finished_run: Path, sheets: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    out = tmp_path_factory.mktemp("sweeps") / "sweep"
    games = ("tictactoe.ext", str(sheets / "alike.kif"), str(sheets / "race.kif"))
    return out, sweep(finished_run.parent / "tiny.toml", out, *games)


def test_a_sweep_makes_the_runs_that_evolve_makes(swept: tuple[Path, Result], finished_run: Path) -> None:
    out, _ = swept
    agreement = compare_bytes(finished_run, out / "tictactoe.ext")
    assert agreement.complete, agreement.differing
    assert "generation 2" in (out / "tictactoe.ext" / "log.txt").read_text("utf-8")


def test_the_table_has_a_row_for_each_game(swept: tuple[Path, Result], finished_run: Path) -> None:
    out, result = swept
    with (out / "sweep.csv").open(encoding="utf-8") as file:
        rows = {row["game"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["alike", "race", "tictactoe.ext"]
    champion = json.loads((finished_run / "champion.json").read_text())
    known = rows["tictactoe.ext"]
    assert float(known["win_percent"]) == pytest.approx(champion["win_percent"])
    assert (known["board_source"], known["cells"], known["n_roles"], known["error"]) == ("declared", "9", "2", "")
    assert int(known["outcomes"]) > 1
    best = read_knowledge(out / "tictactoe.ext" / "best.xml")
    assert sum(int(known[name]) for name in known if name.startswith("Feature")) == best.n_features
    assert (rows["alike"]["outcomes"], rows["alike"]["helps"], rows["alike"]["win_percent"]) == ("1", "false", "50")
    assert "the role random moves by chance" in rows["race"]["error"]
    assert result.exit_code == 1
    assert "3 games: knowledge helps in" in result.stdout
    assert "1 could not be run" in result.stdout


def test_the_page_links_the_reports_and_names_what_failed(swept: tuple[Path, Result]) -> None:
    out, _ = swept
    page = (out / "index.html").read_text("utf-8")
    assert "<a href='tictactoe.ext/report.html'>" in page
    assert (out / "tictactoe.ext" / "report.html").exists()
    assert "every match without knowledge ends alike; no knowledge helps" in page
    assert "moves by chance" in page


def test_the_same_command_goes_on_and_ends_in_the_same_bytes(
    swept: tuple[Path, Result], finished_run: Path, sheets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = swept
    keep, kept = SweepFolder.keep, []

    def interrupted(self: SweepFolder, finished: FinishedRun) -> None:
        if kept:
            raise KeyboardInterrupt
        kept.append(finished.result.run)
        keep(self, finished)

    config, games = finished_run.parent / "tiny.toml", ("tictactoe.ext", str(sheets / "alike.kif"))
    with monkeypatch.context() as patch:
        patch.setattr(sweep_folder.SweepFolder, "keep", interrupted)
        stopped = sweep(config, tmp_path / "again", *games)
    assert stopped.exit_code == 130
    assert f"interrupted; continue with: the same command with --out {tmp_path / 'again'}" in stopped.stderr
    assert kept == ["tictactoe.ext"]
    assert "1 not yet run" in (tmp_path / "again" / "index.html").read_text("utf-8")
    before = (tmp_path / "again" / "tictactoe.ext" / "result.json").stat().st_mtime_ns
    finished = sweep(config, tmp_path / "again", *games, "--json")
    assert finished.exit_code == 0
    assert [row["game"] for row in json.loads(finished.stdout)] == ["alike", "tictactoe.ext"]
    assert (tmp_path / "again" / "tictactoe.ext" / "result.json").stat().st_mtime_ns == before
    for game in ("tictactoe.ext", "alike"):
        assert compare_bytes(whole / game, tmp_path / "again" / game).complete


def test_what_does_not_fit_is_refused_before_anything_is_run(
    swept: tuple[Path, Result], finished_run: Path, sheets: Path, tmp_path: Path
) -> None:
    config = finished_run.parent / "tiny.toml"
    missing = sweep(config, tmp_path / "new", "tictactoe.ext", "nosuch.kif")
    assert isinstance(missing.exception, RuleError)
    twice = sweep(config, tmp_path / "new", "tictactoe.ext", "tictactoe.ext.kif")
    assert "name each game once" in str(twice.exception)
    assert not (tmp_path / "new").exists()
    foreign = sweep(config, finished_run, "tictactoe.ext")
    assert isinstance(foreign.exception, ConfigError)
    assert "holds no sweep" in str(foreign.exception)
    begun = shutil.copytree(swept[0], tmp_path / "begun")
    other = sweep(config, begun, "tictactoe.ext", "--seed", "10")
    assert "another configuration than this sweep's: evolution.tiny.seed was " in str(other.exception)
    assert " and now is 10; go on with" in str(other.exception)
    for given, says in (("3-1", "no seed and no range"), ("1,x", "no seed and no range"), ("1-99999", "give fewer")):
        assert says in str(sweep_seeds(config, tmp_path / "new", given, "tictactoe.ext").exception)
    changed = tmp_path / "alike.kif"
    changed.write_text(ALIKE + "(number 3)")
    assert "the rules of alike have changed" in str(sweep(config, begun, str(changed)).exception)
    (begun / "alike" / "result.json").write_text("{}")
    assert "no result of this version" in str(sweep(config, begun, str(sheets / "alike.kif")).exception)


def test_a_run_whose_machine_is_lost_goes_on_from_its_mirror(
    finished_run: Path, sheets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror, sheet = tmp_path.as_uri(), read_sheet(str(sheets / "alike.kif"))
    settings = read_settings(EvolutionConfig, str(finished_run.parent / "tiny.toml"))
    run = SweepRun("alike", sheet, "alike", "evolution", "tiny", "tiny", settings, f"{mirror}/alike")
    with monkeypatch.context() as patch:
        patch.setattr(RunReport, "finish", lost)
        with pytest.raises(ConnectionError):
            run_game([], run)
    begun = []
    monkeypatch.setattr(game_run, "new_run", begun.append)
    assert run_game([], run).result.win_percent == 50
    assert not begun
    other = replace(run, settings=settings.model_copy(update={"seed": settings.seed + 1}))
    assert "the mirror of another run" in run_game([], other).result.error


def lost(_: RunReport) -> None:
    raise ConnectionError


def test_each_seed_and_configuration_has_a_run_and_further_seeds_may_follow(
    finished_run: Path, sheets: Path, tmp_path: Path
) -> None:
    config, out, game = finished_run.parent / "tiny.toml", tmp_path / "sweep", str(sheets / "alike.kif")
    other = tmp_path / "other.toml"
    other.write_text(config.read_text().replace("population = 3", "population = 2"))
    first = sweep_seeds(config, out, "1", game, "--config", str(other))
    assert first.exit_code == 0, first.output
    more = sweep_seeds(config, out, "1-2", game, "--config", str(other), "--json")
    told = [(row["run"], row["config"], row["seed"]) for row in json.loads(more.stdout)]
    assert told == [(f"alike-{name}-seed{seed}", name, seed) for name in ("other", "tiny") for seed in (1, 2)]
    assert json.loads((out / "alike-other-seed2" / "config.json").read_text())["config"]["seed"] == 2
    assert "<td>alike</td><td>evolution</td><td>tiny</td><td>2</td><td>50.0</td>" in (out / "index.html").read_text(
        "utf-8"
    )
    alone = sweep_seeds(config, out, "1", game)
    assert "another configuration than this sweep's: evolution.other was {" in str(alone.exception)
    assert " and now is missing; go on with" in str(alone.exception)


def test_each_method_has_a_run_like_that_of_learn(methods: tuple[Path, Result], tmp_path: Path) -> None:
    out, result = methods
    assert result.exit_code == 0, result.output
    with (out / "sweep.csv").open(encoding="utf-8") as file:
        told = [(row["run"], row["learner"], row["seed"]) for row in csv.DictReader(file)]
    names = [(method, seed) for method in ("culture", "values") for seed in "12"]
    assert told == [(f"tictactoe.ext-{method}-seed{seed}", method, seed) for method, seed in names]
    assert "Runs of culture, values, configured by two." in (out / "index.html").read_text("utf-8")
    (tmp_path / "values.toml").write_text(TWO_METHODS.replace(TWO_METHODS[slice(*culture_section())], ""))
    command = [
        "learn",
        "--game",
        "tictactoe.ext",
        "--with",
        "values",
        "--config",
        tmp_path / "values.toml",
        "--seed",
        2,
    ]
    learned = miner(*command, "--out", tmp_path / "run", "--executor", "serial")
    assert learned.exit_code == 0, learned.output
    agreement = compare_bytes(tmp_path / "run", out / "tictactoe.ext-values-seed2")
    assert agreement.complete, agreement.differing


def culture_section() -> tuple[int, int]:
    return TWO_METHODS.index("[culture]"), TWO_METHODS.index("[long_searches]")


def test_a_section_of_no_method_of_the_sweep_and_a_method_that_is_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO_METHODS)
    command = ["sweep", "tictactoe.ext", "--config", tmp_path / "two.toml", "--out", tmp_path / "out", "--with"]
    refused = miner(*command, "values")
    assert "two.toml" in str(refused.exception)
    assert "culture" in str(refused.exception)
    assert "valeus: there is no such learning method; did you mean values?" in str(miner(*command, "valeus").exception)
    assert not (tmp_path / "out").exists()
