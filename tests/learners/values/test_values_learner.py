"""The learner of values: its decisions, its runs, and the bytes that they leave."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from gdl_miner.agent.knowledge import Knowledge, Parameters, Provenance, read_knowledge, table_beside
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import LearnedWeights, RoundTotals, Values
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    DiscountsTried,
    EndStep,
    Entrant,
    LongSearchesTried,
    MatchResults,
    PlayMatches,
    Result,
    TrainedValues,
    TrainValues,
    TryDiscounts,
    TryLongSearches,
    Validate,
    Validation,
)
from gdl_miner.miner.learners.values.learner import ValueTrainingLearner
from gdl_miner.miner.learners.values.method import VALUES
from gdl_miner.miner.learners.values.state import unpack_state
from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.setup import RunSetup
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

GAME = "tictactoe.ext"
CHANGES: dict[str, dict[str, Any]] = {
    "values": {"steps": 2, "games": 400, "matches": 8, "random_matches": 8, "validation_matches": 8}
}
MAKER = KnowledgeMaker(GAME, "", ("white", "black"), Provenance("test", 0, 1, "1"))


def begun(folder: Path, changes: dict[str, dict[str, Any]] = CHANGES) -> RunSetup:
    return quick_run(folder, GAME, VALUES, changes)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("values") / "run"
    drive(begun(folder))
    return folder


@pytest.mark.parametrize("lasts", [1, 2, 4])
def test_an_interrupted_run_ends_in_the_same_bytes(lasts: int, complete: Path, tmp_path: Path) -> None:
    assert drive_with_breaks(begun(tmp_path / "other"), tmp_path / "other", lasts) > 0
    agreement = compare_bytes(complete, tmp_path / "other")
    assert agreement.complete, agreement.differing
    assert "training.csv" in agreement.same


def test_a_run_leaves_values_that_play_its_curve_and_a_report(complete: Path) -> None:
    knowledge = read_knowledge(complete / "best.xml", load_machine(GAME).sheet)
    assert knowledge.values is not None
    assert knowledge.values.n_weights > 0
    assert len((complete / "training.csv").read_text().splitlines()) == 3
    shown = CliRunner().invoke(app, ["inspect", str(complete)], env={"COLUMNS": "100"}).output
    assert "Learning curve" in shown
    assert "2 steps" not in shown
    assert "discount" not in shown
    assert "report.html" in {path.name for path in complete.iterdir()}


def test_every_step_is_measured_against_random_moves_too(complete: Path) -> None:
    table = pd.read_csv(complete / "training.csv")
    assert table["random_matches"].tolist() == [8, 8]
    assert table["random_win_percent"].between(0, 100).all()
    matches = pd.read_csv(complete / "matches.csv")
    random = matches[matches["players"].str.contains("random")]
    assert len(random) == 16
    assert set(random["players"]) == {"s001 random", "random s001", "s002 random", "random s002"}
    report = (complete / "report.html").read_text()
    assert "Learning curve" in report
    assert "against random moves" in report
    assert "against the best before" in report
    shown = CliRunner().invoke(app, ["inspect", str(complete)], env={"COLUMNS": "100"}).output
    assert "random %" in shown


def test_matches_against_random_moves_decide_nothing(complete: Path, tmp_path: Path) -> None:
    drive(begun(tmp_path / "run", {"values": {**CHANGES["values"], "random_matches": 0}}))
    one, other = (pd.read_csv(folder / "training.csv") for folder in (complete, tmp_path / "run"))
    kept = [name for name in one.columns if not name.startswith("random_")]
    pd.testing.assert_frame_equal(one[kept], other[kept])
    assert other["random_win_percent"].isna().all()
    assert "against random moves" not in (tmp_path / "run" / "report.html").read_text()
    values = [read_knowledge(folder / "best.xml").values for folder in (complete, tmp_path / "run")]
    assert values[0] == values[1]


def test_the_best_and_the_last_are_kept(complete: Path) -> None:
    best = pd.read_csv(complete / "training.csv")["best"].tolist()[-1]
    found = [read_knowledge(complete / name, load_machine(GAME).sheet).made for name in ("best.xml", "last.xml")]
    assert [f"s{made.generation:03d}" for made in found if made is not None] == [best, "s002"]
    assert "last.xml" in compare_bytes(complete, complete).same


def test_the_report_says_in_a_sentence_how_the_champion_learned(complete: Path) -> None:
    report = (complete / "report.html").read_text()
    assert ". The champion learned what states are worth from 800 games against itself; the seed was 1." in report


def test_a_shape_that_does_not_fit_the_board_is_refused_before_there_is_a_folder(tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[values]\nshapes = ['line 4']\n")
    given = ["learn", "--game", GAME, "--with", "values", "--config", str(config), "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, [*given, "--executor", "serial"])
    assert result.exit_code != 0
    assert "shape 'line 4': no such cells are on the board of the game" in str(result.exception)
    assert not (tmp_path / "run").exists()


def test_another_seed_learns_other_weights(complete: Path, tmp_path: Path) -> None:
    drive(begun(tmp_path / "other", {**CHANGES, "": {"seed": 2}}))
    assert (tmp_path / "other" / "best.xml").read_bytes() != (complete / "best.xml").read_bytes()


@pytest.mark.parametrize("lasts", [1, 3])
def test_an_interrupted_run_that_tries_discounts_ends_in_the_same_bytes(lasts: int, tmp_path: Path) -> None:
    changes = {**CHANGES, "discount": {"factors": [0.5, 0.9, 1.0], "depth": 2.0, "matches": 8}}
    drive(begun(tmp_path / "run", changes))
    assert drive_with_breaks(begun(tmp_path / "other", changes), tmp_path / "other", lasts) > 0
    agreement = compare_bytes(tmp_path / "run", tmp_path / "other")
    assert agreement.complete, agreement.differing
    chosen = pd.read_csv(tmp_path / "run" / "training.csv")["discount"]
    assert chosen.nunique() == 1
    matches = pd.read_csv(tmp_path / "run" / "matches.csv")
    trial = matches[matches["phase"] == "trial of discounts"]
    assert len(trial) == 3 * 8
    names = ("discount-0.5", "discount-0.9", "discount-1.0")
    pairs = {f"{one} {other}" for one in names for other in names if one != other}
    assert set(trial["players"]) == pairs
    points = dict.fromkeys(names, 0.0)
    for players, goals in zip(trial["players"], trial["goals"], strict=True):
        for player, goal in zip(players.split(), goals.split(), strict=True):
            points[player] += float(goal)
    assert points[f"discount-{chosen[0]}"] == max(points.values())
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "run")], env={"COLUMNS": "200"}).output
    assert f"400 games a step, a discount of {chosen[0]}, " in shown


@pytest.mark.parametrize("lasts", [1, 3])
def test_an_interrupted_run_with_tables_ends_in_the_same_bytes(
    lasts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl_miner.agent.values.values_xml.MOST_IN_XML", 20)
    changes = {"values": {**CHANGES["values"], "steps": 3, "shapes": ["line 3"]}}
    drive(begun(tmp_path / "run", changes))
    assert drive_with_breaks(begun(tmp_path / "other", changes), tmp_path / "other", lasts) > 0
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


def learner(**settings: Any) -> ValueTrainingLearner:
    return ValueTrainingLearner(VALUES.read_config("quick", {"values": {"matches": 4, **settings}}), MAKER)


def trained() -> TrainedValues:
    weights = LearnedWeights(*(np.full(3, number, np.float32) for number in (0.5, 0.25, 1.0)))
    return TrainedValues(weights, (RoundTotals(10, 70, 0, 0.01),), Values((), True, "", (), ()))


def results(request: PlayMatches, wins: bool) -> MatchResults:
    """Let player 1 win or lose every match."""
    goals = {match.id: [100 if (player == 1) == wins else 0 for player in match.seats] for match in request.matches}
    return MatchResults(goals, {each.name: 1.0 for each in request.entrants})


def answer(request: object, wins: bool) -> Result:
    match request:
        case TrainValues():
            return trained()
        case PlayMatches():
            return results(request, wins)
        case Validate():
            return Validation(request.entrant.name, Score(1), Rating(0.0, 1.0))
    return None


def asked(learning: ValueTrainingLearner, *, wins: Callable[[int], bool]) -> list[str]:
    names = []
    while (request := learning.ask()) is not None:
        assert repr(learning.ask()) == repr(request)
        names.append(type(request).__name__)
        learning.tell(answer(request, wins(request.step)))
    return names


def test_every_step_trains_measures_and_ends_and_the_best_is_validated() -> None:
    step = ["PlayMatches", "EndStep"]
    assert asked(learner(steps=2), wins=lambda step: True) == [
        "TrainValues", *step, "TrainValues", *step, "Validate",
    ]  # fmt: skip


def test_the_matches_that_measure_a_step_have_openings_that_differ_from_pair_to_pair() -> None:
    learning = learner(steps=2, opening_plies=3)
    learning.tell(trained())
    request = learning.ask()
    assert isinstance(request, PlayMatches)
    assert {match.opening_plies for match in request.matches} == {3}
    assert 2 * len({match.seed for match in request.matches}) == len(request.matches)


def test_the_best_stays_until_it_is_beaten_and_learning_ends_when_nothing_beats_it() -> None:
    learning = learner(steps=9, patience=2)
    names = asked(learning, wins=lambda step: step == 1)
    assert names.count("TrainValues") == 3
    best = learning.knowledge()
    assert best is not None
    assert best.name == "s001"


def test_learning_goes_on_with_the_discount_whose_values_have_most_points() -> None:
    changes: dict[str, dict[str, Any]] = {
        "values": {"matches": 4, "steps": 3},
        "discount": {"factors": [1.0, 0.9, 0.8]},
    }
    config = VALUES.read_config("quick", changes)
    learning = ValueTrainingLearner(config, MAKER)
    learned = [replace(trained(), totals=(RoundTotals(10, moves, 0, 0.01),)) for moves in (70, 60, 50)]
    for discount, result in zip([1.0, 0.9, 0.8], learned, strict=True):
        request = learning.ask()
        assert isinstance(request, TrainValues)
        assert {shard.discount for shard in request.shards} == {discount}
        assert request.title.endswith(f"games of step 0 with the discount {discount}")
        learning.tell(result)
    request = learning.ask()
    assert isinstance(request, TryDiscounts)
    assert [entrant.name for entrant in request.entrants] == ["discount-1.0", "discount-0.9", "discount-0.8"]
    assert (request.depth, request.matches) == (10.0, 200)
    learning.tell(DiscountsTried((0.4, 0.55, 0.55)))
    assert learning.state.trained is learned[1]
    state = unpack_state(learning.state.pack(), reader(learning.members))
    assert state.discount == 0.9
    for learner_of_step_2 in (learning, ValueTrainingLearner(config, MAKER, state)):
        while not isinstance(request := learner_of_step_2.ask(), TrainValues):
            learner_of_step_2.tell(answer(request, True))
        assert {shard.discount for shard in request.shards} == {0.9}
        assert request.title.endswith("games of step 1")


def test_players_of_discounts_that_look_alike_have_names_of_their_own() -> None:
    config = VALUES.read_config("quick", {"discount": {"factors": [1.0, 0.9999999]}})
    learning = ValueTrainingLearner(config, MAKER)
    learning.tell(trained())
    learning.tell(trained())
    request = learning.ask()
    assert isinstance(request, TryDiscounts)
    assert [entrant.name for entrant in request.entrants] == ["discount-1.0", "discount-0.9999999"]


def test_one_discount_is_taken_without_a_trial() -> None:
    learning = ValueTrainingLearner(VALUES.read_config("quick", {"discount": {"factors": [0.9]}}), MAKER)
    request = learning.ask()
    assert isinstance(request, TrainValues)
    assert {shard.discount for shard in request.shards} == {0.9}
    learning.tell(trained())
    assert (learning.state.step, learning.state.discount) == (1, 0.9)


def begun_with_long_searches(changes: dict[str, dict[str, Any]], maker: KnowledgeMaker = MAKER) -> ValueTrainingLearner:
    settings = {"long_searches": {"playouts": 600, "matches": 24}, "search": {"playouts": 20}, **changes}
    return ValueTrainingLearner(VALUES.read_config("quick", settings), maker)


@pytest.mark.parametrize(("stronger", "trusted"), [(True, 300), (False, 0)])
def test_players_mix_values_in_long_searches_if_that_is_stronger(stronger: bool, trusted: int) -> None:
    learning = begun_with_long_searches({"values": {"matches": 4, "steps": 3}, "discount": {"factors": [1.0, 0.9]}})
    learned = [replace(trained(), totals=(RoundTotals(10, moves, 0, 0.01),)) for moves in (70, 60)]
    for result in learned:
        learning.tell(result)
    learning.tell(DiscountsTried((0.4, 0.6)))
    request = learning.ask()
    assert isinstance(request, TryLongSearches)
    assert (request.depth, request.matches, request.trusted_playouts) == (30.0, 24, 300)
    alone, mixed = request.alone.knowledge, request.mixed.knowledge
    assert mixed == replace(alone, parameters=alone.parameters.mixed())
    assert alone.parameters.value_weight == 1
    with pytest.raises(ValueError, match="no result"):
        learning.tell(DiscountsTried((0.4, 0.6)))
    learning.tell(LongSearchesTried(stronger))
    assert learning.state.trained is learned[1]
    assert (learning.state.step, learning.state.discount) == (1, 0.9)
    state = unpack_state(learning.state.pack(), reader(learning.members))
    for other in (learning, ValueTrainingLearner(learning._config, MAKER, state)):
        entrant = other.state.entrant
        assert entrant is not None
        assert entrant.knowledge.parameters == replace(alone.parameters, trusted_playouts=trusted)
        while not isinstance(request := other.ask(), TrainValues):
            other.tell(answer(request, True))
        other.tell(trained())
        later = other.state.entrant
        assert later is not None
        assert (later.name, later.knowledge.parameters.trusted_playouts) == ("s002", trusted)


@pytest.mark.parametrize(
    "changes",
    [
        {"long_searches": {"playouts": 0}},
        {"long_searches": {"playouts": 20}},  # no more than those of the run
        {"values": {"value_weight": 0.5}},
    ],
)
def test_there_is_no_trial_in_long_searches_where_it_would_tell_nothing(changes: dict[str, dict[str, Any]]) -> None:
    learning = begun_with_long_searches(changes)
    learning.tell(trained())
    assert (learning.state.step, learning.state.trusted_playouts) == (1, 0)


def test_players_of_a_start_keep_their_parameters() -> None:
    start = MAKER.knowledge(((), ()), ((), ()), Parameters(uct_c=7.0), 0, Values((), True, "", (), ()))
    learning = begun_with_long_searches({}, replace(MAKER, start=start))
    learning.tell(trained())
    entrant = learning.state.entrant
    assert entrant is not None
    assert (learning.state.step, entrant.knowledge.parameters) == (1, start.parameters)


def test_a_run_with_a_trial_in_long_searches_ends_in_the_same_bytes_after_interruptions(tmp_path: Path) -> None:
    changes = {**CHANGES, "long_searches": {"playouts": 60, "matches": 16}, "discount": {"factors": [1.0, 0.9]}}
    drive(begun(tmp_path / "run", changes))
    assert drive_with_breaks(begun(tmp_path / "other", changes), tmp_path / "other", 2) > 0
    agreement = compare_bytes(tmp_path / "run", tmp_path / "other")
    assert agreement.complete, agreement.differing
    [(name, trial)] = json.loads((tmp_path / "run" / "value_trial.json").read_text()).items()
    assert name == "long searches"
    assert trial["baseline_playouts"] == 60
    assert set(trial["playouts"]) == {"mixed", "alone"}
    matches = pd.read_csv(tmp_path / "run" / "matches.csv")
    assert trial["n"] == (matches["phase"] == "trial of values").sum() == 16
    trusted = read_knowledge(tmp_path / "run" / "best.xml").parameters.trusted_playouts
    assert trusted == trial["trusted_playouts"]
    assert trusted == (30 if trial["win_percent"] > 57 else 0)
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "run")], env={"COLUMNS": "160"}).output
    assert ("mixed with playouts in searches of more than 30 playouts" in shown) == (trusted > 0)


def reader(members: Sequence[Entrant]) -> Callable[[int, str], Knowledge]:
    known = {member.name: member.knowledge for member in members}
    return lambda step, name: known[name]


def test_a_learner_goes_on_from_its_packed_state() -> None:
    whole, halves = learner(steps=3), learner(steps=3)
    expected = asked(whole, wins=lambda step: True)
    found = []
    while (request := halves.ask()) is not None:
        stood = halves.state
        found.append(type(request).__name__)
        halves.tell(answer(request, True))
        if halves.state is not stood:
            config = VALUES.read_config("quick", {"values": {"matches": 4, "steps": 3}})
            state = unpack_state(halves.state.pack(), reader(halves.members))
            halves = ValueTrainingLearner(config, MAKER, state)
    assert found == expected
    learned = whole.state.best
    assert learned is not None
    assert halves.state.best == replace(learned)


def test_a_result_of_another_request_is_refused() -> None:
    with pytest.raises(ValueError, match="MatchResults is no result of TrainValues"):
        learner().tell(MatchResults({}, {}))
    request = learner().ask()
    assert isinstance(request, TrainValues)
    assert len(request.shards) == 2
    assert request.shards[0].seed != request.shards[1].seed
    assert not isinstance(request, EndStep)
