"""Runs of expert iteration: the bytes that they leave, their settings and their reports."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import FeatureRelPattern
from gdl_miner.agent.knowledge import (
    compile_knowledge,
    knowledge_text,
    read_knowledge,
)
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.expert_iteration.method import EXPERT_ITERATION
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.setup import RunSetup
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

GAME = "tictactoe.ext"
CHANGES: dict[str, dict[str, Any]] = {
    "expert": {
        "measured_after": [3, 8, 10],
        "games_at_once": 4,
        "playouts": 20,
        "games_per_feature": 2,
        "pruned_after": 8,
        "kept_features": 5,
        "playout_moves": 1,
        "value_steps": 0,
        "matches": 8,
        "validation_matches": 8,
    }
}
VALUED: dict[str, dict[str, Any]] = {
    "expert": {
        **CHANGES["expert"],
        "measured_after": [3, 8],
        "pruned_after": 0,
        "value_steps": 2,
        "values_learn_on": True,
    },
    "values": {"games": 64},
}


def begun(folder: Path, changes: dict[str, dict[str, Any]] = CHANGES) -> RunSetup:
    return quick_run(folder, GAME, EXPERT_ITERATION, changes)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("expert") / "run"
    drive(begun(folder))
    return folder


@pytest.mark.parametrize("lasts", [1, 2, 5])
def test_an_interrupted_run_ends_in_the_same_bytes(lasts: int, complete: Path, tmp_path: Path) -> None:
    assert drive_with_breaks(begun(tmp_path / "other"), tmp_path / "other", lasts) > 0
    agreement = compare_bytes(complete, tmp_path / "other")
    assert agreement.complete, agreement.differing
    assert "expert.csv" in agreement.same


def test_growth_that_examples_held_out_decide_ends_in_the_same_bytes_too(tmp_path: Path) -> None:
    changes = {"expert": {**CHANGES["expert"], "measured_after": [3, 8], "pruned_after": 0, "growth": "held out"}}
    drive(begun(tmp_path / "whole", changes))
    assert drive_with_breaks(begun(tmp_path / "other", changes), tmp_path / "other", 2) > 0
    agreement = compare_bytes(tmp_path / "whole", tmp_path / "other")
    assert agreement.complete, agreement.differing


def test_a_run_with_values_ends_in_the_same_bytes_too_and_its_values_learn_on(tmp_path: Path) -> None:
    drive(begun(tmp_path / "whole", VALUED))
    assert drive_with_breaks(begun(tmp_path / "other", VALUED), tmp_path / "other", 2) > 0
    agreement = compare_bytes(tmp_path / "whole", tmp_path / "other")
    assert agreement.complete, agreement.differing
    known = [
        read_knowledge(tmp_path / "whole" / "knowledge" / name, load_machine(GAME).sheet)
        for name in ("gen_001/start.xml", "gen_001/s001.xml", "gen_002/s002.xml")
    ]
    assert known[0].n_features == 0
    assert known[1].n_features > 0
    assert len({knowledge_text(replace(known[0], values=each.values)) for each in known}) == 3
    assert {each.parameters.value_weight for each in known} == {1.0}
    assert {each.parameters.exploration for each in known} == {"puct"}


def test_tasks_of_another_size_leave_the_same_bytes(complete: Path, tmp_path: Path) -> None:
    drive(begun(tmp_path / "other", {**CHANGES, "execution": {"matches_per_task": 1}}))
    assert compare_bytes(complete, tmp_path / "other").complete


def test_another_seed_learns_other_weights(complete: Path, tmp_path: Path) -> None:
    drive(begun(tmp_path / "other", {**CHANGES, "": {"seed": 2}}))
    assert (tmp_path / "other" / "last.xml").read_bytes() != (complete / "last.xml").read_bytes()


def test_a_run_leaves_a_policy_that_plays_its_curve_and_a_report(complete: Path) -> None:
    machine = load_machine(GAME)
    knowledge = read_knowledge(complete / "last.xml", machine.sheet)
    compile_knowledge(knowledge, machine)
    assert knowledge.parameters.exploration == "puct"
    assert knowledge.parameters.playout_moves == 1
    assert 0 < knowledge.n_features <= 5
    assert {type(each.feature) for each in (*knowledge.winning[0], *knowledge.losing[0])} == {FeatureRelPattern}
    table = pd.read_csv(complete / "expert.csv")
    assert table["games"].tolist() == [3, 5, 2]
    assert table["features"].tolist()[2] == 5
    assert table["features"].tolist()[1] == table["features"].tolist()[0] + 3  # games 4 to 8 bring three
    assert (table["cross_entropy"] >= table["expert_entropy"]).all()
    assert table["rms_error"].between(0, 1).all()
    shown = CliRunner().invoke(app, ["inspect", str(complete)], env={"COLUMNS": "100"}).output
    assert "Learning curve" in shown
    report = (complete / "report.html").read_text()
    assert "The champion learned what its own searches prefer from 10 games against itself; the seed was 1." in report
    assert "What the champion looks at" in report or "helps" in report


def test_it_is_a_method_of_the_command_line(tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(
        "[expert]\nmeasured_after = [2]\ngames_at_once = 2\nplayouts = 10\nmatches = 4\nvalidation_matches = 4\n"
        "value_steps = 1\n[values]\ngames = 64\n[search]\nplayouts = 10\nuct_c = 40.0\n"
    )
    given = ["learn", "--game", GAME, "--with", "expert-iteration", "--config", str(config)]
    result = CliRunner().invoke(app, [*given, "--executor", "serial", "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    again = CliRunner().invoke(app, ["repeat", str(tmp_path / "run"), "--executor", "serial"])
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("measured_after = [5, 3]", "measured_after is [5, 3]; give numbers of games from 1, in ascending order"),
        ("measured_after = [0]", "give numbers of games from 1"),
        ("growth = 'fast'", "'combine max'"),
        ("reach = 9", "less than or equal to 3"),
        ("momentum = 1.0", "less than 1"),
        ("tempo = 1", "there is no such key"),
    ],
)
def test_impossible_settings_are_refused_with_their_place(line: str, said: str, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text(f"[expert]\n{line}\n")
    with pytest.raises(ConfigError, match=r"mine\.toml:\d+: ") as error:
        EXPERT_ITERATION.read_config(str(config), {})
    assert said in str(error.value)


def test_the_configuration_of_the_seed_plays_one_game_at_a_time_and_prunes_after_200() -> None:
    settings = EXPERT_ITERATION.read_config("expert-iteration-seed", {}).expert
    assert settings.measured_after[:5] == [1, 25, 50, 100, 200]
    assert settings.games_from(0, 0) == 1
    assert settings.training(1, 60, 199, 1).growth == "correlation"
    assert settings.training(1, 60, 200, 1).growth == "none"
    assert settings.training(1, 60, 0, 1).descent.updates == 60
    assert settings.training(1, 60, 0, 1).new_features == 1
