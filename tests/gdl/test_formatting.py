from hypothesis import given, settings

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.formatting import format_sheet
from gdl_miner.agent.gdl.rules import parse_sheet
from tests.gdl.random_sheets import random_sheets


def test_bundled_sheets_keep_their_meaning_and_formatting_again_changes_nothing() -> None:
    for path in bundled().values():
        text = path.read_text()
        formatted = format_sheet(text)
        assert format_sheet(formatted) == formatted
        assert parse_sheet(formatted).digest == parse_sheet(text).digest
        assert formatted.count(";") == text.count(";")


@settings(max_examples=20, derandomize=True)
@given(sheet=random_sheets())
def test_formatting_keeps_the_digest(sheet: str) -> None:
    assert parse_sheet(format_sheet(sheet)).digest == parse_sheet(sheet).digest


def test_comments_keep_their_place() -> None:
    assert format_sheet("(<= (a ?x) ; why\n; own\n (b ?x)) ; after") == (
        "(<= (a ?x)                              ; why\n    ; own\n    (b ?x))                             ; after\n"
    )
