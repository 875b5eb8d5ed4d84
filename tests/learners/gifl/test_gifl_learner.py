"""The learner of features: its tasks, and what its runs leave."""

from pathlib import Path
from typing import Any

from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.learners.gifl import GIFL
from gdl_miner.miner.learners.gifl.features import GameCounts, GiflFeature, GiflFeatures
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.task import Task
from tests.learners.driving import GAME, Answers, driven, name_of, new_learner, only, players_of, plays, validated
from tests.learners.runs import RUNS, Finished
from tests.runs.breaking import drive


def feature(number: int) -> GiflFeature:
    return GiflFeature(0, "offensive", (f"(cell 1 {number} x)",), (f"(mark 2 {number} x)",))


def found(step: int, games: int, **_: Any) -> GiflFeatures:
    """Return a feature of level 1 that every step finds, and one of its own of level 2."""
    return GiflFeatures({feature(0): 1, feature(step + 1): 2}, GameCounts(games, games - 1, 9 * games, 50))


ANSWERS: Answers = {
    "find_features": found,
    "play_matches": plays(),
    "validate": validated,
}


def tasks_of(**gifl: Any) -> list[Task[Any]]:
    return driven(new_learner(GIFL, {"gifl": {"steps": 2, "games": 60, "matches": 4, **gifl}}), ANSWERS)


def test_every_step_adds_the_features_of_further_games() -> None:
    step = ["find_features", "keep_players", "play_matches", "end_step"]
    tasks = tasks_of()
    assert [name_of(task) for task in tasks] == [*step, *step, "validate"]
    assert [(each["first"], each["games"]) for each in only(tasks, "find_features")] == [(0, 60), (60, 60)]
    assert [players_of(tasks, step)[0].knowledge.n_features for step in (1, 2)] == [2, 3]
    measured = [each["players"][f"s00{step}"] for step, each in enumerate(only(tasks, "end_step"), 1)]
    assert [(each["decided"], each["offensive"]) for each in measured] == [(59, 2), (59, 3)]


def test_a_run_leaves_a_table_and_knowledge(finished: Finished) -> None:
    table = read_run(finished("gifl")).main
    assert table["games"].tolist() == [60, 60]
    assert (table["decided"] <= table["games"]).all()
    assert table["features"].is_monotonic_increasing
    assert (table["offensive"] + table["defensive"]).is_monotonic_increasing
    assert (table["variants"] > 0).all()
    assert "rms_error" not in table
    machine = load_machine(GAME)
    knowledge = read_knowledge(finished("gifl") / "last.xml", machine.sheet)
    assert knowledge.n_features == table["features"].iloc[1]
    assert {each.origin.side for each in knowledge.winning[0] if each.origin} == {"offensive", "defensive"}
    assert knowledge.parameters.opponent_knowledge == 0.5
    assert knowledge.symmetries


def test_features_can_guide_the_tree_and_stand_alone(tmp_path: Path) -> None:
    changes = {
        "gifl": {"steps": 1, "games": 40, "matches": 4, "validation_matches": 0, "selection": True},
        "mining": {"symmetries": []},
    }
    drive(RUNS["gifl"].with_changes(changes).begun(tmp_path / "run"))
    knowledge = read_knowledge(tmp_path / "run" / "last.xml", load_machine(GAME).sheet)
    assert (knowledge.parameters.exploration, knowledge.parameters.features_in_selection) == ("puct", True)
    assert not knowledge.symmetries
    assert knowledge.winning[0]
    assert knowledge.winning[1]
