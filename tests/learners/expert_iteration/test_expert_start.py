"""Expert iteration that starts from the features of a knowledge file, of the same game or of another one."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.features import WeightedFeature
from gdl_miner.agent.knowledge import Knowledge, read_knowledge, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.results.agreement import compare_bytes
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.reporting import LogReporter
from tests.command_line import miner, succeeded
from tests.learners.driving import GAME
from tests.learners.runs import RUNS, Finished
from tests.runs.breaking import drive

LARGE = "tictactoe5.ext"
CARRIED = RUNS["carried over"]


@pytest.fixture
def file(finished: Finished) -> Path:
    """Return what a run of the small game has learned from nothing."""
    return finished("few games") / "last.xml"


def known(path: Path, game: str) -> Knowledge:
    return read_knowledge(path, load_machine(game).sheet)


def weights(knowledge: Knowledge) -> dict[Any, float]:
    signed = ((1, knowledge.winning), (-1, knowledge.losing))
    return {each.feature: sign * each.weight for sign, lists in signed for own in lists for each in own}


def test_a_run_of_another_game_begins_with_the_weights_of_the_file(file: Path, finished: Finished) -> None:
    carried = finished("carried over")
    start, given = known(carried / "start.xml", LARGE), known(file, GAME)
    assert weights(start) == weights(given)
    assert len(weights(start)) > 5
    assert known(carried / "knowledge/gen_001/start.xml", LARGE).winning == start.winning
    table, anew = read_run(carried).main, read_run(file.parent).main
    assert table["features"].iloc[0] >= len(weights(start))
    assert table["past_wins"].notna().tolist() == [True, True], "the first step plays the start"
    assert anew["past_wins"].notna().tolist() == [False, True]


def test_a_run_goes_on_from_a_file_of_its_own_game(file: Path, finished: Finished) -> None:
    run = finished("from few games")
    given, start = known(file, GAME), known(run / "start.xml", GAME)
    assert (start.winning, start.losing) == (given.winning, given.losing)
    assert (run / "last.xml").read_bytes() != file.read_bytes()
    assert json.loads((run / "config.json").read_text())["start"]["given"] == str(file)


def test_the_values_of_a_file_of_the_same_game_stand_in_for_playouts(finished: Finished) -> None:
    run, given = finished("from few values"), finished("few values") / "last.xml"
    start, last = known(run / "start.xml", GAME), known(run / "last.xml", GAME)
    assert start.values == known(given, GAME).values
    assert last.values == start.values is not None
    assert last.n_features > 0


def test_a_run_ends_in_the_same_bytes_without_the_file(file: Path, finished: Finished, tmp_path: Path) -> None:
    lost = tmp_path / "last.xml"
    lost.write_bytes(file.read_bytes())
    setup = CARRIED.begun(tmp_path / "run", lambda name: tmp_path)
    lost.unlink()
    drive(setup)
    agreement = compare_bytes(finished("carried over"), tmp_path / "run")
    assert agreement.complete, agreement.differing


def learn(game: str, method: str, start: Path, out: Path, config: str = "quick") -> Any:
    given = ("--game", game, "--with", method, "--config", config, "--start", start)
    return miner("learn", *given, "--executor", "serial", "--out", out)


def test_the_command_says_what_carries_over_and_its_run_is_repeated(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(
        "[expert]\nmeasured_after = [2]\ngames_at_once = 2\nplayouts = 10\nmatches = 4\nvalidation_matches = 4\n"
        "[search]\nplayouts = 10\nuct_c = 40.0\n"
    )
    said = io.StringIO()
    monkeypatch.setattr("gdl_miner.miner.commands.evolve.reporter_for", lambda: LogReporter(said))
    succeeded(learn(LARGE, "expert-iteration", file, tmp_path / "run", str(config)))
    assert re.search(r"(\d+) of \1 features of tictactoe\.ext carry over to tictactoe5\.ext", said.getvalue())
    succeeded(miner("repeat", tmp_path / "run", "--executor", "serial"))


def other_pieces(knowledge: Knowledge) -> Knowledge:
    """Return knowledge of the same game that only knows pieces of another one."""
    features = [each for each in weights(knowledge) if "x" in each.entries or "o" in each.entries]
    renamed = [each.renamed({"x": "wp", "o": "bp"}) for each in features]
    of_pieces = tuple(WeightedFeature(each, 1.0) for each in renamed)
    return Knowledge("draughts", "0" * 64, ("first", "second"), (of_pieces, ()), ((), ()))


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (
            Knowledge.emptied,
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
    change: Callable[[Knowledge], Knowledge] | None, error: type[Exception], said: str, file: Path, tmp_path: Path
) -> None:
    if change is not None:
        write_knowledge(change(known(file, GAME)), tmp_path / "start.xml")
    found = learn(LARGE, "expert-iteration", tmp_path / "start.xml", tmp_path / "run").exception
    assert isinstance(found, error), repr(found)
    assert re.search(said, str(found)), str(found)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("method", ["culture", "gifl"])
def test_methods_that_begin_without_knowledge_refuse_every_start(method: str, file: Path, tmp_path: Path) -> None:
    found = learn(GAME, method, file, tmp_path / "run").exception
    assert isinstance(found, ConfigError)
    assert str(found) == f"--with {method}: its runs begin without knowledge; leave --start out"
    assert not (tmp_path / "run").exists()
