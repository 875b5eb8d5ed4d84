"""Evolutions whose features must win matches against the same file without them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.setup import RunSetup
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

GAME = "breakthrough.ext"
SMALL: dict[str, dict[str, Any]] = {
    "networks": {"generations": 0},
    "evolution": {"generations": 1, "population": 3, "elitism": 0.34, "value_steps": 1, "trial_matches": 0},
    "tournament": {"matches_without_knowledge": 32, "matches_per_individual": 8, "validation_matches": 0},
    "search": {"playouts": 10, "playouts_without_knowledge": 10},
    "teaching": {"positions": 200, "playouts": 200},
    "values": {"games": 3, "shapes": []},  # so few that features help beside them
    "pruning": {"matches": 64, "positions": 40, "elo": 200.0},
    "genes": {"impact": 2.5},
}
ACCEPTED = {"matches": 512, "elo": 200.0, "depth": 2.0}
UNDECIDED = {"matches": 2, "elo": 1.0, "depth": 2.0}


def begun(folder: Path, acceptance: dict[str, float]) -> RunSetup:
    return quick_run(folder, GAME, EVOLUTION, {**SMALL, "acceptance": acceptance})


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accepted") / "run"
    drive(begun(folder, ACCEPTED))
    return folder


@pytest.fixture(scope="module")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dropped") / "run"
    log = drive(begun(folder, UNDECIDED))
    assert re.search(r"features, searches of 10 playouts: .* 2 matches.*, undecided", log)
    assert "features: dropped, because they did not win both tests" in log
    return folder


def features_of(folder: Path, name: str) -> int:
    return read_knowledge(folder / name, load_machine(GAME).sheet).n_features


def told(folder: Path, part: str = "features") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "acceptance.json").read_text())[part]
    return found


def test_features_that_win_both_tests_are_kept(accepted: Path) -> None:
    found = told(accepted)
    assert found["kept"]
    assert [(test["baseline_playouts"], test["decision"]) for test in found["tests"]] == [
        (10, "stronger"),
        (20, "stronger"),
    ]
    pruning = json.loads((accepted / "pruning.json").read_text())
    assert 0 not in [trial["size"] for trial in pruning["trials"]], "the acceptance decides whether there are any"
    assert features_of(accepted, "best.xml") == pruning["features"] > 0
    matches, both = pd.read_csv(accepted / "matches.csv"), told(accepted, "features and parameters")
    assert both["kept"]
    tests = [*found["tests"], *both["tests"]]
    assert (matches["phase"] == "acceptance").sum() == sum(test["n"] for test in tests)


def test_features_of_which_a_test_is_undecided_are_dropped_and_the_whole_is_kept_aside(dropped: Path) -> None:
    found = told(dropped)
    assert not found["kept"]
    assert [test["decision"] for test in found["tests"]] == ["undecided"]
    assert features_of(dropped, "best.xml") == 0
    assert features_of(dropped, "whole.xml") > 0
    rest = told(dropped, "parameters")
    assert not rest["kept"]
    start = read_knowledge(dropped / "knowledge" / "gen_000" / "start.xml", load_machine(GAME).sheet)
    best = read_knowledge(dropped / "best.xml", load_machine(GAME).sheet)
    assert replace(best, made=None) == replace(start, made=None)
    assert read_run(dropped).features_left == 0


def test_the_report_and_inspect_have_a_row_for_each_test(accepted: Path, dropped: Path) -> None:
    for folder, verdict in ((accepted, "kept"), (dropped, "dropped")):
        inspected = CliRunner().invoke(app, ["inspect", str(folder)], env={"COLUMNS": "200"}).output
        report = (folder / "report.html").read_text("utf-8")
        assert "What the file owes to its parts" in inspected
        assert f"<td>{verdict}</td>" in report
        for test in told(folder)["tests"]:
            assert f"{test['win_percent']:.1f} % (95 %" in inspected
            assert f"<td>features</td><td>{test['baseline_playouts']}</td>" in report


def test_a_run_that_breaks_off_in_its_acceptance_ends_with_the_same_bytes(accepted: Path, tmp_path: Path) -> None:
    assert drive_with_breaks(begun(tmp_path / "run", ACCEPTED), tmp_path / "run", 7) > 0
    agreement = compare_bytes(accepted, tmp_path / "run")
    assert agreement.complete, agreement.differing
    assert {"best.xml", "acceptance.json"} <= set(agreement.same)
