"""The learner of features: its runs, and the bytes that they leave."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Provenance, read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.gifl.method import GIFL_LEARNING
from gdl_miner.miner.learners.learner import KnowledgeMaker, OtherVersionError
from gdl_miner.miner.learners.registry import METHODS
from gdl_miner.miner.learners.requests import MatchResults
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.setup import RunSetup
from gdl_miner.miner.runs.start import read_start
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

GAME = "tictactoe.ext"
CHANGES: dict[str, dict[str, Any]] = {
    "gifl": {"steps": 2, "games": 60, "matches": 8, "validation_matches": 8},
    "search": {"playouts": 40, "equal": "playouts"},
}


def begun(folder: Path, changes: dict[str, dict[str, Any]] = CHANGES) -> RunSetup:
    return quick_run(folder, GAME, GIFL_LEARNING, changes)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gifl") / "run"
    drive(begun(folder))
    return folder


def test_a_run_leaves_a_table_and_knowledge(complete: Path) -> None:
    assert METHODS["gifl"] is GIFL_LEARNING
    table = pd.read_csv(complete / "gifl.csv")
    assert table["games"].tolist() == [60, 60]
    assert (table["decided"] <= table["games"]).all()
    assert table["weights"].is_monotonic_increasing
    assert (table["offensive"] + table["defensive"]).is_monotonic_increasing
    assert (table["variants"] > 0).all()
    assert table["rms_error"].isna().all()
    assert (table["past_matches"].fillna(0) > 0).tolist() == [False, True]
    machine = load_machine(GAME)
    knowledge = read_knowledge(complete / "last.xml", machine.sheet)
    assert knowledge.n_features == table["weights"].iloc[1]
    assert {each.origin.side for each in knowledge.winning[0] if each.origin} == {"offensive", "defensive"}
    assert knowledge.parameters.opponent_knowledge == 0.5
    assert knowledge.symmetries


def test_interruptions_change_no_byte(complete: Path, tmp_path: Path) -> None:
    assert drive_with_breaks(begun(tmp_path / "broken"), tmp_path / "broken", 2) > 2
    assert compare_bytes(complete, tmp_path / "broken").same


def test_the_number_of_shards_changes_no_feature(complete: Path, tmp_path: Path) -> None:
    changes = {**CHANGES, "gifl": {**CHANGES["gifl"], "shards": 3}}
    drive(begun(tmp_path / "other", changes))
    assert (tmp_path / "other" / "gifl.csv").read_bytes() == (complete / "gifl.csv").read_bytes()


def test_scored_features_are_dropped_whatever_interrupts_the_run_and_however_many_shards(tmp_path: Path) -> None:
    """Searches of six playouts that judge by chance find some features of tic-tac-toe poor where much may be wrong."""
    scoring = {"scoring_matches": 60, "scoring_playouts": 6, "judging_playouts": 60, "false_drops": 0.5}
    gifl = {**CHANGES["gifl"], **scoring, "wins_first": False, "matches": 2, "validation_matches": 2}
    changes = {**CHANGES, "gifl": gifl, "mining": {"symmetries": []}}
    whole, broken, other = (tmp_path / name for name in ("whole", "broken", "other"))
    drive(begun(whole, changes))
    table = pd.read_csv(whole / "gifl.csv")
    assert table["dropped"].sum() > 0
    unscored = {**changes, "gifl": {**gifl, "scoring_matches": 0}}
    drive(begun(tmp_path / "unscored", unscored))
    all_features = pd.read_csv(tmp_path / "unscored" / "gifl.csv")
    assert all_features["dropped"].tolist() == [0, 0]
    kept = table[["offensive", "defensive"]].iloc[0].sum() + table["dropped"].iloc[0]
    assert kept == all_features[["offensive", "defensive"]].iloc[0].sum()
    assert drive_with_breaks(begun(broken, changes), broken, 2) > 2
    assert compare_bytes(whole, broken).same
    drive(begun(other, {**changes, "gifl": {**gifl, "shards": 3}}))
    assert (other / "gifl.csv").read_bytes() == (whole / "gifl.csv").read_bytes()
    shown = CliRunner().invoke(app, ["inspect", str(whole)])
    assert "dropped" in shown.output


def test_a_run_is_inspected_and_reported(complete: Path) -> None:
    shown = CliRunner().invoke(app, ["inspect", str(complete)])
    assert shown.exit_code == 0, shown.output
    assert "offensive" in shown.output
    assert "defensive" in (complete / "report.html").read_text("utf-8")


def test_features_can_guide_the_tree_and_stand_alone(tmp_path: Path) -> None:
    changes = {
        "gifl": {"steps": 1, "games": 40, "matches": 4, "validation_matches": 0, "selection": True},
        "search": CHANGES["search"],
        "mining": {"symmetries": []},
    }
    drive(begun(tmp_path / "run", changes))
    knowledge = read_knowledge(tmp_path / "run" / "last.xml", load_machine(GAME).sheet)
    assert (knowledge.parameters.exploration, knowledge.parameters.features_in_selection) == ("puct", True)
    assert not knowledge.symmetries
    assert knowledge.winning[0]
    assert knowledge.winning[1]


def test_a_state_of_another_version_and_a_wrong_result_are_refused(complete: Path) -> None:
    config = GIFL_LEARNING.read_config("quick", CHANGES)
    packed = json.loads((complete / "checkpoints" / "state.json").read_text("utf-8"))
    machine = load_machine(GAME)
    maker = KnowledgeMaker(GAME, machine.sheet.digest, machine.roles, Provenance("test", 0, 1, "1"))

    def unread(step: int, name: str) -> Any:
        raise AssertionError((step, name))

    with pytest.raises(OtherVersionError):
        GIFL_LEARNING.resume(config, maker, {**packed, "version": 0}, unread)
    with pytest.raises(ValueError, match="no result of LearnFeatures"):
        GIFL_LEARNING.begin(config, maker).tell(MatchResults({}, {}))


def test_a_start_and_impossible_settings_are_refused(complete: Path, tmp_path: Path) -> None:
    machine = begun(tmp_path / "run").game.machine()
    with pytest.raises(ConfigError, match=r"--with gifl: .*leave --start out"):
        read_start(complete / "last.xml", machine, GIFL_LEARNING)
    for key, value in (("levels", 0), ("level_factor", 0.0), ("temperature", 0.0), ("opponent_knowledge", 1.5)):
        with pytest.raises(ConfigError, match=rf"gifl\.{key}"):
            GIFL_LEARNING.read_config("quick", {"gifl": {key: value}})
