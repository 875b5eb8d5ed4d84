"""Values are described as people read them: boards filled by symmetry, and the strongest weights first."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gdl_miner.agent.geometry import geometry_of
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import (
    DescribedPart,
    TupleWeights,
    ValuePart,
    Values,
    compile_values,
    describe_values,
    part_in_words,
    sharing_in_words,
    symmetry_in_words,
    values_in_words,
)

MIRROR, EXCHANGE = "board (-x, y)", "board as it is, roles exchanged, o for x"
PAIR = TupleWeights(((1, 1), (1, 2)), {("x", "."): 0.53, ("o", "x"): -1.25, ("x", "x"): 0.0})
FACTS = {"(cell 1 1 x)": 0.5, "(cell 2 2 x)": -0.25, "(control o)": 0.1}


@pytest.fixture(scope="module")
def machine() -> Machine:
    return load_machine("tictactoe.ext")


def values(**changes: Any) -> Values:
    part = ValuePart(turn=0, stage=0, role=0, facts=FACTS, tuples=(PAIR,))
    given = Values(symmetries=(MIRROR, EXCHANGE), constant_sum=True, blank="", stages=(), parts=(part,))
    return replace(given, **changes)


def only_part(machine: Machine, **changes: object) -> DescribedPart:
    [part] = describe_values(values(**changes), machine).parts
    return part


def test_a_board_is_filled_from_images(machine: Machine) -> None:
    boards = only_part(machine).boards
    assert list(boards) == ["x"]  # no o has a weight
    drawn = dict(zip(map(tuple, geometry_of(machine).points.tolist()), boards["x"], strict=True))
    assert {point: pytest.approx(weight) for point, weight in drawn.items() if not np.isnan(weight)} == {
        (1, 1): 0.5,
        (3, 1): 0.5,
        (2, 2): -0.25,
    }


def test_facts_that_are_not_on_the_board_stand_apart(machine: Machine) -> None:
    [fact] = only_part(machine).facts
    assert (fact.fact, fact.weight, fact.places) == ("(control o)", pytest.approx(0.1), 1)


def test_tuples_come_strongest_first_and_without_zeros(machine: Machine) -> None:
    part = only_part(machine)
    assert [(each.contents, each.places) for each in part.tuples] == [(("o", "x"), 2), (("x", "."), 2)]
    assert [each.contents for each in part.sought] == [("x", ".")]
    assert [each.contents for each in part.avoided] == [("o", "x")]


def test_contents_that_a_symmetry_exchanges_are_named_once_if_they_have_one_weight(machine: Machine) -> None:
    weights = {("x", "o", "."): 0.5, (".", "o", "x"): 0.5, ("o", ".", "."): 0.25, (".", ".", "o"): 0.125}
    row = TupleWeights(((1, 2), (2, 2), (3, 2)), weights)
    part = only_part(machine, parts=(ValuePart(0, 0, 0, {}, (row,)),))
    assert [(each.contents, each.weight, each.places) for each in part.tuples] == [
        (("x", "o", "."), 0.5, 2),
        (("o", ".", "."), 0.25, 1),
        ((".", ".", "o"), 0.125, 1),
    ]


def test_the_largest_weight_of_a_board_is_the_scale(machine: Machine) -> None:
    assert describe_values(values(), machine).largest == pytest.approx(0.5)
    assert describe_values(values(parts=()), machine).largest == 0


def test_a_piece_that_cannot_stand_somewhere_has_no_number_there() -> None:
    machine = load_machine("checkers.ext")
    fact = next(fact for fact in machine.fluents if fact.endswith(" wp)"))
    given = Values((), True, "", (), (ValuePart(0, 0, 0, {fact: 1.0}, ()),))
    [part] = describe_values(given, machine).parts
    assert np.isnan(part.boards["wp"]).any()
    assert not np.isnan(part.boards["wp"]).all()


def test_parts_are_named_by_turn_role_and_stage(machine: Machine) -> None:
    parts = tuple(ValuePart(turn, stage, 0, FACTS, ()) for turn in (0, 1) for stage in (0, 1, 2))
    described = describe_values(values(symmetries=(MIRROR,), stages=(3, 6), parts=parts), machine)
    assert [part_in_words(part, machine.roles, str.upper) for part in described.parts] == [
        "worth to X while (CONTROL X), 0 to 2 pieces",
        "worth to X while (CONTROL X), 3 to 5 pieces",
        "worth to X while (CONTROL X), 6 pieces or more",
        "worth to X while (CONTROL O), 0 to 2 pieces",
        "worth to X while (CONTROL O), 3 to 5 pieces",
        "worth to X while (CONTROL O), 6 pieces or more",
    ]


def test_a_sentence_says_what_numbers_mean_and_who_shares_them(machine: Machine) -> None:
    described = describe_values(values(), machine)
    whole = values_in_words(described, machine.roles, str.upper)
    assert "log-odds: 0 means 50\u00a0%" in whole
    assert f"The start of a match is worth {described.of_start[0]:.0f}\u00a0% to X." in whole
    assert "as bad for the other" in whole
    assert "single pieces" in whole
    assert f"the same weight: {symmetry_in_words(MIRROR)}." in whole
    assert symmetry_in_words(EXCHANGE) in whole
    plain = values_in_words(describe_values(values(symmetries=(), parts=()), machine), machine.roles, str.upper)
    assert "single pieces" not in plain
    assert "symmetr" not in plain
    each_alone = values_in_words(describe_values(values(constant_sum=False, symmetries=()), machine), ("x", "o"), str)
    assert "\u00a0% to x and " in each_alone


def test_the_start_is_worth_what_the_native_function_says(machine: Machine) -> None:
    function = compile_values(values(), machine)
    assert describe_values(values(), machine).of_start == tuple(function.values(machine.initial()[None])[0].tolist())


def test_turns_of_the_board_are_named_in_words() -> None:
    turns = ["(x, -y)", "(-x, y)", "(-x, -y)", "(y, x)", "(y, -x)", "(-y, x)", "(-y, -x)"]
    assert symmetry_in_words("board (x, -y), roles exchanged") == "board mirrored top to bottom, roles exchanged"
    assert sharing_in_words([f"board {turn}" for turn in turns]) == "all turns and reflections of the board"
    assert (
        sharing_in_words(["board (-x, -y)", "(heap a) for (heap b)"]) == "board turned by half, (heap a) for (heap b)"
    )
