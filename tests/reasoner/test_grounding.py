import time

import pytest

from gdl_miner.agent.errors import BudgetError, RuleError
from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.reasoner.budget import Budget
from gdl_miner.agent.reasoner.grounding import mangled, read_atom
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.reasoner.prepare import prepare

FRAME = """
(role r) (init (at 1)) (<= (legal r noop) (role r)) (<= (next ?f) (true ?f))
(<= terminal (true (never))) (<= (goal r 50) (role r))
"""
ENDLESS = """
(role r) (init (n z)) (<= (next (n (s ?x))) (true (n ?x))) (<= (legal r noop) (role r))
(<= terminal (true (n done))) (<= (goal r 50) (role r))
"""


def machine(text: str) -> Machine:
    sheet = parse_sheet(text, "game.kif")
    return Machine(sheet, prepare(sheet))


ODD_NAMES = [
    "01",
    "1",
    "-5",
    "99999999999999999999",
    "+",
    "<",
    ">=",
    "'",
    '"',
    "\\",
    "%",
    "#true",
    "not",
    "a_b",
    "é",
    "_",
]


def test_odd_symbols_mean_nothing_to_the_grounder() -> None:
    facts = " ".join(f"(init (holds {name} ({name} x))) (thing {name})" for name in ODD_NAMES)
    play = machine(FRAME + facts + "(<= (legal r (take ?x ?y)) (thing ?x) (thing ?y) (distinct ?x ?y))")
    assert set(play.facts(play.initial())) == {"(at 1)"} | {f"(holds {name} ({name} x))" for name in ODD_NAMES}
    assert len(play.legal(play.initial())[0]) == 1 + len(ODD_NAMES) * (len(ODD_NAMES) - 1)


def test_odd_relations_and_functors_stay_apart() -> None:
    rules = "(+ a) (- b) (_ c) (<= (legal r (+ ?x)) (+ ?x)) (<= (legal r (- ?x)) (- ?x)) (<= (legal r (_ ?x)) (_ ?x))"
    assert set(machine(FRAME + rules).moves[0]) == {"noop", "(+ a)", "(- b)", "(_ c)"}


def test_mangled_names_differ_where_names_differ() -> None:
    names = ["a", "_61_", "_", "__", "_5f_", "a_", "5f", "+", "2b", "_2b_", "é", "A"]
    assert len({mangled(name) for name in names}) == len(names)


def test_nested_terms_are_read_back() -> None:
    assert read_atom('r_p(f_g("a",f_h("b")),"c")') == ("p", ("(g a (h b))", "c"))
    assert read_atom("r_terminal") == ("terminal", ())


def test_a_variable_that_nothing_binds_is_reported_with_its_line() -> None:
    with pytest.raises(RuleError, match=r"game.kif:4:1: variable \?y is in no positive condition"):
        machine(FRAME + "(<= (legal r (take ?x ?y)) (p ?x) (not (p ?y)))")


def test_an_endless_grounding_ends_with_the_budget() -> None:
    started = time.monotonic()
    with pytest.raises(BudgetError, match=r"endless.kif|endless: grounding did not end within the budget of 1 s"):
        prepare(parse_sheet(ENDLESS, "endless.kif"), Budget(seconds=1))
    assert time.monotonic() - started < 10


def test_a_grounding_beyond_the_memory_ends_with_the_budget() -> None:
    things = " ".join(f"(thing {number})" for number in range(100))
    wide = "(<= (legal r (take ?a ?b ?c ?d)) (thing ?a) (thing ?b) (thing ?c) (thing ?d))"
    with pytest.raises(BudgetError, match="64 MiB"):
        prepare(parse_sheet(FRAME + things + wide, "wide.kif"), Budget(seconds=60, memory_mib=64))


def test_progress_is_reported_past_two_seconds() -> None:
    told: list[str] = []
    with pytest.raises(BudgetError):
        prepare(parse_sheet(ENDLESS, "endless.kif"), Budget(seconds=3, progress=told.append))
    assert told
    assert told[0].startswith("grounding endless: 2 s of at most 3 s")


def test_negation_through_a_cycle_is_reported_with_its_line() -> None:
    with pytest.raises(RuleError, match=r"game.kif:5:\d+: 'p' depends on the negation of 'q'"):
        machine(FRAME + "\n(<= p (true (at 1)) (not q)) (<= q (true (at 1)) p) (<= (legal r take) p)")


def test_a_legal_move_that_depends_on_moves_is_reported_with_its_line() -> None:
    with pytest.raises(RuleError, match=r"game.kif:5:\d+: 'legal' depends on 'does'"):
        machine(FRAME + "\n(<= moved (does r noop)) (<= (legal r take) (not moved))")


def test_a_game_without_roles_is_refused() -> None:
    with pytest.raises(RuleError, match="no roles"):
        machine("(init a) (<= terminal (true a))")


def test_order_of_rules_and_conditions_changes_nothing() -> None:
    rules = "(p a) (p b) (<= (legal r (take ?x ?y)) (p ?x) (p ?y) (distinct ?x ?y) (not (true (at ?x))))"
    flipped = "(<= (legal r (take ?x ?y)) (not (true (at ?x))) (distinct ?x ?y) (p ?y) (p ?x)) (p b) (p a)"
    one, other = machine(FRAME + rules).circuit, machine(flipped + FRAME).circuit
    assert (one.fluents, one.moves, one.rules_digest) == (other.fluents, other.moves, other.rules_digest)
    assert one.gate_literals.tolist() == other.gate_literals.tolist()
    assert one.legal.tolist() == other.legal.tolist()


def test_a_fluent_that_rules_only_deny_is_no_fluent() -> None:
    play = machine(FRAME + "(p a) (<= (legal r (take ?x)) (p ?x) (not (true (held ?x))))")
    assert play.fluents == ("(at 1)",)
    assert play.moves[0] == ("(take a)", "noop")
    assert len(play.legal(play.initial())[0]) == 2
