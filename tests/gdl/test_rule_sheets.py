import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl import And, Atom, Compound, Distinct, Not, Or, Symbol, Variable, parse_sheet, read_sheet

TINY = """
(role White) (role Black)
(init (Cell 1 b))
(<= (legal ?r noop) (role ?r))
(<= (next (cell ?x ?p)) (true (cell ?x ?p)) (or (not (q ?x)) (and (q ?x) (distinct ?p b))))
(<= terminal (q 1))
(goal white 100)
"""


def test_a_sheet_has_its_rules_in_order_with_their_places() -> None:
    sheet = parse_sheet(TINY, "folder/tiny.ext.kif")
    assert sheet.name == "tiny.ext"
    assert sheet.roles == ("white", "black")
    assert [rule.head.name for rule in sheet.rules] == ["role", "role", "init", "legal", "next", "terminal", "goal"]
    assert str(sheet.rules[4].position) == "folder/tiny.ext.kif:5:1"


def test_bodies_keep_their_nested_connectives() -> None:
    atom, choice = parse_sheet(TINY).rules[4].body
    assert isinstance(atom, Atom)
    assert atom.term == Compound("true", (Compound("cell", (Variable("?x"), Variable("?p"))),))
    assert isinstance(choice, Or)
    negated, both = choice.parts
    assert isinstance(negated, Not)
    assert isinstance(both, And)
    assert both.parts[1] == Distinct(Variable("?p"), Symbol("b"), both.position)


def test_a_sheet_can_be_sent_to_another_process_and_be_a_key() -> None:
    sheet = parse_sheet(TINY)
    copy = pickle.loads(pickle.dumps(sheet))
    assert copy == sheet
    assert {copy: "found"}[sheet] == "found"


@pytest.mark.parametrize("text", ["terminal", "(terminal)", "(<= terminal)", "(<= (terminal))", "(<= (TERMINAL))"])
def test_a_relation_without_arguments_may_stand_bare_or_in_parentheses(text: str) -> None:
    (rule,) = parse_sheet(text).rules
    assert rule.head == Symbol("terminal")
    assert rule.body == ()
    assert parse_sheet(text).digest == parse_sheet("terminal").digest


def test_output_uses_the_first_spelling() -> None:
    sheet = parse_sheet("(role White) (init (Cell 1 b)) (init (CELL 2 B))")
    assert sheet.display("(cell 2 b)") == "(Cell 2 b)"
    assert sheet.display("white") == "White"
    assert sheet.display("(unknown white)") == "(unknown White)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(<=)", "s:1:1: '(<=)' has no head"),
        ("?x", "s:1:1: the variable '?x' stands where a head must"),
        ("(<= (not a) b)", "s:1:5: 'not' cannot be a head or a fact"),
        ("(<= a ?x)", "s:1:7: the variable '?x' stands for a condition"),
        ("(<= a (not b c))", "s:1:7: 'not' takes one condition, found 2; write '(not …)'"),
        ("(<= a (distinct b))", "s:1:7: 'distinct' takes two terms, found 1; write '(distinct … …)'"),
        ("(<= a (or))", "s:1:7: '(or)' joins nothing"),
        ("(<= a\n (<= b c))", "s:2:2: a rule stands inside a rule"),
        ("(<= a ((b) c))", "s:1:8: a list stands where a name must"),
        (
            "((a b) (c b))",
            "s:1:2: a list stands where a name must; start the list with one, or write (<= head condition …)",
        ),
        ("(<= a (?f c))", "s:1:8: the variable '?f' stands where a name must"),
        ("(<= a not)", "s:1:7: 'not' has no arguments"),
        ("(a)\n// said", "s:2:1: '//' begins no comment; write ';' in front of it"),
        ("(a b => c)", "s:1:6: '=>' is no arrow of a rule"),
        ("(<= a :- b)", "s:1:7: ':-' is no arrow of a rule"),
        ("(⇐ a b)", "s:1:2: '⇐' is no arrow of a rule"),
        ("(<= a b & c)", "s:1:9: '&' stands between conditions; leave it out where all must hold"),
        ("(=> a b)", "s:1:2: '=>' is no arrow of a rule; begin the rule with the arrow: (<= head condition …)"),
        ("(:- a b)", "s:1:2: ':-' is no arrow of a rule"),
        ("(<=Terminal b)", "s:1:2: '<=Terminal' is one word"),
        ("(a <= b)", "s:1:4: the arrow stands in the middle"),
        ("(a :- b)", "s:1:4: ':-' is no arrow of a rule"),
        ("(<= a Role(?p))", "s:1:7: the name stands before its parenthesis; write '(Role …)'"),
        ("(<= a b true(p))", "s:1:9: the name stands before its parenthesis; write '(true …)'"),
        ("(<= a (not role(p)))", "s:1:12: the name stands before its parenthesis; write '(role …)'"),
    ],
)
def test_what_is_no_rule_is_located_with_advice(text: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_sheet(text, "s")
    assert str(caught.value).startswith(message)
    assert ";" in str(caught.value)


@given(st.binary(max_size=200))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.kif"
    path.write_bytes(data)
    message = str(path)
    try:
        read_sheet(path)
    except RuleError as error:
        message = str(error)
    assert message.startswith(str(path))


def test_an_unreadable_sheet_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="cannot read the rule sheet"):
        read_sheet(tmp_path)


@pytest.mark.parametrize("name", ["no such game", "a\0b", "x" * 5000])
def test_an_unknown_game_is_refused_with_the_bundled_names(name: str) -> None:
    with pytest.raises(RuleError, match="neither a file nor a bundled game"):
        read_sheet(name)


def test_a_folder_of_results_does_not_hide_the_bundled_game_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tictactoe.ext").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_sheet("tictactoe.ext").name == "tictactoe.ext"


def test_a_bundled_game_is_found_and_a_near_miss_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pebbles.ext.kif").write_text(TINY)
    monkeypatch.setattr("gdl_miner.agent.gdl.rules.bundled", lambda: {"pebbles.ext": tmp_path / "pebbles.ext.kif"})
    assert read_sheet("pebbles.ext") == read_sheet("pebbles.ext.kif")
    with pytest.raises(RuleError, match=r"did you mean pebbles\.ext\?"):
        read_sheet("pebbles.kif")
