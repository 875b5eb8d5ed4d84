import numpy as np
import pytest

from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.reasoner.prepare import prepare


def machine(text: str) -> Machine:
    sheet = parse_sheet(text)
    return Machine(sheet, prepare(sheet))


GAME = """
(role white) (role black)
(init (count 0)) (init always)
(succ 0 1) (succ 1 2)
(<= (next always) (true always))
(<= (next (count ?y)) (true (count ?x)) (succ ?x ?y) (does white step))
(<= (next (count ?x)) (true (count ?x)) (does white stay))
(<= (next eternal) (true always))
(<= (legal white step) (true (count ?x)))
(<= (legal white stay) (true always))
(<= (legal black noop) (role black))
(<= terminal (true (count 2)))
"""


def test_states_and_facts_translate_into_each_other() -> None:
    play = machine(GAME)
    state = play.initial()
    assert play.facts(state) == ["(count 0)", "always"]
    assert np.array_equal(play.state_of(reversed(play.facts(state))), state)
    assert play.facts(play.next(state, (play.row(0, "step"), play.row(1, "noop")))) == [
        "(count 1)",
        "always",
        "eternal",
    ]


def test_rows_are_global_and_named_per_role() -> None:
    play = machine(GAME)
    assert play.moves == (("stay", "step"), ("noop",))
    assert [list(play.rows(role)) for role in (0, 1)] == [[0, 1], [2]]
    assert [rows.tolist() for rows in play.legal(play.initial())] == [[0, 1], [2]]


def test_states_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        machine(GAME).initial()[0] = 1


@pytest.mark.parametrize(("fact", "move"), [("(count 3)", "fly"), ("count", "noop")])
def test_unknown_names_are_refused(fact: str, move: str) -> None:
    play = machine(GAME)
    with pytest.raises(ValueError, match="no fluent"):
        play.state_of([fact])
    with pytest.raises(ValueError, match="can never make"):
        play.row(0, move)


def test_goals_that_the_rules_do_not_give_are_none() -> None:
    play = machine(GAME + "(<= (goal black 30) (true (count 0)))")
    state = play.initial()
    assert play.goals(state) == (None, 30)
    assert play.goals(play.next(state, (1, 2))) == (None, None)


def test_goals_outside_0_to_100_are_no_goals_and_of_several_the_largest_counts() -> None:
    play = machine(
        GAME + "(goal white 101) (goal white high) (goal white -1) (goal black 20) (goal black 100) (goal black 3)"
    )
    assert play.goals(play.initial()) == (None, 100)


def test_a_role_that_never_has_a_legal_move_has_no_rows() -> None:
    play = machine(GAME + "(role idle)")
    assert play.moves[2] == ()
    assert [rows.tolist() for rows in play.legal(play.initial())] == [[0, 1], [2], []]


def test_a_game_without_terminal_or_next_or_init_still_has_a_machine() -> None:
    play = machine("(role r) (<= (legal r noop) (role r))")
    assert play.fluents == ()
    assert not play.terminal(play.initial())
    assert play.facts(play.next(play.initial(), [0])) == []


def test_machines_of_one_game_share_their_programs_and_others_do_not() -> None:
    first, second, other = (
        load_machine("tictactoe.ext"),
        load_machine("tictactoe.ext"),
        load_machine("breakthrough.ext"),
    )
    assert not other.share_programs(first)
    assert other.native is not first.native
    assert second.share_programs(first)
    assert second.native is first.native
