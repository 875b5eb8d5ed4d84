import json
from pathlib import Path

import pytest
from typer.testing import Result

from tests.cli.conftest import Refusal
from tests.command_line import agent

SOUND = """
(role White) (init (heap 1 full)) (<= (legal ?r take) (role ?r)) (<= (next (heap 1 empty)) (does ?_r take))
(<= terminal (true (heap 1 empty))) (goal white 100)
(boardboundaries 1 2) (boardfunctor heap) (boardpattern dim piece) (playfunctor take) (playpattern)
"""


def check(path: Path, text: str, *options: str) -> Result:
    sheet = path / "heap.kif"
    sheet.write_text(text)
    return agent("check", sheet, *options)


def test_a_sound_sheet_exits_with_0_and_is_described(tmp_path: Path) -> None:
    result = check(tmp_path, SOUND.split("(boardb")[0])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "heap: 3 rules, 3 facts, 6 relations, 1 function; roles White",
        "board: none described; found none: the rules show no board",
        "mGDL: conforming",
        "verdict: sound",
    ]


def test_errors_exit_with_1_and_stand_at_their_place(tmp_path: Path) -> None:
    result = check(tmp_path, SOUND)
    assert result.exit_code == 1
    assert f"error: {tmp_path}/heap.kif:4:87: 'playpattern' has 0 'dim' on a 1-dimensional board; mark" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("verdict: not playable: 1 error")


UNTIDY = """
(role a) (<= (base (n ?x)) (foo ?y)) (base (m ?z)) (base (l ?z ?w)) (foo 1) (init (start)) (init (cel 1))
(legal a go) (<= terminal (not (true start))) (<= (goal a 100) (true (cell 1))) (<= (goal a 50) (not (true (cell 1))))
"""


def test_a_cause_has_one_message_and_hints_are_counted(tmp_path: Path) -> None:
    place = f"{tmp_path}/heap.kif"
    found = check(tmp_path, UNTIDY).stdout.splitlines()
    assert [line for line in found if not line.startswith(("heap", "board", "mGDL"))] == [
        f"warning: {place}:1:1: the sheet has no rule or fact for 'next'; add one, such as "
        "(<= (next (control white)) (true (control black)))",
        f"warning: {place}:2:10: the variables of this rule for 'base', and those of 2 more are not bound; "
        "matches do not depend on 'base', so you may leave it out",
        f"warning: {place}:3:64: '(true (cell 1))' never holds: no rule gives the fluent 'cell' with 1 argument, for "
        "which 1 more condition asks; did you mean 'cel'? correct the name or the arguments, or add what is missing",
        "verdict: playable, 3 warnings, 1 hint (--hints shows them)",
    ]
    shown = check(tmp_path, UNTIDY, "--hints").stdout.splitlines()
    assert shown[:3] == found[:3]
    assert shown[3].startswith(f"hint: {place}:2:10: variable")
    assert shown[-1] == "verdict: playable, 3 warnings, 1 hint"


def test_a_warning_about_a_fact_explains_nothing_about_the_rule_before_it(tmp_path: Path) -> None:
    text = f"{SOUND.split('(boardb')[0]} (q c) (<= (goal White 0) (q b))\n(goal White 101)"
    shown = check(tmp_path, text, "--playouts", "0")
    assert "4:8: this rule for 'goal' can never fire" in shown.stdout
    assert "5:1: the goal '101' is no payoff" in shown.stdout


def test_a_missing_relation_has_one_message_however_many_rules_ask_for_it(tmp_path: Path) -> None:
    rules = "(<= (goal White 10) (heap 1 full)) (<= (goal White 20) (heap 1 empty)) (<= p (not (heap 2 b)))"
    shown = check(tmp_path, SOUND.split("(boardb")[0] + rules, "--playouts", "0").stdout.splitlines()
    (warning,) = (line for line in shown if line.startswith("warning"))
    assert "with 2 arguments, for which 2 more conditions ask; did you mean '(true (heap 1 full))'? correct" in warning


def test_json_tells_the_same_as_the_text(tmp_path: Path) -> None:
    result = check(tmp_path, SOUND, "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert not found["sound"]
    assert found["roles"] == ["White"]
    assert [(item["severity"], item["line"]) for item in found["findings"]] == [("error", 4)]
    assert found["mgdl"] == {"conforming": True, "places": []}
    assert found["counts"]["rules"] == 3


@pytest.mark.parametrize("text", ["(role", "(role \x00)", ")"])
def test_an_unreadable_sheet_is_one_line_and_exits_with_2(tmp_path: Path, text: str, refusal: Refusal) -> None:
    sheet = tmp_path / "bad.kif"
    sheet.write_text(text)
    error = refusal("agent", "check", sheet)
    assert error.startswith(f"error: {sheet}:1:")
    assert error.count("\n") == 1


COUNTDOWN = """(role a) (init (left 2)) (less 2 1) (less 1 0) (legal a take)
(<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
(<= terminal (true (left 0)))
(goal a 30)
"""


def test_two_goals_at_once_are_told_with_the_moves_that_lead_there(tmp_path: Path) -> None:
    found = check(tmp_path, f"{COUNTDOWN} (<= (goal a 80) (true (left 0)))").stdout
    assert "the match is over after 2 moves, and a has the goals 30 and 80 at once; give it exactly one there" in found
    assert f"; `agent show {tmp_path}/heap.kif --moves '(take) (take)'` draws it\n" in found
    assert "(left 0)" in agent("show", tmp_path / "heap.kif", "--moves", "(take) (take)").stdout


def test_roles_that_lack_the_same_after_the_same_moves_share_a_message(tmp_path: Path) -> None:
    rules = "(role A) (role b) (role c) (legal A go) (legal b go) (legal c go) (<= (next end) (does b go))"
    shown = check(tmp_path, f"{rules} (<= terminal (true end)) (goal c 0) (goal c 20)", "--playouts", "2").stdout
    assert "1:1: the match is over after 1 move, and A and b have no goal; give each of them" in shown
    assert "1:19: the match is over after 1 move, and c has the goals 0 and 20 at once; give it" in shown


def test_matches_that_do_not_end_are_told(tmp_path: Path) -> None:
    steps = " ".join(f"(up {number} {number + 1})" for number in range(40))
    rules = f"(role w) {steps} (init (at 0)) (legal w climb) (legal w fall)\n(<= terminal (true (at 40)))"
    rules += "\n(<= (next (at ?y)) (does w climb) (true (at ?x)) (up ?x ?y)) (<= (next (at 0)) (does w fall))"
    shown = check(tmp_path, f"{rules} (goal w 100)").stdout
    assert "2:1: none of 10 random matches ended within 2,000 moves, so searches by playouts learn" in shown
    shown = agent("bench", "--game", tmp_path / "heap.kif", "--seconds", "0.05").stdout
    assert "no match ended in this time, so searches by playouts learn nothing; agent check" in shown


PINCH = """(role black) (role white) (other black white) (other white black) (up 1 2) (up 2 3)
(init (at black 1)) (init (at white 1)) (init (control black))
(<= (legal ?r up) (true (control ?r)) (true (at ?r ?x)) (up ?x ?y))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (at ?r ?y)) (does ?r up) (true (at ?r ?x)) (up ?x ?y))
(<= (next (at ?r ?x)) (does ?r wait) (true (at ?r ?x)))
(<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
(<= (top ?r) (true (at ?r 3)))
(<= terminal (top ?r))
(<= (goal ?r 100) (top ?r))
(<= (goal ?r 0) (role ?r) (not (top ?r)))
"""


def warnings(path: Path, text: str) -> list[str]:
    """Return the warnings of a sheet from their lines on."""
    shown = check(path, text).stdout
    return [line.partition("heap.kif:")[2] for line in shown.splitlines() if line.startswith("warning")]


def test_rules_that_wait_for_a_dead_one_stand_in_its_message(tmp_path: Path) -> None:
    assert warnings(
        tmp_path,
        PINCH.replace("(true (at ?r ?x)) (up ?x ?y))\n(<= (legal ?r wait)", "(true (at ?r x)))\n(<= (legal ?r wait)"),
    ) == [
        "1:1: black has no legal move at the start; give it one, such as noop, or end the match there",
        "3:1: this rule for 'legal' can never fire, because '(true (at ?r x))' never holds; "
        "the rules in lines 5, 8, 9, 10 depend on it; correct this condition, or add what gives it",
    ]


def test_rules_that_wait_for_each_other_share_a_message_at_the_first(tmp_path: Path) -> None:
    loop = "(<= (p ?x) (q ?x))\n(<= (q ?x) (p ?x))\n(<= (goal ?r 50) (p ?x) (role ?r))\n"
    assert warnings(tmp_path, PINCH + loop)[-1:] == [
        "12:1: this rule for 'p' can never fire, because '(q ?x)' never holds; the rules in lines 13, 14 depend on it; "
        "correct this condition, or add what gives it"
    ]


def test_conditions_that_hold_but_never_together_are_told_so(tmp_path: Path) -> None:
    found = warnings(tmp_path, PINCH + "(<= (goal ?r 20) (up ?x 3) (up ?x 2) (role ?r))")
    assert found[-1] == (
        "12:1: this rule for 'goal' can never fire, because its conditions never hold together; correct or remove it"
    )


def test_what_waits_for_a_name_that_nothing_gives_is_not_told_again(tmp_path: Path) -> None:
    found = warnings(
        tmp_path, PINCH.replace("(true (control ?r)) (true (at ?r ?x))", "(true (contrl ?r)) (true (at ?r ?x))")
    )
    assert [line.partition(" ")[0] for line in found] == ["1:1:", "3:19:"]
    assert "did you mean 'control'" in found[1]


def test_a_match_that_is_over_at_the_start_is_told(tmp_path: Path) -> None:
    (found,) = warnings(tmp_path, PINCH.replace("(top ?r))\n(<= (goal ?r 100)", "(role ?r))\n(<= (goal ?r 100)"))
    assert found.startswith("9:1: the match is over at the start, so nobody makes a move; correct the rules for 'term")


def test_matches_that_all_have_the_same_result_are_told(tmp_path: Path) -> None:
    (found,) = warnings(tmp_path, PINCH)
    assert found.startswith(
        "10:1: all 100 random matches ended with the same goals (black 100, white 0), so searches by"
    )
    assert warnings(tmp_path, PINCH + "(<= (legal ?r rest) (true (control ?r)))") == []


@pytest.mark.parametrize("slip", ["withe", "whit", "whitee", "wjite", "whyte", "hite"])
def test_a_mistyped_role_among_arguments_is_told(tmp_path: Path, slip: str) -> None:
    found = warnings(tmp_path, PINCH.replace("(init (at white", f"(init (at {slip}"))
    assert f"2:21: '{slip}' occurs nowhere else; did you mean the role 'white'? correct the name" in found
    twice = warnings(tmp_path, PINCH.replace("(init (at white", f"(piece {slip}) (init (at {slip}"))
    assert not any("nowhere else" in line for line in twice)


@pytest.mark.parametrize("word", ["wire", "black1", "whi", "blue", "whtie1"])
def test_other_words_are_no_mistyped_roles(tmp_path: Path, word: str) -> None:
    assert not any("nowhere else" in line for line in warnings(tmp_path, f"{PINCH} (init (at {word} 1))"))


def test_moves_and_inequalities_among_conditions_are_understood(tmp_path: Path) -> None:
    found = "\n".join(warnings(tmp_path, PINCH + "(<= (goal ?r 1) (role ?r) (up ?x ?y) (!= ?x ?y) (up))"))
    assert "did you mean '(distinct ?x ?y)'?" in found
    mine = PINCH.replace("(does ?r up)", "(role ?r) (up)").replace("(up 1 2) (up 2 3)", "(over 1 2) (over 2 3)")
    assert "did you mean '(does ?role up)'?" in "\n".join(
        warnings(tmp_path, mine.replace("(up ?x ?y)", "(over ?x ?y)"))
    )


def test_a_wide_base_leaves_the_circuit_alone(tmp_path: Path) -> None:
    digits = " ".join(f"(digit {number})" for number in range(10))
    ranges = " ".join(f"(digit ?{letter})" for letter in "abcdefgh")
    sheet = tmp_path / "wide.kif"
    sheet.write_text(f"{COUNTDOWN} {digits} (<= (base (big ?a ?b ?c ?d ?e ?f ?g ?h)) {ranges})")
    shown = agent("bench", "--game", sheet, "--seconds", "0.05", "--budget", "20").stdout
    assert "engine       circuit" in shown


def test_plain_transitive_closure_is_no_oddity(tmp_path: Path) -> None:
    closure = "(<= (below ?x ?y) (less ?x ?y)) (<= (below ?x ?z) (below ?x ?y) (below ?y ?z))"
    rules = f"{COUNTDOWN} {closure} (<= (next (small ?x)) (below 2 ?x))"
    assert "warning" not in check(tmp_path, rules, "--playouts", "5").stdout


def test_a_mistyped_arrow_is_an_error_with_its_cure(tmp_path: Path) -> None:
    error = str(check(tmp_path, f"{COUNTDOWN} (=> terminal (true (left 1)))").exception)
    assert "5:3: '=>' is no arrow of a rule; begin the rule with the arrow: (<= head condition" in error


def test_a_sheet_that_takes_too_long_to_read_ends_within_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("gdl_miner.agent.reasoner.budget.time.perf_counter", lambda: float(next(clock)))
    result = check(tmp_path, COUNTDOWN + "(fact 1)\n" * 5000, "--budget", "4")
    assert "heap.kif: reading did not end within the budget of 4 s; give it more time" in str(result.exception)
    assert "reading heap.kif: " in result.stderr
