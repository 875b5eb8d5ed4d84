"""Tuples of cells that the goals of a game name together."""

from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.geometry import Points, geometry_of
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import Goals, Lines, ValueShape, goal_tuples, layout_for


def _goals(machine: Machine) -> set[Points]:
    return set(goal_tuples(machine.circuit, geometry_of(machine), 6))


@pytest.mark.parametrize(
    ("game", "lines"), [("tictactoe.ext", Lines(3)), ("tictactoe5.ext", Lines(5)), ("connectfour.ext", Lines(4))]
)
def test_games_of_lines_have_the_lines_that_win(game: str, lines: Lines) -> None:
    machine = load_machine(game)
    expected = {tuple(sorted(points)) for points in lines.on(geometry_of(machine))}
    assert _goals(machine) == expected


@pytest.mark.parametrize("game", ["breakthrough.ext", "othello.ext", "amazons.ext"])
def test_games_without_such_goals_have_none(game: str) -> None:
    machine = load_machine(game)
    assert not _goals(machine)
    with pytest.raises(ConfigError, match="shape 'goals': the goals name no 2 to 6 cells of a board together"):
        layout_for(machine, ValueShape((Goals(),)))


def test_facts_that_must_not_hold_and_facts_apart_from_the_board_are_no_cells(tmp_path: Path) -> None:
    sheet = tmp_path / "corners.kif"
    sheet.write_text(
        """
        (role one) (role other) (index 1) (index 2) (succ 1 2)
        (boarddimnum 2) (boardboundaries 1 2) (boardfunctor cell) (boardpattern dim dim piece)
        (boardpieces stone) (playfunctor put) (playpattern dim dim) (init (left 3)) (succ 2 3)
        (<= (legal one (put ?x ?y)) (index ?x) (index ?y))
        (legal other noop)
        (<= (next (cell ?x ?y stone)) (does one (put ?x ?y)))
        (<= (next (cell ?x ?y stone)) (true (cell ?x ?y stone)))
        (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
        (<= terminal (true (left 1)))
        (<= (goal one 100) (true (cell 1 1 stone)) (true (cell 2 2 stone)) (not (true (cell 1 2 stone))))
        (<= (goal one 0) (true (cell 1 2 stone)) (true (left 1)))
        (goal other 50)
        """
    )
    machine = load_machine(sheet)
    geometry = geometry_of(machine)
    assert _goals(machine) == {tuple(sorted(geometry.point_index[cell] for cell in ((1, 1), (2, 2))))}
