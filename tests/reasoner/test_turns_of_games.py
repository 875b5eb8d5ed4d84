"""The turns of bundled games are found, and following them does not change playouts."""

import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.machine import load_machine
from tests.instruction_sets import EACH_SET
from tests.native.twin import totals


def test_the_turns_of_amazons_are_moving_and_shooting_of_either_side():
    machine = load_machine("amazons.ext")
    fluents, values = _native.turns(machine.native)
    assert len(values) == 4
    turns = [{machine.fluents[f] for f, holds in zip(fluents, turn, strict=True) if holds} for turn in values]
    control = [{name for name in turn if name.startswith(("(control", "(phase"))} for turn in turns]
    assert control == [
        {"(control white)", "(phase moving)"},
        {"(control white)", "(phase shooting)"},
        {"(control black)", "(phase moving)"},
        {"(control black)", "(phase shooting)"},
    ]


@pytest.mark.parametrize("game", ["tictactoe.ext", "breakthrough.ext", "amazons.ext", "checkers.ext", "othello.ext"])
@pytest.mark.parametrize("isa", EACH_SET)
def test_following_turns_changes_no_playout_of_a_game(game, isa):
    native = load_machine(game).native
    expected = totals(native.playouts(count=300, lanes=64, seed=1, isa=isa, follow_turns=False))
    assert totals(native.playouts(count=300, lanes=128, seed=1, isa=isa)) == expected
