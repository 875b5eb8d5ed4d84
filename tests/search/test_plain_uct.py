"""UCT in plain Python plays every game that an engine plays, and follows the definition."""

import random
from typing import Any

import pytest

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.rules import RuleSheet, parse_sheet, read_sheet
from gdl_miner.agent.reasoner.engines import EngineKind, InterpreterEngine, TextEngine, choose_engine
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.search.plain_uct import PlainPlayer, PlainSearch, play_plain_match

PICK = """
(role white) (role black) (init start) (move 1) (move 2) (move 3)
(<= (legal ?r (pick ?x)) (role ?r) (move ?x) (true start))
(<= (next (sum white ?x)) (does white (pick ?x))) (<= (next (sum black ?x)) (does black (pick ?x)))
(<= terminal (not (true start)))
(<= (goal white 100) (true (sum white 2))) (<= (goal white 0) (not (true (sum white 2))))
(<= (goal black 100) (true (sum black 3))) (<= (goal black 0) (not (true (sum black 3))))
"""


@pytest.fixture(scope="module")
def tictactoe() -> RuleSheet:
    return read_sheet("tictactoe.ext")


def interpreted(sheet: RuleSheet) -> TextEngine[Any]:
    return InterpreterEngine(Interpreter(sheet))


def test_it_finds_the_one_good_move_of_each_role_that_moves_at_once() -> None:
    engine = interpreted(parse_sheet(PICK))
    thoughts = [PlainSearch(engine, random.Random(1)).think(engine.initial(), role, 60, 0) for role in (0, 1)]
    assert [thought.move for thought in thoughts] == ["(pick 2)", "(pick 3)"]
    assert [thought.playouts for thought in thoughts] == [60, 60]


def test_it_wins_at_once_where_it_can(tictactoe: RuleSheet) -> None:
    engine = interpreted(tictactoe)
    state = engine.initial()
    for joint in (
        ("(mark 1 1 x)", "noop"),
        ("noop", "(mark 1 3 o)"),
        ("(mark 2 1 x)", "noop"),
        ("noop", "(mark 2 3 o)"),
    ):
        state = engine.next(state, joint)
    assert PlainSearch(engine, random.Random(2)).think(state, 0, 150, 0).move == "(mark 3 1 x)"


def test_a_seed_decides_a_match_on_any_engine(tictactoe: RuleSheet) -> None:
    players = [PlainPlayer("uct", 12), PlainPlayer("random")]
    circuit = choose_engine(tictactoe, kind=EngineKind.circuit).engine
    matches = [play_plain_match(tictactoe, engine, players, 5) for engine in (interpreted(tictactoe), circuit)]
    assert matches[0] == matches[1]
    assert matches[0].moves != play_plain_match(tictactoe, circuit, players, 6).moves
    assert matches[0].playouts[0] > 0
    assert matches[0].playouts[1] == 0
    assert sum(goal or 0 for goal in matches[0].goals) == 100


@pytest.mark.timeout(60)
def test_the_clock_ends_a_search_in_the_midst_of_a_playout() -> None:
    endless = (
        "(role a) (init (at 0)) (<= (legal a stay) (role a)) (<= (legal a go) (role a)) (next (at 0))"
        "(<= terminal (true (at 1))) (goal a 0)"
    )
    engine = interpreted(parse_sheet(endless))
    thought = PlainSearch(engine, random.Random(0)).think(engine.initial(), 0, 0, 0.2)
    assert thought.playouts == 0
    assert thought.move in ("go", "stay")


def test_a_role_without_a_move_is_an_error_of_the_rules() -> None:
    sheet = parse_sheet("(role a) (role b) (init x) (legal a go) (<= terminal (true y)) (goal a 0) (goal b 0)", "g.kif")
    with pytest.raises(RuleError, match=r"g\.kif: b has no legal move"):
        play_plain_match(sheet, interpreted(sheet), [PlainPlayer("random")] * 2, 0)


# Three numbers must be picked in the one right order; a number too early ends the match.
CODE = """
(role robot) (init (right 0)) (number 1) (number 2) (number 3) (number 4)
(after 0 1 3) (after 1 2 1) (after 2 3 4) (after 3 4 2)
(<= (legal robot (pick ?x)) (number ?x))
(<= (next (right ?n)) (true (right ?m)) (after ?m ?n ?x) (does robot (pick ?x)))
(<= (next wrong) (true (right ?m)) (after ?m ?n ?x) (does robot (pick ?y)) (distinct ?x ?y))
(<= terminal (true wrong)) (<= terminal (true (right 4)))
(<= (goal robot 100) (true (right 4))) (<= (goal robot 0) (not (true (right 4))))
"""


def test_a_single_player_follows_the_best_line_that_it_has_seen() -> None:
    engine = interpreted(parse_sheet(CODE))
    search = PlainSearch(engine, random.Random(3))
    state = engine.initial()
    search.think(state, 0, 400, 0)  # the line is one of 256
    while not engine.terminal(state):
        state = engine.next(state, [search.think(state, 0, 1, 0).move])
    assert engine.goals(state) == [100]
