"""The learner of values: its decisions, and what its runs leave."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge, Parameters, read_knowledge, table_beside
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import LearnedWeights, RoundTotals, Values
from gdl_miner.miner.learners.values import VALUES
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.task import Task
from gdl_miner.miner.runs.trials import LongSearchRule, TrialTime, Trust
from gdl_miner.miner.runs.value_training import TrainedValues
from tests.command_line import miner, succeeded
from tests.learners.driving import (
    ENDING,
    GAME,
    MAKER,
    TRUSTED,
    Answers,
    Changes,
    driven,
    name_of,
    new_learner,
    only,
    players_of,
    plays,
    validated,
)
from tests.learners.runs import RUNS, Finished
from tests.runs.breaking import drive, drive_with_breaks

LONG: Changes = {"long_searches": {"playouts": 600, "matches": 24, "share": 0.5}}


def trained(moves: int = 70) -> TrainedValues:
    weights = LearnedWeights(*(np.full(3, number, np.float32) for number in (0.5, 0.25, moves)))
    return TrainedValues(weights, RoundTotals(10, moves, 0, 0.01), Values((), True, "", (), ()))


def answers(
    wins: Callable[[int], bool] = lambda step: True,
    taught: Iterable[TrainedValues] = (),
    points: tuple[float, ...] = (),
    trust: Trust = TRUSTED,
) -> Answers:
    results = iter(taught)
    return {
        "train_values": lambda **_: next(results, trained()),
        "try_discounts": lambda **_: points,
        "try_long_searches": lambda **_: trust,
        "play_matches": plays(wins),
        "validate": validated,
    }


def tasks_of(
    changes: Changes | None = None, scripted: Answers | None = None, start: Knowledge | None = None, **values: Any
) -> list[Task[Any]]:
    """Return the tasks of a learner; `values` are changes of its section of that name."""
    settings = {**(changes or {}), "values": {"matches": 4, **values}}
    return driven(new_learner(VALUES, settings, start), scripted or answers())


def test_every_step_trains_measures_and_ends_and_the_best_is_validated() -> None:
    step = ["train_values", "keep_players", "play_matches", "end_step"]
    tasks = tasks_of(steps=2)
    assert [name_of(task) for task in tasks] == [*step, *step, *ENDING]
    first, second = only(tasks, "train_values")
    assert first["start"] is None
    assert second["start"].error_size.tolist() == [70.0] * 3
    assert [each["players"][each["last"]]["weights"] for each in only(tasks, "end_step")] == [0, 0]
    assert first["settings"].seed != second["settings"].seed


def test_the_matches_that_measure_a_step_have_openings_that_differ_from_pair_to_pair() -> None:
    matches = only(tasks_of(steps=2, opening_plies=3, matches=5), "play_matches")[0]["matches"]
    assert {match.opening_plies for match in matches} == {3}
    assert sum("baseline" in match.id for match in matches) == 6, "at least 5, in whole pairs"
    assert 2 * len({match.seed for match in matches}) == len(matches)


def test_the_best_stays_until_it_is_beaten_and_learning_ends_when_nothing_beats_it() -> None:
    tasks = tasks_of(scripted=answers(wins=lambda step: step == 1), steps=9, patience=2)
    assert [(each["best"], each["last"]) for each in only(tasks, "end_step")] == [
        ("s001", "s001"), ("s001", "s002"), ("s001", "s003"),
    ]  # fmt: skip
    [validation] = only(tasks, "validate")
    assert (validation["entrant"].name, validation["step"]) == ("s001", 4)


@pytest.mark.parametrize(("steps", "best"), [(2, "s002"), (3, "s001")])
def test_two_wins_decide_where_learning_ends_and_not_before(steps: int, best: str) -> None:
    tasks = tasks_of(scripted=answers(wins=lambda step: step == 2), steps=steps, matches=2)
    assert only(tasks, "end_step")[-1]["best"] == best


def test_learning_goes_on_with_the_discount_whose_values_have_most_points() -> None:
    factors, taught = [1.0, 0.9, 0.8], [trained(moves) for moves in (80, 60, 50)]
    tasks = tasks_of({"discount": {"factors": factors}}, answers(taught=taught, points=(0.4, 0.55, 0.55)), steps=2)
    *tried, second = only(tasks, "train_values")
    assert [each["settings"].discount for each in tried] == factors
    for factor, each in zip(factors, tried, strict=True):
        assert each["title"].endswith(f"games of step 0 with the discount {factor}")
    [trial] = only(tasks, "try_discounts")
    assert [entrant.name for entrant in trial["entrants"]] == ["discount-1.0", "discount-0.9", "discount-0.8"]
    assert (trial["depth"], trial["matches"]) == (10.0, 200)
    assert second["start"] is taught[1].learned
    assert second["settings"].discount == 0.9
    assert second["title"].endswith("games of step 1")
    measured = only(tasks, "end_step")[0]["players"]["s001"]
    assert (measured["discount"], measured["moves"]) == (0.9, 60)


def test_players_of_discounts_that_look_alike_have_names_of_their_own() -> None:
    [trial] = only(tasks_of({"discount": {"factors": [1.0, 0.9999999]}}, answers(points=(1, 0))), "try_discounts")
    assert [entrant.name for entrant in trial["entrants"]] == ["discount-1.0", "discount-0.9999999"]


def test_one_discount_is_taken_without_a_trial() -> None:
    tasks = tasks_of({"discount": {"factors": [0.9]}})
    assert not only(tasks, "try_discounts")
    assert {each["settings"].discount for each in only(tasks, "train_values")} == {0.9}


def test_the_best_is_tried_in_long_searches_in_the_end() -> None:
    trust = Trust(600, 300, 400)
    tasks = tasks_of(LONG, answers(trust=trust), steps=2)
    [trial] = only(tasks, "try_long_searches")
    assert trial["rule"] == LongSearchRule(600, 24)
    assert trial["time"] == TrialTime(0.5, moves=140, shape=trial["time"].shape, matches=48)
    assert (trial["step"], trial["alone"].name, trial["first_round"]) == (3, "s002", 1)
    assert trial["alone"] == players_of(tasks, 2)[0]
    [best] = players_of(tasks, 3)
    assert best == trust.in_player(trial["alone"])
    limits = (best.knowledge.parameters.trusted_playouts, best.knowledge.parameters.valued_playouts)
    assert limits == (300, 400)
    assert only(tasks, "validate")[0]["entrant"] == best


@pytest.mark.parametrize(
    "changes",
    [
        {"long_searches": {"playouts": 0}},
        {"long_searches": {"playouts": 20}},  # no more than those of the run
        {**LONG, "values": {"value_weight": 0.5, "experience": 0}},
    ],
)
def test_there_is_no_trial_in_long_searches_where_it_would_tell_nothing(changes: Changes) -> None:
    tasks = tasks_of(changes, **changes.get("values", {}))
    assert not only(tasks, "try_long_searches")
    assert name_of(tasks[-1]) == "validate"


def test_a_start_is_the_first_best_keeps_its_parameters_and_learns_on() -> None:
    start = MAKER.valued(Parameters(uct_c=7.0), 0, Values((), True, "", (), ()))
    tasks = tasks_of({"long_searches": {"playouts": 0}}, start=start)
    assert only(tasks, "train_values")[0]["start"] == start.values
    first, before = players_of(tasks, 1)
    assert (first.name, before.name) == ("s001", "start")
    assert first.knowledge.parameters == before.knowledge.parameters == start.parameters


def test_every_step_is_measured_against_random_moves_which_decide_nothing(finished: Finished, tmp_path: Path) -> None:
    folder = finished("values")
    drive(RUNS["values"].with_changes({"values": {"random_matches": 0}}).begun(tmp_path / "run"))
    one, other = (read_run(each).main for each in (folder, tmp_path / "run"))
    assert one["random_matches"].tolist() == [8, 8]
    assert one["random_win_percent"].between(0, 100).all()
    random = pd.read_csv(folder / "matches.csv")["players"]
    expected = {"s001 random", "random s001", "s002 random", "random s002"}
    assert set(random[random.str.contains("random")]) == expected
    kept = [name for name in one.columns if not name.startswith("random_")]
    pd.testing.assert_frame_equal(one[kept], other[kept])
    assert set(other) == set(kept)
    values = [read_knowledge(each / "best.xml").values for each in (folder, tmp_path / "run")]
    assert values[0] == values[1]
    reports = [(each / "report.html").read_text("utf-8") for each in (folder, tmp_path / "run")]
    assert ["against random moves" in report for report in reports] == [True, False]


def test_values_have_weights_and_one_discount_that_beats_the_others(finished: Finished) -> None:
    knowledge = read_knowledge(finished("values") / "best.xml", load_machine(GAME).sheet)
    assert knowledge.values is not None
    assert knowledge.values.n_weights > 0
    folder = finished("values, tried")
    [chosen] = read_run(folder).main["discount"].unique()
    matches = pd.read_csv(folder / "matches.csv")
    trial = matches[matches["phase"] == "trial of discounts"]
    assert len(trial) == 3 * 8
    names = ("discount-0.5", "discount-0.9", "discount-1.0")
    assert set(trial["players"]) == {f"{one} {other}" for one in names for other in names if one != other}
    points = dict.fromkeys(names, 0.0)
    for players, goals in zip(trial["players"], trial["goals"], strict=True):
        for player, goal in zip(players.split(), goals.split(), strict=True):
            points[player] += float(goal)
    assert points[f"discount-{chosen}"] == max(points.values())


def test_the_trial_in_long_searches_is_told_and_decides_the_trust_in_values(finished: Finished) -> None:
    folder = finished("values, tried")
    [(name, trial)] = json.loads((folder / "value_trial.json").read_text()).items()
    assert (name, trial["baseline_playouts"]) == ("long searches", 60)
    assert set(trial["playouts"]) == {"mixed", "alone"}
    assert trial["tried_playouts"] == max(60, *trial["playouts"].values())
    matches = pd.read_csv(folder / "matches.csv")
    assert trial["n"] + trial["against_baseline"]["n"] == (matches["phase"] == "trial of values").sum() <= 32
    found = read_knowledge(folder / "best.xml").parameters
    assert (found.trusted_playouts, found.valued_playouts) == (trial["trusted_playouts"], trial["valued_playouts"])
    limits = {"mixed with playouts": trial["trusted_playouts"], "left out": trial["valued_playouts"]}
    shown = miner("inspect", folder, columns=160).output
    for words, limit in limits.items():
        assert (f"{words} in searches of more than {limit} playouts" in shown) == (limit > 0)


def test_an_interrupted_run_with_tables_ends_in_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl_miner.agent.values.values_xml.MOST_IN_XML", 20)
    run = RUNS["values"].with_changes({"values": {"steps": 3, "shapes": ["line 3"]}})
    drive(run.begun(tmp_path / "run"))
    assert drive_with_breaks(run.begun(tmp_path / "other"), tmp_path / "other", 2) > 0
    agreement = compare_bytes(tmp_path / "run", tmp_path / "other")
    assert agreement.complete, agreement.differing
    tables = {table_beside(tmp_path / "run" / name) for name in ("best.xml", "last.xml")}
    assert set((tmp_path / "run").glob("values-*.npy")) == tables
    table = table_beside(tmp_path / "run" / "best.xml")
    assert table is not None
    assert table.name in agreement.same
    assert any(name.startswith("knowledge/") and name.endswith(".npy") for name in agreement.same)
    table.write_bytes(table.read_bytes()[:-1] + b"\1")
    assert compare_bytes(tmp_path / "run", tmp_path / "other").differing == (f"{table.name}: differs",)


def test_a_shape_that_does_not_fit_the_board_is_refused_before_there_is_a_folder(tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[values]\nshapes = ['line 4']\n")
    given = ("--game", GAME, "--with", "values", "--config", config, "--out", tmp_path / "run", "--executor", "serial")
    with pytest.raises(ConfigError, match="shape 'line 4': no such cells are on the board of the game"):
        succeeded(miner("learn", *given))
    assert not (tmp_path / "run").exists()
