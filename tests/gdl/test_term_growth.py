import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.gdl.dependencies import relevant_rules
from gdl_miner.agent.gdl.term_growth import growing_rules


@pytest.mark.parametrize(
    ("rules", "growing"),
    [
        ("(init (n 0)) (<= (next (n (s ?x))) (true (n ?x)))", ["(next (n (s ?x)))"]),
        ("(init (n 0)) (<= (next (n (s ?x))) (true (n ?x)) (small ?x)) (small 0) (small (s 0))", []),
        (
            "(init (n 0)) (<= (legal a (m ?x)) (true (n ?x))) (<= (next (n (s ?x))) (does a (m ?x)))",
            ["(next (n (s ?x)))"],
        ),
        ("(init n) (<= (next ?f) (true ?f)) (<= (next (w ?f)) (true ?f))", ["(next (w ?f))"]),
        ("(init (n 0)) (<= (next ?f) (true ?f)) (<= (next (w ?f)) (true (n ?f)))", []),
        ("(init (n 0)) (<= (next (n ?y)) (p ?x ?y)) (<= (p ?x (s ?x)) (true (n ?x)))", ["(p ?x (s ?x))"]),
        ("(e a b) (<= (lt ?x ?y) (e ?x ?y)) (<= (lt ?x ?z) (lt ?x ?y) (lt ?y ?z))", []),  # plain transitive closure
        ("(e a) (list nil) (<= (list (c ?x ?l)) (e ?x) (list ?l))", ["(list (c ?x ?l))"]),
        ("(list (c a (c b nil))) (<= (list ?l) (list (c ?x ?l)))", []),
    ],
)
def test_rules_that_build_ever_larger_terms_are_found(rules: str, growing: list[str]) -> None:
    assert [each.head for each in growing_rules(parse_sheet(rules).rules)] == growing


def test_only_rules_on_which_matches_depend_are_relevant() -> None:
    sheet = parse_sheet(
        "(role a) (base (n 0)) (unused 1) (<= (base (m ?x)) (p ?x)) (p 1) (<= terminal q) (<= q (not r)) (r)"
    )
    assert [rule.predicate[0] for rule in relevant_rules(sheet.rules)] == ["role", "terminal", "q", "r"]
