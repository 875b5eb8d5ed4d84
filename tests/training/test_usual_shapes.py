"""The tuples that suit a game without being named."""

from pathlib import Path
from typing import get_args

import pytest

from agent.reasoner.machine import Machine, load_machine
from agent.training import ShapeChoice, ValueShape, layout_for
from agent.training import layout as layout_module
from agent.values import ValueLayout


def _layout(machine: Machine, *shapes: str) -> ValueLayout:
    return layout_for(machine, ValueShape(shapes))


def _chosen(machine: Machine, choice: ShapeChoice = "auto") -> ValueLayout:
    return layout_for(machine, ValueShape(choice))


def test_a_board_has_lines_of_two_and_three_cells() -> None:
    machine = load_machine("tictactoe.ext")
    assert _chosen(machine).tuples == _layout(machine, "line 2", "line 3").tuples


def test_a_large_network_has_blocks_long_lines_and_cells_that_goals_name_where_there_are_any() -> None:
    small, large = load_machine("tictactoe.ext"), load_machine("breakthrough.ext")
    assert _chosen(small, "large").tuples == _layout(small, "block 2x3", "goals").tuples
    expected = _layout(large, "block 2x3", "line 4", "line 5", "line 6")
    assert _chosen(large, "large").tuples == expected.tuples


def test_lines_of_two_cells_are_left_where_longer_ones_have_too_many_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("tictactoe.ext")
    most = _layout(machine, "line 2").n_weights
    shapes, _ = layout_module._CHOICES["auto"]
    monkeypatch.setitem(layout_module._CHOICES, "auto", (shapes, most))
    assert _chosen(machine).tuples == _layout(machine, "line 2").tuples
    monkeypatch.setitem(layout_module._CHOICES, "auto", (shapes, most - 1))
    assert _chosen(machine).tuples == _layout(machine).tuples


@pytest.mark.parametrize("choice", get_args(ShapeChoice))
def test_a_game_without_a_board_has_pairs_of_facts(choice: ShapeChoice, tmp_path: Path) -> None:
    sheet = tmp_path / "switches.kif"
    sheet.write_text(
        """
        (role one) (switch a) (switch b)
        (init (left 3))
        (succ 1 0) (succ 2 1) (succ 3 2)
        (<= (legal one (press ?x)) (switch ?x))
        (<= (next (on ?x)) (does one (press ?x)))
        (<= (next (left ?m)) (true (left ?n)) (succ ?n ?m))
        (<= terminal (true (left 0)))
        (<= (goal one 100) (true (on a)))
        (<= (goal one 0) (not (true (on a))))
        """
    )
    layout = _chosen(load_machine(sheet), choice)
    assert layout.groups
    assert not layout.tuples
