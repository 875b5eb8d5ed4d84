"""`miner league` ranks runs and files of all learning methods and tells what their knowledge cost."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import Result

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.knowledge import Parameters, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from tests.cli.test_tournament_command import write_valued
from tests.command_line import miner, succeeded
from tests.knowledge.plain import knowledge_of

OPTIONS = ("--game", "tictactoe.ext", "--playouts", 20, "--matches", 12, "--executor", "serial")


def league(*arguments: object) -> Result:
    return miner("league", *arguments, *OPTIONS, columns=140)


@pytest.fixture
def valued(finished_run: Path, tmp_path: Path) -> Path:
    """Return a file with values of states, of no run, whose search differs from bare UCT."""
    search = Parameters(uct_c=15.0, value_weight=1.0)
    return write_valued(finished_run / "best.xml", tmp_path / "valued.xml", 1, search)


def test_runs_and_files_are_ranked_beside_bare_uct_and_twins(finished_run: Path, valued: Path) -> None:
    told = json.loads(succeeded(league(finished_run, valued, "--json", "--opening-plies", 1)))
    ranking = {each["player"]: each for each in told["ranking"]}
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
    assert [each["n"] for each in told["pairings"]] == [12] * (len(ranking) * (len(ranking) - 1) // 2)


def test_a_file_that_was_kept_with_the_configuration_of_its_run_takes_part(finished_run: Path, tmp_path: Path) -> None:
    for name in ("best.xml", "config.json"):
        shutil.copyfile(finished_run / name, tmp_path / name)
    ranking = json.loads(succeeded(league(tmp_path / "best.xml", "--json")))["ranking"]
    [kept] = [each for each in ranking if each["player"] == "best.xml"]
    assert (kept["learner"], kept["seconds"]) == (None, None)
    assert kept["features"] > 0


def test_the_table_names_all_players(finished_run: Path, valued: Path) -> None:
    shown = succeeded(league(finished_run, valued, "--equal", "playouts"))
    for words in ("valued.xml", finished_run.name, "evolution", "Points in % against", "seconds of learning"):
        assert words in shown


def test_without_names_the_finished_runs_of_the_game_take_part(
    finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="there is no finished run"):
        succeeded(league())
    shutil.copytree(finished_run, tmp_path / "results" / "tictactoe.ext" / "mine")
    found = json.loads(league("--json").stdout)
    assert "mine" in {each["player"] for each in found["ranking"]}


def test_members_that_know_nothing_or_belong_elsewhere_are_refused(tmp_path: Path) -> None:
    machine = load_machine("tictactoe.ext")
    write_knowledge(knowledge_of(machine), tmp_path / "empty.xml", machine.sheet)
    with pytest.raises(ConfigError, match="nobody knows anything"):
        succeeded(league(tmp_path / "empty.xml"))
    with pytest.raises(KnowledgeError):
        succeeded(league(tmp_path / "absent.xml"))
