import itertools
import math
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.gdl import parse_sheet, term_growth
from gdl_miner.agent.gdl.dependencies import (
    Dependencies,
    relation_dependencies,
    relevant_rules,
    rule_dependencies,
)
from gdl_miner.agent.gdl.term_growth import growing_rules

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


def graph(edges: list[tuple[int, int]]) -> Dependencies:
    return relation_dependencies(parse_sheet(" ".join(f"(<= p{head} p{used})" for head, used in edges)).rules)


@given(pairs)
def test_components_are_the_sets_of_nodes_that_reach_each_other(edges: list[tuple[int, int]]) -> None:
    found = graph(edges)
    nodes = {node for edge in edges for node in edge}
    reach = {(a, b) for a in nodes for b in nodes if a == b or found.path((f"p{a}", 0), (f"p{b}", 0))}
    closure = set(edges) | {(node, node) for node in nodes}
    for middle, a, b in itertools.product(nodes, repeat=3):
        if (a, middle) in closure and (middle, b) in closure:
            closure.add((a, b))
    assert reach == closure
    for a, b in itertools.product(nodes, repeat=2):
        together = found.components[f"p{a}", 0] == found.components[f"p{b}", 0]
        assert together == ((a, b) in closure and (b, a) in closure)


def test_rules_depend_only_on_rules_they_unify_with() -> None:
    rules = parse_sheet("(<= (p a) (p b)) (<= (p b) (q ?x)) (<= (q (f ?x)) (p ?x)) (<= (q c) (not (q (f ?y))))").rules
    found = {(edge.head[1], edge.uses[1]) for edges in rule_dependencies(rules).edges.values() for edge in edges}
    assert found == {(0, 1), (1, 2), (1, 3), (2, 0), (2, 1), (3, 2)}


def test_a_chain_of_thousands_of_relations_is_followed() -> None:
    found = graph([(number, number + 1) for number in range(5000)] + [(5000, 0)])
    assert len(set(found.components.values())) == 1
    assert len(found.path(("p0", 0), ("p0", 0))) == 5001


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
        ("(init (n 0)) (<= (next ?f) (true ?f)) (<= (next (w (s ?x))) (true (n ?x)))", []),
        ("(n 0) (<= (n (s ?x)) (n ?x)) (<= (m (t ?x)) (n (s ?x)))", ["(n (s ?x))"]),
        ("(n 0) (<= (n (s ?x)) (n ?x)) (<= (m (t ?x)) (n ?x))", ["(n (s ?x))", "(m (t ?x))"]),
        ("(list (c a (c b nil))) (<= (list ?l) (list (c ?x ?l)))", []),
    ],
)
def test_rules_that_build_ever_larger_terms_are_found(rules: str, growing: list[str]) -> None:
    assert [each.head for each in growing_rules(parse_sheet(rules).rules)] == growing


def grow_naively(depth: dict[Any, float], flows: Sequence[Any]) -> None:
    """Raise depths by what each flow allows, again and again, and take what goes beyond all terms as endless."""
    for _ in range(150):
        for flow in flows:
            value = min(max(0, depth.setdefault(place, 0) - within) for place, within in flow.sources)
            for place, deeper in flow.targets:
                depth[place] = max(depth.get(place, 0), value + deeper)
    depth.update({place: math.inf for place, reached in depth.items() if reached > 60})


terms = st.sampled_from(["a", "?x", "?y", "(f ?x)", "(g ?y)", "(f (g ?x))"])
fluents = st.one_of(st.sampled_from(["?x", "?y"]), terms.map("(h {})".format))
conditions = st.one_of(st.builds("(p {} {})".format, terms, terms), fluents.map("(true {})".format))
heads = st.one_of(st.builds("(p {} {})".format, terms, terms), fluents.map("(next {})".format))
rules_that_grow = st.lists(st.builds("(<= {} {} {})".format, heads, conditions, conditions), min_size=1, max_size=6)


@settings(max_examples=50)
@given(rules_that_grow)
def test_growth_is_that_of_the_rules_followed_again_and_again(texts: list[str]) -> None:
    rules = parse_sheet(" ".join(texts)).rules
    found = growing_rules(rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_growth, "_let_grow", grow_naively)
        assert growing_rules(rules) == found


def test_growth_in_large_sheets_is_found_in_time_that_grows_with_the_text() -> None:
    loop = "(p0 a) (<= (p0 (s ?x)) (p0 ?x))"
    chain = [f"(<= (p{n + 1} (s ?x)) (p{n} ?x)) (<= (next (f{n} (s ?x))) (true (f{n} ?x)))" for n in range(1500)]
    rules = parse_sheet(f"{loop} {' '.join(chain)} (<= (next ?f) (true ?f))").rules
    started = time.process_time()
    assert len(growing_rules(rules)) == 3001
    assert time.process_time() - started < 5


def test_only_rules_on_which_matches_depend_are_relevant() -> None:
    sheet = parse_sheet(
        "(role a) (base (n 0)) (unused 1) (<= (base (m ?x)) (p ?x)) (p 1) (<= terminal q) (<= q (not r)) (r)"
    )
    assert [rule.predicate[0] for rule in relevant_rules(sheet.rules)] == ["role", "terminal", "q", "r"]
