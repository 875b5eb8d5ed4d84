"""`miner league` ranks runs and files of all learning methods and tells what their knowledge cost."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.knowledge import Parameters, read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import values_of
from gdl_miner.miner.cli import app
from tests.values.random_values import random_values

OPTIONS = ("--game", "tictactoe.ext", "--playouts", "20", "--matches", "12", "--executor", "serial")


def league(*members: Path, options: tuple[str, ...] = ()) -> Result:
    arguments = ["league", *map(str, members), *OPTIONS, *options]
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "140"})


@pytest.fixture
def valued(finished_run: Path, tmp_path: Path) -> Path:
    """Return a file with values of states, of no run, whose search differs from bare UCT."""
    machine, file = load_machine("tictactoe.ext"), tmp_path / "valued.xml"
    knowledge = read_knowledge(finished_run / "best.xml", machine.sheet)
    layout, weights = random_values(machine, 1)
    search = Parameters(uct_c=15.0, value_weight=1.0)
    write_knowledge(replace(knowledge, parameters=search, values=values_of(layout, weights)), file, machine.sheet)
    return file


def test_runs_and_files_are_ranked_beside_bare_uct_and_twins(finished_run: Path, valued: Path) -> None:
    result = league(finished_run, valued, options=("--json", "--opening-plies", "1"))
    assert result.exit_code == 0, result.output
    ranking = {each["player"]: each for each in json.loads(result.stdout)["ranking"]}
    assert {"uct", finished_run.name, "valued.xml", "valued.xml@twin"} <= set(ranking)
    run, file, twin = ranking[finished_run.name], ranking["valued.xml"], ranking["valued.xml@twin"]
    assert run["learner"] == "evolution"
    assert run["seconds"] > 0
    assert run["kilobytes"] == (finished_run / "best.xml").stat().st_size / 1000
    assert (file["learner"], file["seconds"]) == (None, None)
    assert file["weights"] > 0
    assert file["features"] == run["features"] > 0
    assert (twin["features"], twin["weights"], twin["kilobytes"]) == (None, None, None)
    assert file["playouts"] < ranking["uct"]["playouts"] == 20
    pairings = json.loads(result.stdout)["pairings"]
    assert len(pairings) == len(ranking) * (len(ranking) - 1) / 2
    assert all(each["n"] == 12 for each in pairings)


def test_a_file_that_was_kept_with_the_configuration_of_its_run_takes_part(finished_run: Path, tmp_path: Path) -> None:
    for name in ("best.xml", "config.json"):
        shutil.copyfile(finished_run / name, tmp_path / name)
    result = league(tmp_path / "best.xml", options=("--json",))
    assert result.exit_code == 0, result.output
    [kept] = [each for each in json.loads(result.stdout)["ranking"] if each["player"] == "best.xml"]
    assert (kept["learner"], kept["seconds"]) == (None, None)
    assert kept["features"] > 0


def test_the_table_names_all_players(finished_run: Path, valued: Path) -> None:
    result = league(finished_run, valued, options=("--equal", "playouts"))
    assert result.exit_code == 0, result.output
    for words in ("valued.xml", finished_run.name, "evolution", "Points in % against", "seconds of learning"):
        assert words in result.output


def test_without_names_the_finished_runs_of_the_game_take_part(
    finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(league().exception, ConfigError)
    assert "there is no finished run" in str(league().exception)
    shutil.copytree(finished_run, tmp_path / "results" / "tictactoe.ext" / "mine")
    found = json.loads(league(options=("--json",)).stdout)
    assert "mine" in {each["player"] for each in found["ranking"]}


def test_members_that_know_nothing_or_belong_elsewhere_are_refused(finished_run: Path, tmp_path: Path) -> None:
    machine = load_machine("tictactoe.ext")
    known = read_knowledge(finished_run / "best.xml", machine.sheet)
    none: tuple[tuple[()], ...] = ((), ())
    write_knowledge(replace(known, winning=none, losing=none, values=None), tmp_path / "empty.xml", machine.sheet)
    result = league(tmp_path / "empty.xml")
    assert isinstance(result.exception, ConfigError)
    assert "nobody knows anything" in str(result.exception)
    assert isinstance(league(tmp_path / "absent.xml").exception, KnowledgeError)
