import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.syntax import (
    MAX_DEPTH,
    Compound,
    Group,
    Symbol,
    Term,
    Variable,
    Word,
    format_term,
    normalise,
    parse_term,
    read_expressions,
)

names = st.text("abcdxyz019+_-", min_size=1, max_size=4)
terms: st.SearchStrategy[Term] = st.recursive(
    st.builds(Symbol, names) | st.builds(Variable, names.map("?{}".format)),
    lambda inner: st.builds(Compound, names, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=12,
)


@given(terms)
def test_formatting_then_parsing_gives_the_term_back(term: Term) -> None:
    assert parse_term(format_term(term)) == term


@given(terms, st.sampled_from([" ", "\n", "\t ; a (comment\n", "\r\n", "\u00a0"]))
def test_spacing_case_and_comments_do_not_change_a_term(term: Term, gap: str) -> None:
    spaced = re.sub(r"[ ()]", lambda match: f"{gap}{match.group()}{gap}", format_term(term).upper())
    assert normalise(spaced) == format_term(term)


@given(st.text() | st.text("()?;<= aB\n\r\x00é\ufeff"))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    message = "sheet.kif:"
    try:
        read_expressions(text, "sheet.kif")
    except RuleError as error:
        message = str(error)
    assert message.startswith("sheet.kif:")


def test_expressions_know_where_they_start() -> None:
    rule, fact = read_expressions("(<= (P ?x)\n\t(q ?x)) ; (not this)\n  done", "a.kif")
    assert isinstance(rule, Group)
    assert isinstance(fact, Word)
    assert str(rule.items[2].position) == "a.kif:2:2"
    assert str(fact.position) == "a.kif:3:3"
    head = rule.items[1]
    assert isinstance(head, Group)
    assert head.items[0] == Word("p", "P", head.items[0].position)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_counts_once(line_end: str) -> None:
    assert read_expressions(line_end * 2 + "x")[0].position.line == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(p\n(q a)\n(r b)", "s:1:1: this '(' is never closed; add a ')'"),
        ("(p a))", "s:1:6: this ')' closes nothing; remove it, or add the '(' that it should close"),
        ("(p ( ))", "s:1:4: '()' holds nothing; write a term between the parentheses, or remove them"),
        ("ab\x00c", "s:1:3: character U+0000 cannot stand in a word; remove it, or save the file as UTF-8 text"),
        ("a " + "9" * 6000, "s:1:3: a word of 6,000 characters; at most 1,000 are read"),
        (
            "(" * (MAX_DEPTH + 1),
            f"s:1:{MAX_DEPTH + 1}: more than {MAX_DEPTH} parentheses are open here; nest less deeply",
        ),
    ],
)
def test_malformed_text_is_located_with_advice(text: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_expressions(text, "s")
    assert str(caught.value) == message


def test_the_deepest_allowed_nesting_is_read_and_written() -> None:
    text = "(f " * MAX_DEPTH + "x" + ")" * MAX_DEPTH
    assert normalise(text) == text


def test_a_million_open_parentheses_are_refused_not_followed() -> None:
    with pytest.raises(RuleError, match="nest less deeply"):
        read_expressions("(" * 1_000_000)


def test_a_name_in_parentheses_is_the_name() -> None:
    assert parse_term("( Noop )") == Symbol("noop")


@pytest.mark.parametrize("text", ["", "a b", "((a) b)", "(?x a)", "(f ?)"])
def test_what_is_not_one_term_is_refused(text: str) -> None:
    with pytest.raises(RuleError):
        parse_term(text)
