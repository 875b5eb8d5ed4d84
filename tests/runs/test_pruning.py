"""Evolutions that end by pruning the features of their best individual."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.setup import RunSetup
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

GAME = "breakthrough.ext"
SMALL: dict[str, dict[str, Any]] = {
    "networks": {"generations": 0},
    "evolution": {"generations": 1, "population": 3, "elitism": 0.34, "value_steps": 0},
    "tournament": {"matches_without_knowledge": 32, "matches_per_individual": 8, "validation_matches": 10},
    "search": {"playouts": 10, "playouts_without_knowledge": 10},
    "teaching": {"positions": 60, "playouts": 50},
    "pruning": {"matches": 256, "positions": 40, "elo": 200.0},
}


def begun(folder: Path, **pruning: float) -> RunSetup:
    return quick_run(folder, GAME, EVOLUTION, {**SMALL, "pruning": {**SMALL["pruning"], **pruning}})


def knowledge_of(path: Path) -> Knowledge:
    return read_knowledge(path, load_machine(GAME).sheet)


def features_of(knowledge: Knowledge) -> set[tuple[str, Any]]:
    lists = [("winning", each) for each in knowledge.winning] + [("losing", each) for each in knowledge.losing]
    return {(f"{side} {role}", entry) for role, (side, entries) in enumerate(lists) for entry in entries}


@pytest.fixture(scope="module")
def pruned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pruned") / "run"
    drive(begun(folder))
    return folder


def test_best_holds_some_of_the_features_and_whole_is_the_best_individual(pruned: Path) -> None:
    told = json.loads((pruned / "pruning.json").read_text())
    small, whole = (knowledge_of(pruned / name) for name in ("best.xml", "whole.xml"))
    assert (pruned / "whole.xml").read_bytes() == (pruned / f"knowledge/gen_001/{told['whole']}.xml").read_bytes()
    assert features_of(small) < features_of(whole)
    assert small.parameters == whole.parameters
    assert (told["features"], told["features_whole"]) == (small.n_features, whole.n_features)
    assert told["bytes"] == (pruned / "best.xml").stat().st_size
    [chosen] = [trial for trial in told["trials"] if trial["size"] == told["size"]]
    assert chosen["as_strong"]
    assert chosen["n"] <= 256
    assert not any(trial["as_strong"] for trial in told["trials"] if trial["size"] < told["size"])
    assert max(len(small.winning[role]) + len(small.losing[role]) for role in range(2)) <= told["size"]


def test_the_validation_measures_the_pruned_file_and_the_matches_are_told(pruned: Path) -> None:
    told = json.loads((pruned / "pruning.json").read_text())
    champion = json.loads((pruned / "champion.json").read_text())
    assert champion["individual"] == told["individual"] == f"{told['whole']}-pruned"
    matches = pd.read_csv(pruned / "matches.csv")
    trials = matches[(matches["phase"] == "pruning") & ~matches["id"].str.startswith("observed")]
    assert len(trials) == sum(trial["n"] for trial in told["trials"])
    assert set(trials["players"].str.count(told["whole"])) == {2}, "each plays the whole"
    validation = matches[matches["phase"] == "validation"]
    assert set(validation["players"].str.split().map(frozenset)) == {frozenset({"baseline", champion["individual"]})}


def test_the_report_and_inspect_tell_what_was_pruned(pruned: Path) -> None:
    told = json.loads((pruned / "pruning.json").read_text())
    words = f"{told['features']} of {told['features_whole']} features kept"
    report = (pruned / "report.html").read_text()
    assert f"<p>Pruning: {words}" in report
    assert report.count("as strong</td>") == sum(trial["as_strong"] for trial in told["trials"])
    inspected = CliRunner().invoke(app, ["inspect", str(pruned)], env={"COLUMNS": "200"}).output
    assert f"pruning: {words}" in inspected


@pytest.mark.parametrize("lasts", [1, 7])
def test_a_run_that_breaks_off_while_it_prunes_ends_with_the_same_bytes(
    lasts: int, pruned: Path, tmp_path: Path
) -> None:
    assert drive_with_breaks(begun(tmp_path / "run"), tmp_path / "run", lasts) > 0
    agreement = compare_bytes(pruned, tmp_path / "run")
    assert agreement.complete, agreement.differing
    assert {"best.xml", "whole.xml", "pruning.json"} <= set(agreement.same)


def test_where_pruning_is_off_the_best_individual_stays_as_it_is(pruned: Path, tmp_path: Path) -> None:
    drive(begun(tmp_path / "run", matches=0))
    assert not (tmp_path / "run/whole.xml").exists()
    assert not (tmp_path / "run/pruning.json").exists()
    whole = knowledge_of(pruned / "whole.xml")
    assert features_of(knowledge_of(tmp_path / "run/best.xml")) == features_of(whole)
