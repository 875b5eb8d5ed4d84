"""Runs, resumption, reports and commands serve a learner of another package, which an entry point names."""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.mining.learning import LearnedFeatures, learn
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.method import LearningMethod, method_named
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.setup import RunSetup, interrupted_run
from tests.conftest import SEED
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

GAME = "tictactoe.ext"
SEARCH = {"search": {"playouts": 20, "playouts_without_knowledge": 20}}


OUTSIDE = Path(__file__).parent / "outside"  # the module climbing.py, and what the installation of its package leaves


@pytest.fixture(autouse=True)
def climbing(monkeypatch: pytest.MonkeyPatch) -> LearningMethod[Any]:
    monkeypatch.syspath_prepend(OUTSIDE)
    return method_named("climbing")


def begun(folder: Path, method: LearningMethod[Any]) -> RunSetup:
    return quick_run(folder, GAME, method, SEARCH)


@pytest.fixture
def complete(tmp_path: Path, climbing: LearningMethod[Any]) -> Path:
    drive(begun(tmp_path / "run", climbing))
    return tmp_path / "run"


def test_a_run_of_another_learner_leaves_its_tables_and_the_common_files(complete: Path) -> None:
    assert (complete / "steps.csv").read_text().startswith("step,name,metric,value\n0,,moves,")
    for name in (
        "matches.csv",
        "timings.csv",
        "champion.json",
        "best.xml",
        "report.html",
        "knowledge/gen_002/g002.xml",
    ):
        assert (complete / name).exists(), name


def test_nothing_that_is_worse_than_no_knowledge_becomes_the_best_knowledge(
    tmp_path: Path, climbing: LearningMethod[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def misled(*arguments: Any, **options: Any) -> LearnedFeatures:
        learned = learn(*arguments, **options)
        return LearnedFeatures(learned.losing, learned.winning)

    monkeypatch.setattr("climbing.learn", misled)
    folder, machine = tmp_path / "run", load_machine(GAME)
    drive(quick_run(folder, GAME, climbing, {**SEARCH, "": {"validation_matches": 100}}))
    champion = json.loads((folder / "champion.json").read_text())
    assert champion["win_percent"] <= 50
    assert champion["helps"] is False
    assert read_knowledge(folder / "best.xml", machine.sheet).empty
    assert read_knowledge(folder / "knowledge/gen_002/g002.xml", machine.sheet).n_features > 0
    assert "complete: no knowledge helps" in CliRunner().invoke(app, ["inspect", str(folder)]).output
    assert "No knowledge helps" in (folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize("lasts", [1, 2, 5, 8])
def test_a_run_of_another_learner_that_is_interrupted_again_and_again_ends_in_the_same_bytes(
    lasts: int, complete: Path, tmp_path: Path, climbing: LearningMethod[Any]
) -> None:
    folder = tmp_path / "other"
    assert drive_with_breaks(begun(folder, climbing), folder, lasts) > 0
    agreement = compare_bytes(complete, folder)
    assert agreement.complete, agreement.differing
    assert "steps.csv" in agreement.same


@pytest.mark.parametrize("config", ["default", "quick"])
def test_shipped_configurations_serve_every_method(config: str, climbing: LearningMethod[Any]) -> None:
    assert read_settings(climbing.settings, config).search == read_settings(EvolutionConfig, config).search


def test_the_command_makes_a_run_of_another_learner(tmp_path: Path, climbing: LearningMethod[Any]) -> None:
    config = tmp_path / "climb.toml"
    config.write_text("steps = 2\n[search]\nplayouts = 20\nplayouts_without_knowledge = 20\nuct_c = 40.0\n")
    options = ["--game", GAME, "--config", str(config), "--executor", "serial", "--out", str(tmp_path / "run")]
    made = CliRunner().invoke(app, ["learn", "--with", "climbing", *options])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "run" / "best.xml").exists()


def test_a_section_of_another_method_in_a_file_is_refused(tmp_path: Path, climbing: LearningMethod[Any]) -> None:
    config = tmp_path / "climb.toml"
    config.write_text("[evolution]\ngenerations = 3\n")
    with pytest.raises(ConfigError, match=r"climb\.toml:1: "):
        read_settings(climbing.settings, str(config))


def test_the_commands_show_and_compare_runs_of_another_learner(complete: Path, finished_run: Path) -> None:
    shown = CliRunner().invoke(app, ["inspect", str(complete)], env={"COLUMNS": "200"}).output
    assert "climbing, seed 1, 20 playouts a move" in shown
    assert "with learner climbing of climbing 1.0" in shown
    said = " ".join(shown.split())
    assert "complete: no knowledge helps: the best that was learned does not beat bare UCT" in said
    assert "and best.xml is empty champion g002 on fresh matches" in said
    compared = CliRunner().invoke(app, ["compare", str(complete), str(finished_run)], env={"COLUMNS": "200"})
    assert compared.exit_code == 0
    assert "2/2" in compared.output
    report = (complete / "report.html").read_text("utf-8")
    assert "It was learned with <b>climbing</b>, in 2 steps; the seed was 1." in report
    assert "What the champion looks at" in report
    assert "learner climbing of climbing 1.0" in report


def test_a_run_of_another_learner_is_repeated_and_resumed_like_any(complete: Path, tmp_path: Path) -> None:
    arguments = ["repeat", str(complete), "--out", str(tmp_path / "again"), "--executor", "serial"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "agree" in result.output
    unfinished = shutil.copytree(complete, tmp_path / "unfinished")
    (unfinished / "champion.json").unlink()
    (unfinished / "checkpoints/ended").unlink()
    journal = unfinished / "checkpoints/journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    result = CliRunner().invoke(app, ["resume", str(unfinished), "--executor", "serial"])
    assert result.exit_code == 0, result.output
    assert (unfinished / "champion.json").read_bytes() == (complete / "champion.json").read_bytes()


def test_a_run_of_a_learner_that_is_not_there_is_refused_by_name(
    complete: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [place for place in sys.path if place != str(OUTSIDE)])
    with pytest.raises(
        ConfigError,
        match=r"config\.json: the run needs the learner climbing of climbing 1\.0, which is not installed; install it",
    ):
        interrupted_run(complete)
    with pytest.raises(ConfigError, match="climbing: there is no such learning method"):
        method_named("climbing")


def test_a_run_of_another_version_or_of_other_sources_is_refused(complete: Path) -> None:
    config = complete / "config.json"
    text = config.read_text()
    [plugin] = json.loads(text)["plugins"]
    assert (
        plugin["digest"]
        == hashlib.sha256(
            f"climbing.py\n{hashlib.sha256((OUTSIDE / 'climbing.py').read_bytes()).hexdigest()}\n".encode()
        ).hexdigest()[:12]
    )
    for old, new, what in (
        (
            plugin["digest"],
            "0123456789ab",
            r"was begun with the learner climbing of climbing 1\.0, and it is installed "
            "here with other sources",
        ),
        ('"version": "1.0"', '"version": "0.9"', r"of climbing 0\.9, and it is installed here as climbing 1\.0, which"),
    ):
        config.write_text(text.replace(old, new))
        with pytest.raises(ConfigError, match=what):
            interrupted_run(complete)
        repeated = CliRunner().invoke(app, ["repeat", str(complete), "--executor", "serial"])
        assert re.search(what, str(repeated.exception))
    assert not complete.with_name("run-again").exists()


def test_the_command_line_refuses_a_way_to_learn_that_is_not_there() -> None:
    error = CliRunner().invoke(app, ["learn", "--game", GAME, "--with", "evolutoin"]).exception
    assert str(error) == "evolutoin: there is no such learning method; did you mean evolution?"


def test_learning_with_evolution_is_evolving(finished_run: Path, tmp_path: Path) -> None:
    config = finished_run.parent / "tiny.toml"
    arguments = ["learn", "--game", "tictactoe.ext.kif", "--with", "evolution", "--config", str(config)]
    result = CliRunner().invoke(
        app, [*arguments, "--seed", str(SEED), "--executor", "serial", "--out", str(tmp_path / "run")]
    )
    assert result.exit_code == 0, result.output
    assert compare_bytes(finished_run, tmp_path / "run").complete


def test_the_validation_plays_matches_that_were_not_played_before(finished_run: Path) -> None:
    rows = [line.split(",") for line in (finished_run / "matches.csv").read_text().splitlines()[1:]]
    fresh = {row[0] for row in rows if row[2] == "validation"}
    assert len(fresh) == 10
    assert not fresh & {row[0] for row in rows if row[2] != "validation"}
