import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.gdl import parse_sheet
from tests.gdl.random_sheets import random_sheets

RULES = [
    "(role white)",
    "(edge a b)",
    "(<= (path ?x ?y) (edge ?x ?y))",
    "(<= (path ?x ?y) (edge ?x ?z) (path ?z ?y) (distinct ?x ?y))",
    "(<= (pair ?x ?y ?u ?v) (e ?x ?y) (e ?y ?x) (e ?u ?v) (e ?v ?u) (or (not (p ?x)) (and (p ?u) (q ?v))))",
]


def digest(*rules: str) -> str:
    return parse_sheet("\n".join(rules)).digest


def _letter(table: dict[int, int]) -> Callable[[re.Match[str]], str]:
    return lambda match: match[0].translate(table)


def test_order_case_comments_and_names_of_variables_do_not_matter() -> None:
    expected = digest(*RULES)
    rng = random.Random(5)
    for _ in range(20):
        changed = [rng.choice([rule.upper(), rule.title(), rule]) for rule in rng.sample(RULES, len(RULES))]
        letters = str.maketrans("xyzuv", "".join(rng.sample("pqxamz", 5)))
        renamed = [re.sub(r"\?[xyzuv]", _letter(letters), rule.lower()) for rule in changed]
        assert digest(*changed) == expected
        assert digest("; a comment", *renamed) == expected


@settings(max_examples=20)
@given(random_sheets(), st.randoms(use_true_random=False))
def test_shuffled_sheets_have_one_digest(text: str, rng: random.Random) -> None:
    lines = text.splitlines()
    roles = [line for line in lines if line.startswith("(role ")]
    others = [line for line in lines if not line.startswith("(role ")]
    rng.shuffle(others)
    assert parse_sheet("\n".join(others + roles)).digest == parse_sheet(text).digest


def test_order_of_conditions_does_not_matter() -> None:
    assert digest("(<= (p ?x) (q ?x ?y) (not (r ?y)) (distinct a ?x))") == digest(
        "(<= (p ?b) (distinct ?b a) (q ?b ?a) (and (not (r ?a)) (q ?b ?a)))"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(p a)", "(p b)"),
        ("(<= (p ?x ?y) (q ?x ?y))", "(<= (p ?x ?y) (q ?y ?x))"),
        ("(<= (p ?x) (q ?x ?y) (q ?y ?z))", "(<= (p ?x) (q ?x ?y) (q ?z ?y))"),
        ("(<= p (q ?x) (r ?x))", "(<= p (q ?x) (r ?y))"),
        ("(<= p (or q r))", "(<= p (and q r))"),
        ("(<= p (not q))", "(<= p q)"),
        ("(role x) (role o)", "(role o) (role x)"),
    ],
)
def test_different_games_have_different_digests(one: str, other: str) -> None:
    assert digest(one) != digest(other)
