"""The tuples that suit a game without being named."""

from pathlib import Path
from typing import get_args

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import ShapeChoice, ValueLayout, ValueShape, layout_for, network_shape, read_shape
from gdl_miner.agent.values.random_play import reach_of_moves
from tests.search.positions import machine_of


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    """Forget the layouts that were made with other limits."""
    layout_for.cache_clear()


def _layout(machine: Machine, *shapes: str) -> ValueLayout:
    return layout_for(machine, ValueShape(tuple(map(read_shape, shapes))))


def _chosen(machine: Machine, choice: ShapeChoice = "auto") -> ValueLayout:
    return layout_for(machine, ValueShape(choice))


@pytest.mark.parametrize(
    ("game", "shapes"),
    [
        ("tictactoe.ext", ("goals anywhere", "block 2x3 anywhere")),
        ("gomoku.ext", ("goals anywhere", "block 2x3 anywhere")),
        ("cubicup.ext", ("goals anywhere",)),  # no block fits its board
        ("breakthrough.ext", ("line 2", "line 3", "block 2x3 anywhere")),
        ("checkers.ext", ("line 2 anywhere", "line 3 anywhere")),
    ],
)
def test_a_usual_network_has_tuples_that_suit_the_goals_and_the_board(game: str, shapes: tuple[str, ...]) -> None:
    machine = load_machine(game)
    assert _chosen(machine).tuples == _layout(machine, *shapes).tuples


@pytest.mark.parametrize(
    ("game", "shapes"),
    [
        ("tictactoe.ext", ("block 2x3", "goals", "walks 70x8")),
        ("breakthrough.ext", ("block 2x3",)),
        ("othello.ext", ("block 2x3", "line 4", "line 5", "line 6")),
        ("cubicup.ext", ("line 2", "line 3", "goals", "rules 4")),  # no block fits its board
        ("checkers.ext", ("line 2", "line 3", "rules 4", "walks 40x6")),
    ],
)
def test_a_large_network_has_tuples_that_suit_the_goals_and_the_moves(game: str, shapes: tuple[str, ...]) -> None:
    machine = load_machine(game)
    assert _chosen(machine, "large").tuples == _layout(machine, *shapes).tuples


def test_blocks_and_walks_leave_out_cells_whose_contents_never_change(tmp_path: Path) -> None:
    sheet = tmp_path / "ring.kif"
    sheet.write_text(
        """
        (role one) (role other) (init (control one)) (init (cell 2 2 wall))
        (boarddimnum 2) (boardboundaries 1 3) (boardfunctor cell) (boardpattern dim dim piece)
        (playfunctor put) (playpattern dim dim)
        (open 1 1) (open 1 2) (open 1 3) (open 2 1) (open 2 3) (open 3 1) (open 3 2) (open 3 3)
        (opponent one other) (opponent other one)
        (<= (legal ?p (put ?x ?y)) (true (control ?p)) (open ?x ?y) (not (full ?x ?y)))
        (<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
        (<= (full ?x ?y) (true (cell ?x ?y ?piece)))
        (<= (next (cell ?x ?y ?p)) (does ?p (put ?x ?y)))
        (<= (next (cell ?x ?y ?piece)) (true (cell ?x ?y ?piece)))
        (<= (next (control ?q)) (opponent ?p ?q) (true (control ?p)))
        (<= terminal (true (cell 1 1 ?p)) (true (cell 3 3 ?q)))
        (<= (goal ?p 100) (true (cell 3 3 ?p)))
        (<= (goal ?p 0) (role ?p) (not (true (cell 3 3 ?p))))
        """
    )
    machine = load_machine(sheet)
    wall = geometry_of(machine).point_index[2, 2]
    assert {wall in each.points for each in _layout(machine, "line 3").tuples} == {False, True}
    assert {wall in each.points for each in _layout(machine, "walks 40x6").tuples} == {False}
    with pytest.raises(ConfigError, match="shape 'block 2x3': no such cells are on the board"):
        _layout(machine, "block 2x3")
    usual = ("line 2", "line 3", "goals", "rules 4")
    assert _chosen(machine, "large").tuples == _layout(machine, *usual, "walks 40x6").tuples


@pytest.mark.parametrize("choice", get_args(ShapeChoice))
def test_a_chosen_layout_is_made_once(choice: ShapeChoice) -> None:
    machine = load_machine("tictactoe.ext")
    assert _chosen(machine, choice) is _chosen(machine, choice)


def test_a_large_network_that_is_too_large_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("breakthrough.ext")
    usual = _chosen(machine)
    assert any(each.anywhere for each in usual.tuples)
    monkeypatch.setitem(network_shape._MOST_WEIGHTS, "large", usual.n_weights)
    large = _chosen(machine, "large")
    assert large.tuples == usual.tuples


def test_long_lines_are_left_where_they_have_too_many_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("othello.ext")
    monkeypatch.setitem(network_shape._MOST_WEIGHTS, "large", _chosen(machine, "large").n_weights - 1)
    layout_for.cache_clear()
    assert _chosen(machine, "large").tuples == _layout(machine, "block 2x3").tuples


@pytest.mark.parametrize(("game", "reach"), [("connectfour.ext", 0), ("breakthrough.ext", 1), ("othello.ext", 6)])
def test_the_reach_of_moves_is_the_distance_of_cells_that_one_of_them_changes(game: str, reach: int) -> None:
    assert reach_of_moves(load_machine(game)) == reach


def test_lines_of_two_cells_are_left_where_longer_ones_have_too_many_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_machine("hex5.ext")
    most = _layout(machine, "line 2").n_weights
    monkeypatch.setitem(network_shape._MOST_WEIGHTS, "auto", most)
    assert _chosen(machine).tuples == _layout(machine, "line 2").tuples
    layout_for.cache_clear()
    monkeypatch.setitem(network_shape._MOST_WEIGHTS, "auto", most - 1)
    assert _chosen(machine).tuples == _layout(machine).tuples


@pytest.mark.parametrize("choice", get_args(ShapeChoice))
def test_a_game_without_a_board_has_pairs_of_facts(choice: ShapeChoice) -> None:
    machine = machine_of("pennies")
    layout = _chosen(machine, choice)
    assert layout.groups
    assert not layout.tuples
    assert reach_of_moves(machine) == 0
