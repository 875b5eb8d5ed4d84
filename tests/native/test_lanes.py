from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent import _native
from tests.instruction_sets import EACH_SET, SUPPORTED
from tests.native.circuits import CircuitArrays, random_circuit, recording_circuit, tictactoe
from tests.native.twin import PlainCircuit, lane_mask, pack, unpack

WIDTHS = [64, 128, 256, 512]

random_circuits = st.builds(
    random_circuit,
    seed=st.integers(0, 2**32 - 1),
    n_fluents=st.integers(1, 140),
    rows_per_role=st.lists(st.integers(1, 20) | st.integers(60, 140), min_size=1, max_size=3),
    n_gates=st.integers(0, 60),
)


def assert_step_agrees(circuit: CircuitArrays, isa: str, lanes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = PlainCircuit(circuit)
    engine = _native.Lanes(_native.Machine(circuit), lanes, isa)
    states = rng.random((lanes, circuit.n_fluents)) < 0.5
    for lane, state in enumerate(pack(states)):
        engine.load(lane, state, lane)
    everyone = lane_mask(np.ones(lanes, np.bool_))
    for _ in range(2):
        engine.evaluate()
        values = plain.evaluate(states)
        asked = rng.random(lanes) < rng.choice([0.02, 0.3, 0.9])
        listed = engine.list_legal(lane_mask(asked))
        some = engine.read_states(lane_mask(asked)).reshape(lanes, -1)
        assert np.array_equal(unpack(some, circuit.n_fluents), states & asked[:, None])
        legal = plain.legal(values)
        for lane in np.flatnonzero(asked):
            assert listed[lane].tolist() == np.flatnonzero(legal[lane]).tolist()
            assert engine.goals(int(lane)).tolist() == plain.goals(values)[lane].tolist()
        assert np.array_equal(unpack(engine.terminal(), lanes), plain.literal(values, circuit.terminal))
        spans = list(zip(circuit.move_start[:-1], circuit.move_start[1:], strict=True))
        joints = [[int(rng.integers(first, last)) for first, last in spans] for _ in range(lanes)]
        forced = rng.random(lanes) < 0.7
        for lane in np.flatnonzero(forced):
            for row in joints[lane]:
                engine.force(int(lane), row)
        engine.advance()
        states = np.where(forced[:, None], plain.next(values, joints), states)
        read = engine.read_states(everyone).reshape(lanes, -1)
        assert np.array_equal(unpack(read, circuit.n_fluents), states)


@settings(max_examples=60)
@given(circuit=random_circuits, configuration=st.sampled_from([*product(SUPPORTED, WIDTHS)]), seed=st.integers(0, 1000))
def test_a_step_of_any_circuit_is_what_its_format_says(circuit, configuration, seed):
    assert_step_agrees(circuit, *configuration, seed)


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("lanes", WIDTHS)
def test_a_step_of_a_large_circuit_is_what_its_format_says_on_every_instruction_set(isa, lanes):
    assert_step_agrees(random_circuit(7, 90, [130, 9, 1], 300), isa, lanes, 1)


def play(isa: str, lanes: int, steps: int) -> np.ndarray:
    """Return the states of all lanes after each step; lane i has the seed i % 64."""
    circuit = recording_circuit([70, 5, 1, 300])
    engine = _native.Lanes(_native.Machine(circuit), lanes, isa)
    rng = np.random.default_rng(3)
    states = rng.random((64, circuit.n_fluents)) < rng.random((64, 1))
    for lane in range(lanes):
        engine.load(lane, pack(states)[lane % 64], lane % 64)
    everyone = np.ones(lanes, np.bool_)
    seen = []
    for step in range(steps):
        engine.evaluate()
        choosing = (np.arange(lanes) % 64 % 3 != step % 3) | (np.arange(lanes) % 64 < 5)
        engine.choose(lane_mask(choosing))
        engine.advance()
        seen.append(engine.read_states(lane_mask(everyone)).reshape(lanes, -1))
    return np.stack(seen)


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("lanes", WIDTHS)
def test_a_lane_plays_by_its_seed_and_state_alone(isa, lanes):
    expected = play("baseline", 64, 6)
    played = play(isa, lanes, 6)
    for first in range(0, lanes, 64):
        assert np.array_equal(played[:, first : first + 64], expected)


@pytest.mark.parametrize("isa", EACH_SET)
def test_lanes_that_do_not_choose_keep_their_state_and_their_stream(isa):
    circuit = recording_circuit([40])
    patient = _native.Lanes(_native.Machine(circuit), 64, isa)
    steady = _native.Lanes(_native.Machine(circuit), 64, isa)
    everyone, odd = np.ones(64, np.bool_), np.arange(64) % 2 == 1
    states = []
    for engine, masks in ((patient, [odd, odd, everyone]), (steady, [everyone])):
        for choosing in masks:
            engine.evaluate()
            engine.choose(lane_mask(choosing))
            engine.advance()
        states.append(engine.read_states(lane_mask(everyone)).reshape(64, -1))
    assert np.array_equal(states[0][~odd], states[1][~odd])
    assert not np.array_equal(states[0][odd], states[1][odd])


@pytest.mark.parametrize("isa", EACH_SET)
def test_a_loaded_state_shows_after_the_next_evaluation(isa):
    machine = _native.Machine(tictactoe())
    engine = _native.Lanes(machine, 64, isa)
    state = machine.next(machine.initial(), [4, 19])
    engine.evaluate()
    engine.load(5, state, 1)
    everyone = lane_mask(np.ones(64, np.bool_))
    assert engine.read_states(everyone)[5] == machine.initial()[0]
    engine.evaluate()
    assert engine.read_states(everyone)[5] == state[0]
    assert 14 not in engine.list_legal(everyone)[5]
    assert 4 in engine.list_legal(everyone)[6]


def test_lanes_refuse_what_is_not_there():
    machine = _native.Machine(tictactoe())
    with pytest.raises(ValueError, match="lanes must be 64, 128, 256 or 512"):
        _native.Lanes(machine, 100)
    with pytest.raises(ValueError, match="unknown or unsupported instruction set 'sse9'"):
        _native.Lanes(machine, 64, "sse9")
    engine = _native.Lanes(machine, 64)
    with pytest.raises(ValueError, match="no such lane"):
        engine.load(64, machine.initial(), 0)
    with pytest.raises(ValueError, match="no such row"):
        engine.force(0, 20)
    with pytest.raises(ValueError, match="lanes / 64 words"):
        engine.choose(np.zeros(2, np.uint64))
