import time

import pytest
from hypothesis import given, settings

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl import parse_sheet, read_sheet
from gdl_miner.agent.gdl.check import check_sheet, report, require_playable
from tests.corpus import corpus_folder
from tests.gdl.random_sheets import random_sheets

COMPLETE = """(role white) (role black)
(init (cell 1 1 b)) (succ 1 2)
(<= (legal ?r (move ?x ?y)) (role ?r) (true (cell ?x ?y b)))
(<= (next (cell ?x ?y ?r)) (does ?r (move ?x ?y)))
(<= terminal (not open)) (<= open (true (cell ?x ?y b)))
(goal white 50) (goal black 50)
"""
LINE = COMPLETE.count("\n") + 1
"""Line of what a test adds to the complete sheet."""


def messages(text: str, severity: str) -> list[str]:
    return [str(finding) for finding in check_sheet(parse_sheet(text, "s")) if finding.severity == severity]


def test_a_sound_sheet_has_no_findings() -> None:
    assert check_sheet(parse_sheet(COMPLETE)) == []
    require_playable(parse_sheet(COMPLETE))


@pytest.mark.parametrize("name", ["role", "legal", "terminal", "goal"])
def test_a_game_needs_its_reserved_relations(name: str) -> None:
    found = messages(COMPLETE.replace(f"({name} ", "(other ").replace(f" {name} ", " other "), "error")
    assert any(f"s:1:1: the sheet has no rule or fact for '{name}'; add one, such as (" in text for text in found)


def test_a_game_may_end_with_its_first_move() -> None:
    text = COMPLETE.replace("(<= (next (cell ?x ?y ?r)) (does ?r (move ?x ?y)))", "")
    assert messages(text, "error") == []
    assert any("no rule or fact for 'next'" in message for message in messages(text, "warning"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (COMPLETE.replace("(legal ?r", "(legel ?r"), "did you mean 'legel' in line 3? add one, such as"),
        (COMPLETE + "(<= p (true (cel 1 1 b)))", "did you mean 'cell'? correct the name"),
        (COMPLETE + "(<= p (does white (mve 1 1)))", "did you mean 'move'? correct the name"),
        (COMPLETE + "(<= p (suc 1 2))", "did you mean 'succ'? correct the name"),
        (COMPLETE + "(<= (next cell ?x ?y b) (succ ?x ?y))", "did you mean '(next (cell ?x ?y b))'? 'next' takes"),
        (COMPLETE + "(<= p (does ?r move 1 ?y))", "did you mean '(does ?r (move 1 ?y))'? 'does' takes"),
        (COMPLETE + "(<= p (cell 1 1 ?x))", "did you mean '(true (cell 1 1 ?x))'? correct the name"),
        (COMPLETE + "(<= p (true (succ 1 2)))", "did you mean '(succ 1 2)' without 'true'? correct the name"),
        (COMPLETE + "(init day) (<= p (not day))", "did you mean '(true day)'? correct the name"),
    ],
)
def test_a_mistyped_name_has_the_right_one_in_its_advice(text: str, what: str) -> None:
    assert any(what in message for message in messages(text, "error") + messages(text, "warning"))


def test_a_game_may_start_with_nothing() -> None:
    text = COMPLETE.replace("(init (cell 1 1 b))", "(<= (next (cell 1 1 b)) (does ?r ?m))")
    assert messages(text, "error") == []
    assert any("'init'" in message for message in messages(text, "warning"))


@pytest.mark.parametrize(
    ("rule", "column", "what"),
    [
        ("(succ 3)", 1, "the relation 'succ' has 1 argument here, but 2 in line 2"),
        ("(<= p (succ 1 2 3))", 7, "the relation 'succ' has 3 arguments here, but 2 in line 2"),
        ("(<= (p ?x) (succ 1 2))", 1, "variable ?x in the head of the rule '(p ?x)' is not bound"),
        ("(p ?x)", 1, "variable ?x in the head of the fact '(p ?x)' is not bound"),
        ("(<= (p ?x) (not (succ ?x 2)))", 1, "variable ?x in the head of the rule '(p ?x)' is not bound"),
        ("(<= (p ?x) (or (succ ?x 2) (succ 1 2)))", 1, "variable ?x in the head of the rule '(p ?x)' is not bound"),
        ("(<= p (distinct ?x 2))", 7, "variable ?x in '(distinct ?x 2)' is not bound"),
        ("(<= p (not (distinct ?x 2)))", 7, "variable ?x in '(not (distinct ?x 2))' is not bound"),
        ("(<= p (or (distinct ?x 2) (succ ?x 2)))", 11, "variable ?x in '(distinct ?x 2)' is not bound"),
        ("(<= p (not (succ ?x 2)) (distinct ?x 2))", 7, "variable ?x in '(not (succ ?x 2))' is not bound"),
        ("(<= p (succ ?x ?y) (not (succ ?y ?z)))", 20, "variable ?z in '(not (succ ?y ?z))' is not bound"),
        ("(<= p (not p))", 12, "negation through recursion: p -> not p"),
        ("(<= p q) (<= q (succ 1 2) (not r)) (<= r p)", 32, "negation through recursion: q -> not r -> p -> q"),
        ("(<= p (or (succ 1 2) (not (and q (succ 1 2))))) (<= q p)", 32, "negation through recursion: p -> not q -> p"),
        ("(<= (true (cell 1 1 b)) (succ 1 2))", 1, "'true' is the head of a rule"),
        ("(does white (move 1 1))", 1, "'does' is the head of a rule"),
        ("(<= (role ?r) (succ ?r 2))", 1, "a role is given by a rule"),
        ("(<= p (true (cell 1 1 b) 2))", 7, "'(true (cell 1 1 b) 2)' has 2 arguments"),
        ("(<= p (does white))", 7, "'(does white)' has 1 argument"),
        ("(goal white)", 1, "'(goal white)' has 1 argument"),
        ("(<= (init (lit ?x)) (true (cell ?x 1 b)))", 21, "'init' depends on 'true': init -> true"),
        ("(<= p (does white ?m)) (<= terminal p)", 37, "'terminal' depends on 'does': terminal -> p -> does"),
        ("(<= p (does white ?m)) (<= (goal white 0) (not p))", 48, "'goal' depends on 'does': goal -> not p -> does"),
        ("(<= (legal white stay) (does white stay))", 24, "'legal' depends on 'does': legal -> does"),
        ("(<= (sees white ?m) (does black ?m))", 1, "'(sees white ?m)' is GDL-II"),
    ],
)
def test_a_mistake_is_one_error_at_its_place(rule: str, column: int, what: str) -> None:
    found = messages(COMPLETE + rule, "error")
    assert len(found) == 1
    place, _, advice = found[0].partition(f"{what}; ")
    assert place == f"s:{LINE}:{column}: "
    assert advice


@pytest.mark.parametrize(
    ("rule", "column", "what"),
    [
        ("(<= p (suc 1 2))", 7, "'(suc 1 2)' never holds: no rule gives the relation 'suc' with 2 arguments"),
        (
            "(<= p (true (cel 1 2)))",
            7,
            "'(true (cel 1 2))' never holds: no rule gives the fluent 'cel' with 2 arguments",
        ),
        ("(<= (next (cell 1 2 b)) (does white jump))", 25, "'(does white jump)' never holds: no rule gives the move"),
        ("(<= p (true (cell 1 b)))", 7, "the function 'cell' has 2 arguments here, but 3 in line 2"),
        ("(<= p (legal red ?m))", 7, "'red' is no role; the roles are white, black; use one of them"),
        ("(goal black 101)", 1, "the goal '101' is no payoff; give an integer from 0 to 100"),
        ("(<= p (init (cell 1 1 b)))", 7, "'(init (cell 1 1 b))' is a condition"),
        ("(<= (goal black 0) (not (goal black 9)))", 25, "negation through recursion, though for other arguments"),
        ("(if (legal black stop) (true (cell 1 1 b)))", 1, "'if' is no keyword of GDL, so this is a fact about terms"),
        ("(rule open (succ 1 2))", 1, "'rule' is no keyword of GDL, so this is a fact about terms"),
        ("(base cell (x 1 2) (y 1 2)) (base on)", 1, "'(base cell (x 1 2) (y 1 2))' has 3 arguments; matches do not"),
        ("(<= (base ?f) (true ?f)) (input white)", 15, "'base' depends on 'true': base -> true; matches do not depend"),
        ("(n 1) (<= (n (s ?x)) (n ?x)) (<= (n ?x) (n (s ?x)))", 7, "this rule for '(n (s ?x))' may build ever larger"),
    ],
)
def test_an_oddity_that_plays_is_a_warning_at_its_place(rule: str, column: int, what: str) -> None:
    assert messages(COMPLETE + rule, "error") == []
    assert any(text.startswith(f"s:{LINE}:{column}: {what}") for text in messages(COMPLETE + rule, "warning"))


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (p ?x) (or (succ ?x 1) (and (succ ?x 2) (not (succ ?x ?x)))))",
        "(<= (path ?x ?y) (succ ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z) (succ ?y ?w))",
        "(<= p (not (not (and (succ ?x 2) (distinct ?x 1)))) (succ ?x 2))",
        "(<= (base (cell ?x ?y b)) (succ ?x ?y)) (<= (input ?r (move ?x ?y)) (role ?r) (succ ?x ?y))",
        "(if 1 (2 b)) (rule cell (line open)) (then (cell 1 1 b) (move 1 1))",
        "(<= (p ?x) (succ ?x ?y) (not q)) (<= q (succ 1 ?x) (not r)) (<= r (succ 2 ?x))",
    ],
)
def test_what_gdl_allows_is_no_error(rule: str) -> None:
    assert messages(COMPLETE + rule, "error") == []
    assert not any("no keyword" in message for message in messages(COMPLETE + rule, "warning"))


def test_findings_come_in_the_order_of_the_text() -> None:
    findings = check_sheet(parse_sheet("(<= p (not p))\n(goal white 500)\n(<= (q ?x) (r ?y) (distinct ?x a))"))
    places = [(finding.position.line, finding.position.column) for finding in findings]
    assert places == sorted(places)


def test_an_unplayable_sheet_is_refused_with_its_first_errors() -> None:
    with pytest.raises(RuleError) as caught:
        require_playable(parse_sheet("(p ?x) (p ?y)", "s"), most=2)
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert lines[-1] == "… and 4 more; `agent check s` lists them"


@settings(max_examples=60)
@given(random_sheets())
def test_random_valid_sheets_have_no_errors_and_restricted_recursion(text: str) -> None:
    assert messages(text, "error") == []
    assert not any("recurs" in message for message in messages(text, "warning"))


def test_a_report_counts_what_a_sheet_is_made_of() -> None:
    found = report(parse_sheet(COMPLETE))
    assert (found.counts.facts, found.counts.rules, found.counts.roles) == (6, 4, 2)
    assert found.counts.relations == 8
    assert found.counts.functions == 2
    assert found.errors == ()


@pytest.mark.peers
def test_no_sheet_that_plays_has_errors() -> None:
    sheets = sorted((corpus_folder() / "games").glob("*.kif"))
    assert len(sheets) > 100
    for path in sheets:
        assert report(read_sheet(path)).errors == (), path.name


@pytest.mark.parametrize(
    "rules",
    [
        [f"(succ {n} {n + 1}) (<= (p{n % 500} ?x) (succ ?x ?y) (true (cell ?y ?y b)))" for n in range(1, 2000)],
        [f"(<= (relation{n} ?x) (relashun{n} ?x))" for n in range(1500)],
        [f"(<= (r{n} a) (not (s{n} a))) (<= (s{n} a) (r{n} b))" for n in range(2000)],
        [f"(<= (r ?x ?y) (r ?x ?z) (r ?z ?y) (not (r {n} ?x)))" for n in range(250)],
    ],
    ids=["facts", "unknown names", "negative cycles", "rules in one cycle"],
)
def test_large_sheets_are_checked_within_seconds(rules: list[str]) -> None:
    sheet = parse_sheet(COMPLETE + "\n".join(rules))
    started = time.process_time()
    report(sheet)
    assert time.process_time() - started < 4


def test_the_role_random_may_move_by_chance_but_not_alone() -> None:
    assert messages(COMPLETE + "(role random) (legal random roll)", "error") == []
    alone = COMPLETE.replace("white", "random").replace("(role black)", "")
    assert any("'random' is alone" in message for message in messages(alone, "error"))
