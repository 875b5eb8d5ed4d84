import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import RuleSheet, parse_sheet, read_sheet
from gdl_miner.agent.gdl.formula import CONNECTIVES
from gdl_miner.agent.gdl.keywords import KEYWORDS
from gdl_miner.agent.gdl.renaming import find_renaming, form_digest
from tests.corpus import corpus_folder

PAYOFFS = {"0", "50", "100"}

COIN = """
(role heads) (role tails)
(init (toss 1)) (succ 1 2) (succ 2 3)
(<= (legal ?r (call ?s)) (role ?r) (side ?s)) (side up) (side down)
(<= (next (toss ?n)) (true (toss ?m)) (succ ?m ?n))
(<= terminal (true (toss 3)))
(<= (goal ?r 100) (role ?r))
"""


def scrambled(sheet_text: str, seed: int, *, integers: bool) -> str:
    """Return the sheet with all words and variables replaced, except GDL's own words, payoffs and perhaps integers."""
    chooser = random.Random(seed)
    words: dict[str, str] = {}

    def word(match: re.Match[str]) -> str:
        old = match.group().lower()
        if old in KEYWORDS or old in CONNECTIVES or old in PAYOFFS or (old.isdecimal() and not integers):
            return old
        if old not in words:
            words[old] = f"{'?' if old[0] == '?' else ''}w{chooser.randrange(10**12)}"
        return words[old]

    plain = "\n".join(line.split(";")[0] for line in sheet_text.splitlines())
    return re.sub(r"[^\s()]+", word, plain)


def text_of(sheet: RuleSheet) -> str:
    return Path(sheet.source).read_text("utf-8")


@pytest.mark.parametrize("integers", [False, True])
@pytest.mark.parametrize("name", bundled())
def test_a_bundled_game_is_found_when_every_word_is_replaced(name: str, integers: bool) -> None:
    ours = read_sheet(name)
    theirs = parse_sheet(scrambled(text_of(ours), 5, integers=integers))
    renaming = find_renaming(theirs, ours)
    assert renaming is not None
    assert [renaming.there(role) for role in theirs.roles] == list(ours.roles)
    assert all(renaming.back(renaming.there(word)) == word for word in renaming.forward)


@pytest.mark.peers
def test_corpus_games_are_found_when_every_word_is_replaced_and_no_others() -> None:
    names = ["chess_200", "skirmish", "blocker", "connectFour", "ticTacToe", "nineBoardTicTacToe", "amazons", "pentago"]
    paths = [path for path in sorted((corpus_folder() / "games").glob("*.kif")) if path.stem in names]
    sheets = [read_sheet(path) for path in paths]
    for ours in sheets:
        theirs = parse_sheet(scrambled(text_of(ours), 9, integers=False))
        found = [other.name for other in sheets if find_renaming(theirs, other) is not None]
        assert found == [ours.name]


@given(order=st.permutations(range(len(parse_sheet(COIN).rules))), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_order_of_rules_does_not_matter(order: list[int], seed: int) -> None:
    lines = re.findall(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", scrambled(COIN, seed, integers=True))
    roles = [line for line in lines if line.startswith("(role")]
    others = [lines[number] for number in order if not lines[number].startswith("(role")]
    theirs, ours = parse_sheet("\n".join(roles + others)), parse_sheet(COIN)
    assert len(theirs.rules) == len(ours.rules)
    assert form_digest(theirs) == form_digest(ours)
    assert find_renaming(theirs, ours) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(succ 2 3)", "(succ 3 2)"),
        ("(true (toss 3))", "(true (toss 2))"),
        ("(goal ?r 100)", "(goal ?r 50)"),
        ("(role heads) (role tails)", "(role heads)"),
        ("(side down)", "(side up2) (side down)"),
        ("(<= (goal ?r 100) (role ?r))", "(goal heads 100) (goal tails 100)"),
    ],
)
def test_a_game_that_differs_is_not_taken_for_the_same(old: str, new: str) -> None:
    assert find_renaming(parse_sheet(COIN.replace(old, new)), parse_sheet(COIN)) is None


def test_the_order_of_roles_is_kept() -> None:
    lopsided = (
        "(role a) (role b) (init p) (legal a x) (legal b x) (legal b y) (terminal) (goal a 0) (goal b 100) (next p)"
    )
    swapped = lopsided.replace("(role a) (role b)", "(role b) (role a)")
    assert find_renaming(parse_sheet(lopsided), parse_sheet(lopsided)) is not None
    assert find_renaming(parse_sheet(swapped), parse_sheet(lopsided)) is None


def test_what_no_rule_depends_on_does_not_matter() -> None:
    more = COIN + "(boarddimnum 2) (hello world) (base (toss 1)) (input heads (call up))"
    renaming = find_renaming(parse_sheet(scrambled(more, 3, integers=False)), parse_sheet(COIN))
    assert renaming is not None
    assert renaming.there("(unknown toss)") == "(unknown toss)"


def test_alike_classes_are_told_apart_by_trying() -> None:
    """Colours alone cannot tell two triangles from one hexagon."""

    def ring(*edges: tuple[int, int]) -> str:
        return " ".join(f"(edge n{a} n{b}) (edge n{b} n{a})" for a, b in edges)

    rest = "(role r) (init p) (<= (legal r (go ?x)) (edge ?x ?y)) (next p) (terminal) (goal r 100) "
    triangles = rest + ring((1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4))
    hexagon = rest + ring((1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1))
    assert form_digest(parse_sheet(triangles)) == form_digest(parse_sheet(hexagon))
    assert find_renaming(parse_sheet(triangles), parse_sheet(hexagon)) is None
    assert find_renaming(parse_sheet(scrambled(hexagon, 1, integers=True)), parse_sheet(hexagon)) is not None
