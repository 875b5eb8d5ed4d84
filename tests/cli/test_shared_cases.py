"""Rule sheets that showed a fault, each with what is right, kept outside of the repository."""

from pathlib import Path

from tests.command_line import agent
from tests.corpus import case_sheet


def checked(path: Path, *options: str) -> str:
    return agent("check", path, *options).stdout


def test_two_goals_at_once_are_told_with_the_moves_that_lead_there() -> None:
    found = checked(case_sheet("two_goals", "two_goals"))
    assert "the match is over after (take) (take), and a has the goals 30 and 80 at once; give it exactly one" in found


def test_matches_that_do_not_end_are_told() -> None:
    sheet = case_sheet("rarely_ends", "rare")
    assert "7:1: none of 10 random matches ended within 2,000 moves, so searches by playouts learn" in checked(sheet)
    shown = agent("bench", "--game", sheet, "--seconds", "0.05").stdout
    assert "no match ended in this time, so searches by playouts learn nothing; agent check" in shown


def test_a_wide_base_leaves_the_circuit_alone() -> None:
    shown = agent("bench", "--game", case_sheet("wide_base", "wide_base"), "--seconds", "0.05", "--budget", "20").stdout
    assert "engine       circuit" in shown


def test_plain_transitive_closure_is_no_oddity() -> None:
    assert "warning" not in checked(case_sheet("closure_warning", "closure"), "--playouts", "5")


def test_a_mistyped_arrow_is_an_error_with_its_cure() -> None:
    error = str(agent("check", case_sheet("wrong_arrow", "arrow")).exception)
    assert "'=>' is no arrow of a rule; begin the rule with the arrow: (<= head condition" in error
