"""Tuples of cells on which a part of the rules depends."""

import itertools

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import Blocks, Rules, ValueShape, layout_for, read_shape, rule_tuples

STEPS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def carried(geometry: Geometry) -> set[frozenset[int]]:
    """Return each place of cubicup with the three that carry it, and nothing else."""
    index = geometry.point_index
    sets = ((place, *(tuple(map(sum, zip(place, step, strict=True))) for step in STEPS)) for place in index)
    return {frozenset(index[each] for each in cells) for cells in sets if all(each in index for each in cells)}


def test_in_cubicup_a_place_goes_with_the_three_that_carry_it() -> None:
    machine = load_machine("cubicup.ext")
    geometry = geometry_of(machine)
    found = rule_tuples(machine.circuit, geometry, 4)
    assert set(map(frozenset, found)) == carried(geometry)
    assert len(found) == len(carried(geometry)) == 35


def test_shorter_tuples_are_parts_of_longer_ones() -> None:
    machine = load_machine("checkers.ext")
    geometry = geometry_of(machine)
    by_length = {longest: rule_tuples(machine.circuit, geometry, longest) for longest in (2, 3, 4)}
    for longest, found in by_length.items():
        assert {len(each) for each in found} <= set(range(2, longest + 1))
        assert not any(set(one) < set(other) for one, other in itertools.permutations(found, 2))
    for shorter, longer in itertools.pairwise(by_length.values()):
        assert all(any(set(one) <= set(other) for other in longer) for one in shorter)
    jumps = {frozenset(cells) for cells in by_length[3] if len(cells) == 3}
    assert jumps
    for cells in jumps:
        places = sorted(geometry.points[list(cells)].tolist())
        assert [places[1][0] * 2, places[1][1] * 2] == [places[0][k] + places[2][k] for k in (0, 1)]


def test_tuples_of_the_rules_that_are_part_of_another_tuple_are_left_out() -> None:
    machine = load_machine("breakthrough.ext")
    pairs = rule_tuples(machine.circuit, geometry_of(machine), 4)
    assert pairs
    blocks = layout_for(machine, ValueShape((Blocks((2, 3)),)))
    assert layout_for(machine, ValueShape((Rules(4), Blocks((2, 3))))).tuples == blocks.tuples
    assert len(layout_for(machine, ValueShape((Rules(4),))).tuples) == len(pairs)


def test_a_game_whose_rules_name_no_cells_together_is_told_so() -> None:
    machine = load_machine("tictactoe.ext")
    with pytest.raises(ConfigError, match="shape 'rules 2': no part of the rules depends on 2 to 2 cells"):
        layout_for(machine, ValueShape((Rules(2),)))
    with pytest.raises(ValueError, match="shape 'rules 7': give 'line 2'"):
        read_shape("rules 7")


@pytest.mark.parametrize("game", ["hex5.ext", "hex11.ext"])
def test_gates_of_loops_depend_on_what_the_loop_depends_on(game: str) -> None:
    machine = load_machine(game)
    assert len(machine.circuit.loops), "a chain of stones is found by recursion"
    found = rule_tuples(machine.circuit, geometry_of(machine), 4)
    assert all(2 <= len(each) <= 4 for each in found)
    layout_for(machine, ValueShape("large"))
