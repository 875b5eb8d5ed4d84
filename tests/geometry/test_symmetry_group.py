"""A group of symmetries has those that follow from its members, and no others."""

from gdl_miner.agent.geometry import Symmetry, SymmetryGroup, find_symmetries
from gdl_miner.agent.reasoner.machine import load_machine


def named(found: tuple[Symmetry, ...], *names: str) -> list[Symmetry]:
    return [each for each in found if each.name in names]


def test_a_quarter_turn_makes_the_other_turns_and_no_reflection() -> None:
    found = find_symmetries(load_machine("tictactoe.ext"))
    group = SymmetryGroup()
    assert not any(each in group for each in found)
    for each in named(found, "board (y, -x)"):
        group.add(each)
    turns = {"board as it is", "board (y, -x)", "board (-x, -y)", "board (-y, x)"}
    assert {each.name for each in found if each in group} == turns


def test_members_together_make_what_none_makes_alone() -> None:
    found = find_symmetries(load_machine("tictactoe.ext"))
    group = SymmetryGroup()
    for each in named(found, "board (y, -x)", "board (-x, y)", "board as it is, roles exchanged, o for x"):
        group.add(each)
    assert all(each in group for each in found)
    assert len(found) == 16
