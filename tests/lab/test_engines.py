"""The adapters of engines, against a small program that speaks their protocols."""

import random
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import load_machine
from lab.opponents.engines import EngineError, Opponent, open_engine
from lab.opponents.engines.connect_four import ConnectFourSolver
from lab.opponents.engines.othello import board_text
from lab.opponents.engines.uci import sheet_move, uci_move
from tests.lab.fake_engine import breakthrough, othello
from tests.plugins.packages import install_example

FAKE = f"{sys.executable} {Path(__file__).with_name('fake_engine.py')}"
ENGINES = {
    "breakthrough.ext": f"uci:{FAKE} uci ARGUMENT?depth=2&Skill Level=3",
    "othello.ext": f"othello:{FAKE} othello ARGUMENT?level=1",
    "connectfour.ext": f"connect4:{FAKE} connect4 ARGUMENT",
    "connectfour7.ext": f"connect4:{FAKE} connect4of7 ARGUMENT",
}


def described(game: str, answer: str = "") -> str:
    """Return the description of an engine of a game, which may have a fault or give one answer to all questions."""
    return ENGINES[game].replace("ARGUMENT", answer)


def opened(game: str, answer: str = "", seconds: float = 20) -> "closing[Opponent]":
    return closing(open_engine(described(game, answer), load_machine(game), seconds))


def random_match(game: str, seed: int) -> OngoingMatch:
    match, choice = OngoingMatch(load_machine(game)), random.Random(seed)
    for _ in range(choice.randrange(30)):
        if match.ended:
            break
        match.advance([choice.choice(match.legal(role)) for role in (0, 1)])
    return match


def in_control(match: OngoingMatch) -> int:
    return next((role for role in (0, 1) if match.legal(role) != ("noop",)), 0)


@pytest.mark.parametrize("seed", range(8))
def test_moves_of_breakthrough_are_those_of_uci(seed: int) -> None:
    match = random_match("breakthrough.ext", seed)
    if match.ended:
        return
    role = in_control(match)
    played = [uci_move(move) for joint in match.joints for move in joint if move != "noop"]
    assert {uci_move(move) for move in match.legal(role)} == set(breakthrough(played))
    assert all(sheet_move(uci_move(move), match.machine.roles[role]) == move for move in match.legal(role))


def test_white_goes_up_the_board_from_a2_and_black_down_from_h7() -> None:
    assert uci_move("(move 1 2 1 3 white)") == "a2a3"
    assert sheet_move("h7g6", "black") == "(move 8 7 7 6 black)"
    match = OngoingMatch(load_machine("breakthrough.ext"))
    match.advance([sheet_move("a2a3", "white"), "noop"])
    match.advance(["noop", sheet_move("h7g6", "black")])
    assert {"(cell 1 3 white)", "(cell 7 6 black)"} <= set(match.facts)


@pytest.mark.parametrize("seed", range(8))
def test_squares_of_othello_are_those_of_the_board_text(seed: int) -> None:
    match = random_match("othello.ext", seed)
    if match.ended:
        return
    role = in_control(match)
    placed = {move for move in match.legal(role) if move != "noop"}
    name = match.machine.roles[role]
    found = {f"(place {'abcdefgh'.index(s[0]) + 1} {s[1]} {name})" for s in othello(board_text(match), "XO"[role])}
    assert found == placed


def test_the_board_text_of_othello_begins_with_the_first_row() -> None:
    match = OngoingMatch(load_machine("othello.ext"))
    assert board_text(match) == "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
    match.advance(["(place 3 4 black)", "noop"])  # c4
    assert board_text(match)[24:32] == "-" * 2 + "X" * 3 + "-" * 3


@pytest.mark.parametrize("game", ENGINES)
def test_an_engine_plays_legal_moves_to_the_end_of_two_matches(game: str) -> None:
    machine = load_machine(game)
    with opened(game) as engine:
        for seed in range(2):
            match, choice = OngoingMatch(machine), random.Random(seed)
            engine.begin(seed)
            while not match.ended:
                joint = [choice.choice(match.legal(role)) for role in (0, 1)]
                if len(match.legal(seed)) > 1:
                    joint[seed] = engine.move(match, seed)
                match.advance(joint)
            assert match.number > 6


def test_the_solver_prefers_the_column_of_the_best_score() -> None:
    with opened("connectfour.ext") as solver:
        assert isinstance(solver, ConnectFourSolver)
        match = OngoingMatch(load_machine("connectfour.ext"))
        assert solver.scores(match) == {column: int(column == 4) for column in range(1, 9)}
        assert solver.move(match, 0) == "(play 4 1 white)"
        for height in range(1, 7, 2):
            match.advance([f"(play 4 {height} white)", "noop"])
            match.advance(["noop", f"(play 4 {height + 1} red)"])
        assert set(solver.scores(match)) == {1, 2, 3, 5, 6, 7, 8}
        chosen = set()
        for seed in range(40):
            solver.begin(seed)
            chosen.add(solver.move(match, 0))
        assert chosen == set(match.legal(0))


def test_the_solver_is_asked_once_about_a_position() -> None:
    match = OngoingMatch(load_machine("connectfour.ext"))
    with opened("connectfour.ext") as solver:
        assert isinstance(solver, ConnectFourSolver)
        scores = solver.scores(match)
    solver.begin(1)
    assert solver.scores(match) == scores


@pytest.mark.parametrize("game", ENGINES)
def test_an_engine_that_ends_is_named_with_its_last_words(game: str) -> None:
    match = OngoingMatch(load_machine(game))
    with opened(game, "die") as engine:
        engine.begin(0)
        match.advance([engine.move(match, 0), "noop"])
        with pytest.raises(EngineError, match=r"python.*ended \(status 3\).*out of memory"):
            engine.move(match, 1)


@pytest.mark.parametrize("game", ENGINES)
def test_an_engine_that_does_not_answer_is_not_waited_for(game: str) -> None:
    with opened(game, "hang", 2) as engine:
        engine.begin(0)
        with pytest.raises(EngineError, match=r"no answer to `.*` within 2 s"):
            engine.move(OngoingMatch(load_machine(game)), 0)


@pytest.mark.parametrize(
    ("game", "answer", "says"),
    [
        ("breakthrough.ext", "'bestmove (none)'", "is no move, after no moves"),
        ("breakthrough.ext", "'bestmove a2a9'", "is no move"),
        ("othello.ext", "pass", "is no square"),
        ("connectfour.ext", "'1 2 3'", "WIDTH 8 and start it with -a"),
        ("connectfour.ext", "' 1 1 1 1 1 1 1 x'", "8 scores"),
        ("connectfour.ext", "' 1 1 1 1 1 1 1 -1000'", "can be played"),
    ],
)
def test_answers_that_are_no_moves_are_refused(game: str, answer: str, says: str) -> None:
    with opened(game, answer) as engine:
        engine.begin(0)
        with pytest.raises(EngineError, match=says):
            engine.move(OngoingMatch(load_machine(game)), 0)


@pytest.mark.parametrize(
    ("game", "description", "says"),
    [
        ("breakthrough.ext", "fairy-stockfish", "give uci, othello, connect4"),
        ("breakthrough.ext", "uci:", "give uci, othello, connect4"),
        ("breakthrough.ext", "uci:'", "No closing quotation"),
        ("breakthrough.ext", "uci:fish?depth", "bad query field"),
        ("othello.ext", "uci:fish?depth=2", r"uci engines play breakthrough\.ext, not othello\.ext"),
        (
            "breakthrough.ext",
            "uci:/nowhere/fish?depth=2",
            r"/nowhere/fish: the engine cannot be started \(No ",
        ),
        ("breakthrough.ext", f"uci:{FAKE} uci", "give the engine a limit"),
        ("breakthrough.ext", f"uci:{FAKE} uci?depth=0", "give the engine a limit"),
        ("breakthrough.ext", f"uci:{FAKE} uci?depth=1&Contempt=3", "has no option Contempt"),
        ("breakthrough.ext", "uci:true?depth=1", r"ended \(status 0\) when it was sent `uci`"),
        ("othello.ext", f"othello:{FAKE} othello", "its level and nothing else"),
        ("othello.ext", f"othello:{FAKE} othello?level=high", "its level and nothing else"),
        ("connectfour.ext", f"connect4:{FAKE} connect4?depth=2", "takes no depth"),
    ],
)
def test_descriptions_that_are_wrong_are_explained(game: str, description: str, says: str) -> None:
    with pytest.raises((ConfigError, EngineError), match=says):
        open_engine(description, load_machine(game), 20)


def test_a_plug_in_plays_like_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for example in ("opponent", "evaluator"):
        install_example(example, tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    machine = load_machine("tictactoe.ext")
    for name in ("plugin:minimax+depth=2", "plugin:uct:material@30", "plugin:uct:material+native=false@30"):
        with closing(open_engine(name, machine, 20)) as engine:
            engine.begin(3)
            match = OngoingMatch(machine)
            while not match.ended:
                match.advance([engine.move(match, role) for role in range(2)])
            assert match.number >= 5
    with pytest.raises(ConfigError, match="plugin:minimx: no package has this opponent; `miner plugins` lists"):
        open_engine("plugin:minimx", machine, 20)
