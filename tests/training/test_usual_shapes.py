"""The tuples that suit a game without being named."""

from pathlib import Path

import pytest

from agent.reasoner.machine import Machine, load_machine
from agent.training import ValueShape, layout_for
from agent.training import layout as layout_module
from agent.values import ValueLayout


def _layout(machine: Machine, *shapes: str, usual: bool = False) -> ValueLayout:
    return layout_for(machine, ValueShape(None if usual else shapes))


def test_a_board_has_lines_of_two_and_three_cells() -> None:
    machine = load_machine("tictactoe.ext")
    assert _layout(machine, usual=True).tuples == _layout(machine, "line 2", "line 3").tuples


def test_lines_of_two_cells_are_left_where_longer_ones_have_too_many_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("tictactoe.ext")
    most = _layout(machine, "line 2").n_weights
    monkeypatch.setattr(layout_module, "_MOST_USUAL_WEIGHTS", most)
    assert _layout(machine, usual=True).tuples == _layout(machine, "line 2").tuples
    monkeypatch.setattr(layout_module, "_MOST_USUAL_WEIGHTS", most - 1)
    assert _layout(machine, usual=True).tuples == _layout(machine).tuples


def test_a_game_without_a_board_has_pairs_of_facts(tmp_path: Path) -> None:
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
    layout = _layout(load_machine(sheet), usual=True)
    assert layout.groups
    assert not layout.tuples
