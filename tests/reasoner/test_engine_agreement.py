"""Interpreter, native circuit and reference evaluator agree on random playouts of every bundled game."""

import pytest

from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.rules import read_sheet
from tests.reasoner.agreement import assert_agreement, engines_of

STEPS = {"tictactoe.ext": 9, "connectfour.ext": 12, "cubicup.ext": 20, "breakthrough.ext": 12, "othello.ext": 2}


@pytest.mark.parametrize("game", bundled())
def test_engines_agree_on_a_random_playout(game: str) -> None:
    assert assert_agreement(engines_of(read_sheet(game)), seed=1, max_steps=STEPS.get(game, 5)) > 1
