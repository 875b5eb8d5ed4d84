import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.gdl.check import conformance


@pytest.mark.parametrize(
    "text",
    [
        "(foo a) (<= (p ?x) (foo ?x))",
        "(foo (bar a)) (<= p (foo (bar a)))",
        "(foo (bar a)) (<= p (foo (bar ?x)))",
        "(foo (bar a)) (<= (p ?x) (foo (baz ?x)))",
        "(foo a (bar a)) (<= p (foo b ?x))",
        "(foo a (bar a)) (<= p (foo ?x ?x))",
        "(foo (bar a)) (<= (legal r ?x) (foo ?x)) (<= terminal (foo ?x))",
        "(<= (foo ?x) (true ?x)) (init (bar a)) (<= p (true ?x))",
    ],
)
def test_variables_that_stand_for_plain_terms_conform(text: str) -> None:
    assert conformance(parse_sheet(text)).conforming


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(foo (bar a)) (<= (p ?x) (foo ?x))", "s:1:26: ?x in '(foo ?x)' may be (bar a) (line 1)"),
        ("(<= (foo ?y) (q ?y))\n(<= p (not (foo (bar a))))", "s:2:12: ?y in '(foo (bar a))' may be (bar a) (line 1)"),
        (
            "(foo a (bar a)) (<= (p ?y) (q ?y) (or (q a) (foo ?x ?y)))",
            "s:1:45: ?y in '(foo ?x ?y)' may be (bar a) (line 1)",
        ),
    ],
)
def test_a_variable_that_may_stand_for_a_term_with_arguments_is_reported(text: str, place: str) -> None:
    found = conformance(parse_sheet(text, "s"))
    assert not found.conforming
    assert [str(item) for item in found.places] == [place]
