"""The piece that counts as nothing in values."""

import pytest

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.geometry import EMPTY
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import ValueShape, layout_for


def painting(steps: int) -> str:
    """Return a game in which one of nine red cells is painted in each step, also those that are blue."""
    cells = " ".join(f"(init (cell {x} {y} red))" for x in (1, 2, 3) for y in (1, 2, 3))
    following = " ".join(f"(succ {number} {number + 1})" for number in range(steps))
    return f"""
(role a) (init (moves 0)) {cells} {following} (index 1) (index 2) (index 3)
(<= (legal a (paint ?x ?y)) (index ?x) (index ?y))
(<= (next (cell ?x ?y blue)) (does a (paint ?x ?y)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does a (paint ?u ?v)) (distinct ?x ?u))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does a (paint ?u ?v)) (distinct ?y ?v))
(<= (next (moves ?n)) (true (moves ?m)) (succ ?m ?n))
(<= terminal (true (moves {steps})))
(<= (goal a 100) (true (cell 1 1 blue))) (<= (goal a 0) (not (true (cell 1 1 blue))))
"""


@pytest.mark.parametrize(("steps", "has_blank"), [(4, True), (60, False)])
def test_a_blank_piece_is_most_common_at_the_start_and_in_matches(steps: int, has_blank: bool) -> None:
    machine = load_machine(parse_sheet(painting(steps), "painting"))
    layout = layout_for(machine, ValueShape())
    red = layout.geometry.piece_code["red"]
    assert layout.blank == (red if has_blank else EMPTY)
