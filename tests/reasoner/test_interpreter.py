import random

import pytest

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import parse_sheet, read_sheet
from gdl_miner.agent.reasoner.interpreter import Interpreter


def game(text: str) -> Interpreter:
    return Interpreter(parse_sheet(text, "s"))


def inits(text: str) -> frozenset[str]:
    return game(text).initial()


def test_a_match_is_played_by_the_rules() -> None:
    rules = game(
        """
        (role White) (role black)
        (init (heap 2)) (init (control white)) (less 2 1) (less 1 0)
        (<= (legal ?r take) (true (control ?r)))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (heap ?m)) (does ?r take) (true (heap ?n)) (less ?n ?m))
        (<= (next (control ?r)) (role ?r) (not (true (control ?r))))
        (<= terminal (true (heap 0)))
        (<= (goal ?r 100) (true (control ?r)))
        (<= (goal ?r 0) (role ?r) (not (true (control ?r))))
        """
    )
    start = rules.initial()
    assert start == {"(heap 2)", "(control white)"}
    assert [rules.legal(start, role) for role in rules.roles] == [{"take"}, {"noop"}]
    middle = rules.next(start, {"black": "noop", "white": "TAKE"})
    assert middle == rules.next(start, ("take", "noop")) == {"(heap 1)", "(control black)"}
    assert not rules.terminal(middle)
    end = rules.next(middle, ("noop", "take"))
    assert rules.terminal(end)
    assert [rules.goal(end, role) for role in ("white", "black")] == [100, 0]


def test_a_missing_or_strange_move_is_refused() -> None:
    rules = game("(role a) (role b)")
    with pytest.raises(ValueError, match="expected a move for each of a, b, got a"):
        rules.next(frozenset(), {"a": "noop"})
    with pytest.raises(ValueError, match="shorter"):
        rules.next(frozenset(), ["noop"])


def test_a_goal_is_the_largest_integer_of_a_hundred_or_nothing() -> None:
    rules = game("(role a) (goal a 50) (goal b 0) (goal b 100) (goal c much) (<= (goal d 7) (goal a 50)) (goal d 7)")
    assert [rules.goal(frozenset(), role) for role in "abcef"] == [50, 100, None, None, None]
    assert rules.goal(frozenset(), "d") == 7


@pytest.mark.parametrize(
    ("rules", "answers"),
    [
        ("(<= (init ?x) (p ?x) (not (q ?x)))", {"1", "3"}),
        ("(<= (init ?x) (not (q ?x)) (p ?x))", {"1", "3"}),
        ("(<= (init ?x) (p ?x) (not (e ?x ?y)))", {"3"}),
        ("(<= (init ?x) (p ?x) (not (e ?y ?y)))", {"1", "2", "3"}),
        ("(<= (init ?x) (p ?x) (or (q ?x) (distinct ?x 3)))", {"1", "2"}),
        ("(<= (init ?x) (or (q ?x) (and (p ?x) (not (e ?x 2)) (not (q ?x)))))", {"2", "3"}),
        ("(<= (init ?x) (p ?x) (not (or (q ?x) (distinct ?x 3))))", {"3"}),
        ("(<= (init ?x) (p ?x) (not (and (e ?x ?y) (e ?y ?z))))", {"2", "3"}),
        ("(<= (init ?x) (p ?x) (not (not (e ?x ?y))))", {"1", "2"}),
        ("(<= (init ?x) (p ?x) (not (distinct ?x 2)))", {"2"}),
        ("(<= (init ?x) (eq ?x 4)) (eq ?y ?y)", {"4"}),
        ("(<= (init (f ?x)) (w (f ?x))) (w (f a)) (w (g b)) (w c)", {"(f a)"}),
        ("(<= (init ?x) (w (f ?x ?x))) (w (f a b)) (w (f c c)) (w (f (g d) (g d)))", {"c", "(g d)"}),
        (
            "(<= (init ?x) (path 1 ?x)) (<= (path ?x ?y) (path ?x ?z) (e ?z ?y)) (<= (path ?x ?x) (p ?x))",
            {"1", "2", "3"},
        ),
        (
            "(<= (init ?x) (even ?x)) (even 1) (<= (even ?y) (odd ?x) (e ?x ?y)) (<= (odd ?y) (even ?x) (e ?x ?y))",
            {"1", "3"},
        ),
    ],
)
def test_conditions_mean_what_gdl_says(rules: str, answers: set[str]) -> None:
    assert inits(f"(p 1) (p 2) (p 3) (q 2) (e 1 2) (e 2 3) {rules}") == answers


def test_a_chain_of_ten_thousand_rules_deep_does_not_exhaust_the_stack() -> None:
    chain = "".join(f"(succ {number} {number + 1})" for number in range(10_000))
    rules = "(reach 0) (<= (reach ?y) (succ ?x ?y) (reach ?x)) (<= (init done) (reach 10000))"
    assert inits(chain + rules) == {"done"}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("(<= (init (f ?x))\n (init ?x)) (init a)", "s:1:1: terms grow without end in this rule; bound its recursion"),
        (
            "(<= (init a) (not (p a)))\n(<= (p ?x) (not (init ?x)))",
            "s:1:1: p depends on its own negation; break",
        ),
        ("(<= (init ?x) (distinct ?x a))", "s:1:15: no other condition binds the variable ?x of 'distinct'; add one"),
        ("(<= (init ?x) (not (p ?x)))", "s:1:1: nothing binds the variable ?x of this rule's head; add a condition"),
    ],
)
def test_rules_without_meaning_are_refused_with_their_place(rules: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        inits(rules)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", sorted(bundled()))
def test_some_legal_move_is_one_of_all_and_changes_nothing(name: str) -> None:
    rules, fresh = Interpreter(read_sheet(name)), Interpreter(read_sheet(name))
    dice, state = random.Random(1), rules.initial()
    for _ in range(6):
        if rules.terminal(state):
            break
        some = [rules.some_legal(state, role) for role in rules.roles]
        legal = [rules.legal(state, role) for role in rules.roles]
        assert legal == [fresh.legal(state, role) for role in rules.roles]
        assert all(move in moves for move, moves in zip(some, legal, strict=True))
        state = rules.next(state, [dice.choice(sorted(moves)) for moves in legal])


def test_where_a_role_has_no_move_there_is_not_some() -> None:
    rules = game("(role a) (role b) (init on) (<= (legal a go) (true on)) (<= (legal b go) (true off))")
    assert rules.some_legal(rules.initial(), "a") == "go"
    assert rules.some_legal(rules.initial(), "b") is None
