"""Expert iteration that starts from the features of a knowledge file, of the same game or of another one."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.cli import app
from gdl_miner.miner.learners.expert_iteration.method import EXPERT_ITERATION
from gdl_miner.miner.learners.values.method import VALUES
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.runs.reporting import LogReporter
from gdl_miner.miner.runs.setup import RunSetup, interrupted_run
from tests.runs.breaking import drive, drive_with_breaks
from tests.runs.quick import quick_run

SMALL, LARGE = "tictactoe.ext", "tictactoe5.ext"
CHANGES: dict[str, dict[str, Any]] = {
    "expert": {
        "measured_after": [3, 6],
        "games_at_once": 3,
        "playouts": 15,
        "games_per_feature": 2,
        "value_steps": 0,
        "values_learn_on": True,
        "matches": 4,
        "validation_matches": 4,
    },
    "values": {"games": 64},
    "search": {"playouts": 10},
}


def begun(folder: Path, game: str, file: Path | None = None) -> RunSetup:
    return quick_run(folder, game, EXPERT_ITERATION, CHANGES, file)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of the small game from nothing."""
    folder = tmp_path_factory.mktemp("small") / "run"
    drive(begun(folder, SMALL))
    return folder


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory, small: Path) -> Path:
    """Return a run of the large game from what the run of the small one learned."""
    folder = tmp_path_factory.mktemp("large") / "run"
    drive(begun(folder, LARGE, small / "last.xml"))
    return folder


def known(path: Path, game: str) -> Knowledge:
    return read_knowledge(path, load_machine(game).sheet)


def weights(knowledge: Knowledge) -> dict[Any, float]:
    signed = ((1, knowledge.winning), (-1, knowledge.losing))
    return {each.feature: sign * each.weight for sign, lists in signed for own in lists for each in own}


def test_a_run_of_another_game_begins_with_the_weights_of_the_file(small: Path, carried: Path) -> None:
    start, given = known(carried / "start.xml", LARGE), known(small / "last.xml", SMALL)
    assert weights(start) == weights(given)
    assert len(weights(start)) > 5
    assert known(carried / "knowledge/gen_001/start.xml", LARGE).winning == start.winning
    table, anew = pd.read_csv(carried / "expert.csv"), pd.read_csv(small / "expert.csv")
    assert table["features"].iloc[0] >= len(weights(start))
    assert table["past_wins"].notna().tolist() == [True, True], "the first step plays the start"
    assert anew["past_wins"].notna().tolist() == [False, True]


def test_a_run_goes_on_from_a_file_of_its_own_game(small: Path, tmp_path: Path) -> None:
    setup = begun(tmp_path / "on", SMALL, small / "last.xml")
    drive(setup)
    given, start = known(small / "last.xml", SMALL), known(tmp_path / "on" / "start.xml", SMALL)
    assert (start.winning, start.losing) == (given.winning, given.losing)
    assert (tmp_path / "on" / "last.xml").read_bytes() != (small / "last.xml").read_bytes()
    config = json.loads((tmp_path / "on" / "config.json").read_text())
    assert config["start"]["given"] == str(small / "last.xml")


def test_the_values_of_a_file_of_the_same_game_stand_in_for_playouts_and_learn_on(tmp_path: Path) -> None:
    few = {"values": {"steps": 1, "games": 64, "matches": 4, "validation_matches": 0}}
    drive(quick_run(tmp_path / "values", SMALL, VALUES, few))
    given = tmp_path / "values" / "last.xml"
    setup = begun(tmp_path / "run", SMALL, given)
    assert drive_with_breaks(setup, tmp_path / "run", 2) > 0
    start, last = known(tmp_path / "run" / "start.xml", SMALL), known(tmp_path / "run" / "last.xml", SMALL)
    assert start.values == known(given, SMALL).values
    assert last.values is not None
    assert last.values != start.values
    assert last.n_features > 0
    with pytest.raises(ConfigError, match="that the file was learned with"):
        quick_run(tmp_path / "other", SMALL, EXPERT_ITERATION, {**CHANGES, "values": {"shapes": ["line 2"]}}, given)


@pytest.mark.parametrize("lasts", [1, 3])
def test_an_interrupted_run_from_another_game_ends_in_the_same_bytes_without_the_file(
    lasts: int, small: Path, carried: Path, tmp_path: Path
) -> None:
    lost = tmp_path / "lost.xml"
    lost.write_bytes((small / "last.xml").read_bytes())
    setup = begun(tmp_path / "run", LARGE, lost)
    lost.unlink()
    assert drive_with_breaks(setup, tmp_path / "run", lasts) > 0
    agreement = compare_bytes(carried, tmp_path / "run")
    assert agreement.complete, agreement.differing
    assert "expert.csv" in agreement.same


def test_a_damaged_copy_of_what_carried_over_is_not_resumed(small: Path, tmp_path: Path) -> None:
    begun(tmp_path / "run", LARGE, small / "last.xml")
    copy = tmp_path / "run" / "start.xml"
    copy.write_text(copy.read_text().replace("weight=", "weight =", 1))
    with pytest.raises(ConfigError, match="not the knowledge that the run began with"):
        interrupted_run(tmp_path / "run")


def learn(game: str, method: str, start: Path, out: Path) -> Any:
    given = ["learn", "--game", game, "--with", method, "--config", "quick", "--start", str(start)]
    return CliRunner().invoke(app, [*given, "--executor", "serial", "--out", str(out)])


def test_the_command_says_what_carries_over_and_its_run_is_repeated(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(
        "[expert]\nmeasured_after = [2]\ngames_at_once = 2\nplayouts = 10\nmatches = 4\nvalidation_matches = 4\n"
        "[search]\nplayouts = 10\nuct_c = 40.0\n"
    )
    said = io.StringIO()
    monkeypatch.setattr("gdl_miner.miner.commands.evolve.reporter_for", lambda: LogReporter(said))
    given = ["learn", "--game", LARGE, "--with", "expert-iteration", "--config", str(config)]
    start = ["--start", str(small / "last.xml"), "--executor", "serial", "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, [*given, *start])
    assert result.exit_code == 0, result.output
    assert re.search(r"(\d+) of \1 features of tictactoe\.ext carry over to tictactoe5\.ext", said.getvalue())
    again = CliRunner().invoke(app, ["repeat", str(tmp_path / "run"), "--executor", "serial"])
    assert again.exit_code == 0, again.output


def emptied(knowledge: Knowledge) -> Knowledge:
    return knowledge.emptied()


def other_pieces(knowledge: Knowledge) -> Knowledge:
    """Return knowledge of the same game that only knows pieces of another one."""
    features = [each for each in weights(knowledge) if "x" in each.entries or "o" in each.entries]
    renamed = [each.renamed({"x": "wp", "o": "bp"}) for each in features]
    of_pieces = tuple(WeightedFeature(each, 1.0) for each in renamed)
    none = ((),) * 2
    return Knowledge("draughts", "0" * 64, ("first", "second"), (of_pieces, ()), none)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (
            emptied,
            ConfigError,
            r"start\.xml: the file has no features and no values.*miner learn --with expert-iteration --game tic",
        ),
        (
            other_pieces,
            ConfigError,
            r"start\.xml: none of the \d+ features of draughts carries over to tictactoe5\.ext: \d+ of pieces that the "
            r"game does not have; give a file of a game with like pieces",
        ),
        (
            lambda knowledge: Knowledge("alone", "0" * 64, ("x",), knowledge.winning[:1], ((),)),
            KnowledgeError,
            r"start\.xml: knowledge of alone is about 1 roles, tictactoe5\.ext has 2",
        ),
        (None, KnowledgeError, r"start\.xml: cannot be read"),
    ],
)
def test_a_file_from_which_nothing_carries_over_is_refused_before_there_is_a_folder(
    change: Callable[[Knowledge], Knowledge] | None, error: type[Exception], said: str, small: Path, tmp_path: Path
) -> None:
    if change is not None:
        write_knowledge(change(known(small / "last.xml", SMALL)), tmp_path / "start.xml")
    found = learn(LARGE, "expert-iteration", tmp_path / "start.xml", tmp_path / "run").exception
    assert isinstance(found, error), repr(found)
    assert re.search(said, str(found)), str(found)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("method", ["culture", "gifl"])
def test_methods_that_begin_without_knowledge_refuse_every_start(method: str, small: Path, tmp_path: Path) -> None:
    found = learn(SMALL, method, small / "last.xml", tmp_path / "run").exception
    assert isinstance(found, ConfigError)
    assert str(found) == f"--with {method}: its runs begin without knowledge; leave --start out"
    assert not (tmp_path / "run").exists()
