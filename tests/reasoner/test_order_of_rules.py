"""The order in which rules and conditions are written does not even change the layout of the circuit."""

import dataclasses
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.gdl.rules import parse_sheet, read_text
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.prepare import in_normal_order, prepare
from tests.corpus import sheet_path
from tests.fuzz.mutation import shuffled
from tests.gdl.random_sheets import random_sheets

MEASURED = {"grounding_s", "compile_s"}


def differing(one: Circuit, other: Circuit) -> list[str]:
    names = [field.name for field in dataclasses.fields(Circuit) if field.name not in MEASURED]
    return [name for name in names if not np.array_equal(getattr(one, name), getattr(other, name))]


def assert_order_is_nothing(text: str, seed: int) -> None:
    other = shuffled(text, random.Random(seed))
    assert other != text
    assert differing(prepare(parse_sheet(text)), prepare(parse_sheet(other))) == []


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "checkers.ext"])
def test_shuffled_bundled_games_have_the_same_circuit(game: str) -> None:
    assert_order_is_nothing(read_text(game)[0], 1)


@pytest.mark.parametrize("game", ["englishDraughts", "chineseCheckers6"])
def test_shuffled_sheets_of_the_corpus_have_the_same_circuit(game: str) -> None:
    assert_order_is_nothing(sheet_path(game).read_text(), 2)


@settings(max_examples=8, derandomize=True)
@given(text=random_sheets(), seed=st.integers(0, 2**16))
def test_shuffled_random_sheets_have_the_same_circuit(text: str, seed: int) -> None:
    assert_order_is_nothing(text, seed)


def test_the_normal_order_is_the_same_for_all_orders_and_keeps_the_digest() -> None:
    text = read_text("othello.ext")[0]
    sheets = [parse_sheet(text), *(parse_sheet(shuffled(text, random.Random(seed))) for seed in range(3))]
    ordered = [in_normal_order(sheet) for sheet in sheets]
    assert all(sheet.rules == ordered[0].rules for sheet in ordered)
    assert {sheet.digest for sheet in sheets} == {ordered[0].digest}


def test_rules_in_normal_order_keep_the_places_where_they_were_written() -> None:
    sheet = parse_sheet("(role a)\n(q 2)\n(<= (p ?x)\n   (q ?x))\n(<= (p ?y) (q ?y))\n(q 1)", "here")
    found = {str(rule.head): rule.position.line for rule in in_normal_order(sheet).rules}
    assert sorted(found.values()) == [1, 2, 3, 6]
