"""Fluents that exclude each other, and rows of moves that the lanes merge because of them."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gdl_miner.agent import _native
from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.reasoner.circuit import fluent_groups
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.reasoner.prepare import prepare
from tests.gdl.random_sheets import random_sheets
from tests.instruction_sets import EACH_SET
from tests.native.pieces_game import pieces_game
from tests.native.twin import lane_mask, totals
from tests.search.positions import random_match


def machine_of(text: str) -> Machine:
    sheet = parse_sheet(text)
    return Machine(sheet, prepare(sheet))


@pytest.fixture(scope="module")
def pieces() -> Machine:
    return machine_of(pieces_game())


def random_states(machine: Machine, seed: int, steps: int = 12) -> list[np.ndarray]:
    """Return the states of a random match from the initial one, until the match ends or for `steps` steps."""
    return [state for state, _ in random_match(machine, Random(seed), steps)]


def test_names_suggest_groups_by_leading_arguments():
    start, members = fluent_groups(["(cell 1 a (b c))", "(cell 1 d)", "(cell 2 a b)", "(on f)", "(on g)", "idle"])
    groups = [members[first:last].tolist() for first, last in pairwise(start)]
    assert sorted(groups) == [[0, 1], [0, 1, 2], [3, 4]]


def test_a_square_that_holds_one_piece_is_proven(pieces):
    proven = {frozenset((pieces.fluents[one], pieces.fluents[other])) for one, other in exclusive(pieces)}
    on_square = [name for name in pieces.fluents if name.startswith("(cell 3 ")]
    assert len(on_square) == 7
    assert {frozenset((one, other)) for one in on_square for other in on_square if one != other} <= proven
    assert frozenset(("(control white)", "(control black)")) in proven
    assert frozenset(("(cell 1 empty)", "(cell 2 empty)")) not in proven


def test_a_square_that_may_hold_several_pieces_is_not(pieces):
    stacking = machine_of(pieces_game(stacking=True))
    pairs = {(stacking.fluents[one], stacking.fluents[other]) for one, other in exclusive(stacking)}
    assert ("(cell 3 white tower)", "(cell 3 white crow)") not in pairs
    assert len(pairs) < len(exclusive(pieces))


def exclusive(machine: Machine) -> list[tuple[int, int]]:
    return _native.exclusive_fluents(machine.native)


@settings(max_examples=8, derandomize=True)
@given(sheet=random_sheets(), seed=st.integers(0, 2**16))
def test_exclusive_fluents_never_hold_together(sheet, seed):
    machine = machine_of(sheet)
    pairs = exclusive(machine)
    for state in random_states(machine, seed):
        holds = np.unpackbits(state.view(np.uint8), bitorder="little")
        assert not any(holds[one] and holds[other] for one, other in pairs)


def test_rows_that_are_one_tell_each_other_apart_by_their_keys(pieces):
    merged, key, _, _ = _native.merged_rows(pieces.native)
    assert len(set(merged.tolist())) < 0.75 * len(merged)
    proven = {frozenset(pair) for pair in exclusive(pieces)}
    for number in set(merged.tolist()):
        keys = key[merged == number].tolist()
        assert len(keys) == 1 or all(frozenset((a, b)) in proven for a in keys for b in keys if a != b)


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("lanes", [64, 512])
def test_lanes_of_merged_rows_list_and_make_the_moves_of_the_game(pieces, isa, lanes):
    engine = _native.Lanes(pieces.native, lanes, isa)
    rng = np.random.default_rng(lanes)
    states = [pieces.initial()] * lanes
    for lane in range(lanes):
        engine.load(lane, states[lane], lane)
    everyone, some = lane_mask(np.ones(lanes, np.bool_)), lane_mask(np.arange(lanes) % 2 == 0)
    for _ in range(8):
        engine.evaluate()
        listed = engine.list_legal(everyone)
        engine.choose(some)
        for lane in range(lanes):
            legal = pieces.legal(states[lane])
            assert listed[lane].tolist() == np.concatenate(legal).tolist()
            if lane % 2 == 1:
                for rows in legal:
                    engine.force(lane, int(rng.choice(rows)))
        engine.advance()
        after = engine.read_states(everyone).reshape(lanes, -1)
        for lane in range(0, lanes, 7):
            first, second = pieces.legal(states[lane])
            reached = {pieces.next(states[lane], [int(a), int(b)]).tobytes() for a in first for b in second}
            assert after[lane].tobytes() in reached
        states = list(after)


def test_every_move_of_merged_rows_is_as_likely_as_any_other(pieces):
    engine = _native.Lanes(pieces.native, 512)
    everyone = lane_mask(np.ones(512, np.bool_))
    first, second = pieces.legal(pieces.initial())
    place = {pieces.next(pieces.initial(), [int(a), int(second[0])]).tobytes(): n for n, a in enumerate(first)}
    assert len(place) == len(first) == 8
    counts = np.zeros(len(first), int)
    for turn in range(20):
        for lane in range(512):
            engine.load(lane, pieces.initial(), 512 * turn + lane)
        engine.evaluate()
        engine.choose(everyone)
        engine.advance()
        for state in engine.read_states(everyone).reshape(512, -1):
            counts[place[state.tobytes()]] += 1
    assert 1e-4 < stats.chisquare(counts).pvalue < 1 - 1e-4


@pytest.mark.parametrize("isa", EACH_SET)
def test_playouts_of_merged_rows_are_the_same_everywhere(pieces, isa):
    expected = totals(pieces.native.playouts(count=500, lanes=64, seed=3, isa="baseline", follow_turns=False))
    for lanes in (128, 512):
        assert totals(pieces.native.playouts(count=500, lanes=lanes, seed=3, isa=isa)) == expected


@pytest.mark.parametrize(
    ("start", "fluents", "message"),
    [
        ([0, 1], [99], "no such fluent"),
        ([0, 2, 1], [0], "falls"),
        ([1], [], "begin with 0"),
        ([0, 1], [0, 1], "end with"),
    ],
)
def test_groups_that_are_none_are_refused(pieces, start, fluents, message):
    class Grouped:
        group_start = np.array(start, np.int32)
        group_fluents = np.array(fluents, np.int32)

        def __getattr__(self, name: str) -> object:
            return getattr(pieces.circuit, name)

    with pytest.raises(ValueError, match=message):
        _native.Machine(Grouped())


def test_lanes_tell_the_rows_of_the_game_that_they_chose(pieces: Machine) -> None:
    lanes = _native.Lanes(pieces.native, 64)
    states = [random_states(pieces, seed)[-2] for seed in range(64)]
    for lane, state in enumerate(states):
        lanes.load(lane, state, lane)
    lanes.evaluate()
    everyone = lane_mask(np.ones(64, bool))
    lanes.choose(everyone)
    chosen = lanes.list_chosen(everyone)
    lanes.advance()
    lanes.evaluate()
    after = lanes.read_states(everyone).reshape(64, -1)
    for state, joint, next_state in zip(states, chosen, after, strict=True):
        assert np.array_equal(pieces.next(state, joint.tolist()), next_state)
