"""Tuples of groups of facts: facts of a group exclude each other, groups of a tuple vary together, files keep them."""

import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.geometry import EMPTY, find_symmetries
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.values import (
    FactTuples,
    LearnedWeights,
    RoundSettings,
    TupleWeights,
    ValueLayout,
    ValuePart,
    Values,
    ValueShape,
    describe_values,
    exclusive_groups,
    layout_for,
    train_round,
    tuple_in_words,
    tuples_of_facts,
    values_of,
)
from gdl_miner.agent.values.fact_groups import MOST_TUPLES
from tests.command_line import miner, succeeded
from tests.corpus import sheet_path
from tests.native.naive_self_play import fluents_of
from tests.native.test_value_function import assert_equals_the_twin, random_states
from tests.search.positions import machine_of, random_match
from tests.values.files import assert_refused, read, read_back, write
from tests.values.random_values import random_weights

OWN = ["pennies", "picks", "three", "pebbles", "tictactoe.ext"]
CORPUS = ["nim1", "kalaha5x2x3", "lightsOn", "biddingTicTacToe", "pentago"]


def machine_named(game: str) -> Machine:
    return machine_of(game) if game in OWN else load_machine(str(sheet_path(game)))


def layout_with(game: str, size: int = 2) -> ValueLayout:
    machine = machine_named(game)
    groups = tuples_of_facts(machine, size)
    constant_sum = len(machine.roles) == 2
    return ValueLayout(machine, find_symmetries(machine), (), constant_sum=constant_sum, blank=EMPTY, groups=groups)


@pytest.mark.parametrize("game", [*OWN, *CORPUS])
def test_every_fact_is_in_one_group_and_no_two_of_a_group_hold_in_other_matches(game: str) -> None:
    machine = machine_named(game)
    groups = exclusive_groups(machine)
    assert sorted(fluent for group in groups for fluent in group) == list(range(len(machine.fluents)))
    random = Random(12345)
    for _ in range(20):
        for state, _ in random_match(machine, random, 200):
            held = set(fluents_of(state))
            assert all(len(held.intersection(group)) <= 1 for group in groups)


def names_of_groups(machine: Machine) -> set[frozenset[str]]:
    return {frozenset(machine.fluents[fluent] for fluent in group) for group in exclusive_groups(machine)}


def test_the_numbers_that_rules_count_with_are_groups() -> None:
    points = frozenset(f"(points {number})" for number in range(11))
    assert points in names_of_groups(machine_of("pennies"))
    nim = names_of_groups(machine_named("nim1"))
    assert frozenset(f"(heap b {number})" for number in range(6)) in nim
    bidding = names_of_groups(machine_named("biddingTicTacToe"))
    assert {len(group) for group in bidding if any(fact.startswith("(coins x") for fact in group)} == {11}
    kalaha = names_of_groups(machine_named("kalaha5x2x3"))
    assert sum(any(fact.startswith("(pit ") for fact in group) for group in kalaha) == 12
    lights = names_of_groups(machine_named("lightsOn"))
    assert sum(any(fact.startswith("(cell ") for fact in group) for group in lights) == 20


@pytest.mark.parametrize(("game", "size"), [*((game, 2) for game in [*OWN, *CORPUS]), ("three", 3), ("lightsOn", 4)])
def test_tuples_are_bounded_the_same_every_time_and_of_different_groups(game: str, size: int) -> None:
    machine = machine_named(game)
    found = tuples_of_facts(machine, size)
    assert 0 < len(found) <= MOST_TUPLES
    assert found == tuples_of_facts(machine, size)
    assert len({frozenset(each) for each in found}) == len(found)
    assert all(len(set(each)) == size for each in found)
    groups = set(exclusive_groups(machine))
    assert all(groups.issuperset(each) for each in found)


def test_turns_and_counters_of_moves_are_in_no_tuple() -> None:
    for game, left_out in (("three", r"\(turn"), ("pebbles", r"\(control"), ("lightsOn", r"\(step")):
        machine = machine_named(game)
        found = {machine.fluents[fluent] for each in tuples_of_facts(machine, 2) for group in each for fluent in group}
        assert found
        assert not [fact for fact in found if re.match(left_out, fact)]


def test_groups_that_vary_together_come_first() -> None:
    machine = machine_named("lightsOut")
    cells = [tuple(machine.fluents[group[0]][6:9] for group in each) for each in tuples_of_facts(machine, 2)]
    apart = [abs(int(one[0]) - int(other[0])) + abs(int(one[2]) - int(other[2])) for one, other in cells[:20]]
    assert np.mean(apart) < 2.5  # a move turns the light of a cell and of those beside it


@pytest.mark.parametrize("game", [*OWN, "nim1", "biddingTicTacToe"])
def test_native_values_of_facts_together_are_those_of_the_twin(game: str) -> None:
    layout = layout_with(game)
    states = random_states(layout.machine, Random(3), 3)  # of some of them, several facts of a group hold
    assert_equals_the_twin(layout, 1, states)


@pytest.mark.parametrize("most", [0, 10**6])
@pytest.mark.parametrize("game", [*OWN, "kalaha5x2x3"])
def test_values_of_facts_together_survive_a_file(
    game: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl_miner.agent.values.values_xml.MOST_IN_XML", most)
    layout = layout_with(game)
    machine, weights = layout.machine, random_weights(layout, 2)
    weights[np.arange(len(weights)) % 7 > 0] = 0
    values = values_of(layout, weights)
    found = read_back(values, machine, tmp_path / "one.xml")
    write(found, machine, tmp_path / "two.xml")
    assert (tmp_path / "one.xml").read_bytes() == (tmp_path / "two.xml").read_bytes()
    assert bool(list(tmp_path.glob("*.npy"))) == (most == 0)


def test_facts_together_teach_what_single_facts_cannot() -> None:
    machine = machine_named("nim1")
    errors = []
    for shapes in ((), (FactTuples(2),), (FactTuples(4),)):
        layout = layout_for(machine, ValueShape(shapes))
        learned = LearnedWeights.new(layout)
        for seed in (1, 2):
            settings = RoundSettings(
                games=6000, seed=seed, exploration=0.1, opening=4, move_limit=100, step=1.0, trace=0.0
            )
            learned, totals = train_round(layout, learned, settings)
        errors.append(totals.squared_error)
    assert errors[2] < 0.8 * errors[0]


def test_a_game_with_too_few_groups_is_refused() -> None:
    machine = machine_of("pennies")  # a counter of rounds and points
    with pytest.raises(ConfigError, match="shape 'facts 4': the game has too few groups of facts"):
        layout_for(machine, ValueShape((FactTuples(4),)))


PAIR = TupleWeights(
    (),
    {("(heap b 3)", "(heap c 1)"): 0.5, ("(heap b 2)", "."): -0.25},
    groups=(("(heap b 1)", "(heap b 2)", "(heap b 3)"), ("(heap c 1)",)),
)


def nim_file(folder: Path) -> Path:
    values = Values((), True, "", (), (ValuePart(0, 0, 0, {"(heap b 0)": 0.125}, (PAIR,)),))
    return write(values, machine_named("nim1"), folder / "k.xml")


def test_facts_together_are_said_in_words(tmp_path: Path) -> None:
    path, machine = nim_file(tmp_path), machine_named("nim1")
    [part] = describe_values(read(path, machine), machine).parts
    said = [tuple_in_words(each, machine.sheet.display) for each in part.tuples]
    assert said == ["(heap b 3) and (heap c 1)", "(heap b 2) and not (heap c 1)"]
    page = tmp_path / "page.html"
    effort = ("--matches", 2, "--playouts", 5, "--positions", 10)
    shown = succeeded(miner("explain", path, "--game", sheet_path("nim1"), *effort, "--html", page))
    role = machine.sheet.display(machine.roles[0])
    assert f"facts together that are good for {role} (1)" in shown
    assert "(heap b 2) and not (heap c 1)" in shown
    assert f"Facts together that are bad for {role}: 1" in page.read_text()


@pytest.mark.parametrize(
    ("old", "new", "element", "said"),
    [
        ("<Choice>. (heap c 1)", "<Choice>(heap c 1)", "<Choice>(heap c", "give . first"),
        ("<Choice>. (heap c 1)", "<Choice>. (heap c 77)", "<Tuple", r"the game has no fact \(heap c 77\)"),
        ("<Choice>. (heap c 1)", "<Choice>. (heap b 1)", "<Tuple", r"\(heap b 1\) is in the tuple twice"),
        (">(heap b 2) .<", ">(heap b 2)<", "<Tuple", "1 contents for 2 groups of facts"),
        (">(heap b 2) .<", ">(heap b 0) .<", "<Tuple", r"no \(heap b 0\) can stand there; give ., \(heap b 1\)"),
        ("<Tuple>", '<Tuple cells="1 1, 1 2">', "<Tuple", "a Choice for cells"),
    ],
)
def test_faults_of_groups_are_named_with_their_place(
    old: str, new: str, element: str, said: str, tmp_path: Path
) -> None:
    path = nim_file(tmp_path)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert_refused(path, machine_named("nim1"), said, element)


def test_a_tuple_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="either cells or groups"):
        TupleWeights((), {})
    with pytest.raises(ValueError, match="either cells or groups"):
        TupleWeights(((1, 1),), {}, groups=(("(heap b 1)",),))
