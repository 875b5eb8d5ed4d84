"""Interpreter, native circuit and reference evaluator agree on random rule sheets."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.gdl.rules import parse_sheet
from tests.gdl.random_sheets import random_sheets
from tests.reasoner.agreement import assert_agreement, engines_of


@settings(max_examples=25, derandomize=True)
@given(sheet=random_sheets(), seed=st.integers(0, 2**16))
def test_engines_agree_on_random_sheets(sheet: str, seed: int) -> None:
    assert_agreement(engines_of(parse_sheet(sheet)), seed, max_steps=6)
