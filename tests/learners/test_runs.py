"""Runs of all learning methods: the bytes that they leave, and what is shown of them."""

from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.history import read_run
from tests.command_line import miner, succeeded
from tests.learners.driving import GAME
from tests.learners.runs import RUNS, Finished
from tests.runs.breaking import drive, drive_with_breaks

# What each method measures beside its strength, and what its champion has.
MEASURED = {
    "values": {"games", "moves", "broken_off", "rms_error", "weights", "discount", "random_win_percent"},
    "culture": {"games", "moves", "broken_off", "rms_error", "weights", "fitness.x", "fitness.o", "beliefs"},
    "gifl": {"games", "moves", "features", "decided", "variants", "offensive", "defensive"},
    "expert-iteration": {"games", "rms_error", "features", "cross_entropy", "expert_entropy"},
}


@pytest.mark.parametrize(("name", "lasts"), [(name, lasts) for name, run in RUNS.items() for lasts in run.lasts])
def test_an_interrupted_run_ends_in_the_same_bytes(name: str, lasts: int, finished: Finished, tmp_path: Path) -> None:
    assert drive_with_breaks(RUNS[name].begun(tmp_path / "run", finished), tmp_path / "run", lasts) > 0
    agreement = compare_bytes(finished(name), tmp_path / "run")
    assert agreement.complete, agreement.differing
    assert {"steps.csv", "matches.csv", "best.xml", "last.xml", "champion.json"} <= set(agreement.same)


@pytest.mark.parametrize("name", MEASURED)
def test_tasks_of_another_size_leave_the_same_bytes(name: str, finished: Finished, tmp_path: Path) -> None:
    drive(RUNS[name].with_changes({"execution": {"matches_per_task": 1}}).begun(tmp_path / "run"))
    assert compare_bytes(finished(name), tmp_path / "run").complete


@pytest.mark.parametrize(
    ("name", "parts"),
    [("culture", {"culture": {"shards": 5}}), *((name, {"gifl": {"shards": 3}}) for name in ("gifl", "gifl, alone"))],
)
def test_the_number_of_shards_changes_nothing_that_is_learned(
    name: str, parts: dict[str, dict[str, Any]], finished: Finished, tmp_path: Path
) -> None:
    drive(RUNS[name].with_changes(parts).begun(tmp_path / "run"))
    assert (tmp_path / "run" / "steps.csv").read_bytes() == (finished(name) / "steps.csv").read_bytes()
    one, other = (read_knowledge(folder / "last.xml") for folder in (finished(name), tmp_path / "run"))
    assert (one.winning, one.losing, one.values) == (other.winning, other.losing, other.values)


@pytest.mark.parametrize("name", ["values", "gifl", "expert-iteration"])
def test_another_seed_learns_something_else(name: str, finished: Finished, tmp_path: Path) -> None:
    drive(RUNS[name].with_changes({"": {"seed": 2}}).begun(tmp_path / "run"))
    one, other = (read_knowledge(folder / "last.xml") for folder in (finished(name), tmp_path / "run"))
    assert (one.winning, one.losing, one.values) != (other.winning, other.losing, other.values)


@pytest.mark.parametrize("name", MEASURED)
def test_what_was_measured_is_in_the_table_the_report_and_on_the_terminal(name: str, finished: Finished) -> None:
    history = read_run(finished(name))
    assert history.complete
    assert {"win_percent", "elo", "best", *MEASURED[name]} <= set(history.main)
    assert [(each.step, each.name) for each in history.progress] == [
        (step, f"s{step:03d}") for step in range(1, history.planned + 1)
    ]
    assert (history.main["past_matches"].fillna(0) > 0).tolist() == [False, *[True] * (history.planned - 1)]
    assert f"It was learned with <b>{name}</b>" in (finished(name) / "report.html").read_text("utf-8")
    shown = succeeded(miner("inspect", finished(name)))
    assert "Strength against bare UCT" in shown
    assert "complete: " in shown


@pytest.mark.parametrize("name", MEASURED)
def test_the_best_and_the_last_are_kept(name: str, finished: Finished) -> None:
    sheet, folder = load_machine(GAME).sheet, finished(name)
    if read_run(folder).helps:
        made = read_knowledge(folder / "best.xml", sheet).made
        assert made is not None
        assert f"s{made.generation:03d}" == read_run(folder).main["best"].iloc[-1]
    last = read_knowledge(folder / "last.xml", sheet).made
    assert last is not None
    assert last.generation == len(read_run(folder).main)
