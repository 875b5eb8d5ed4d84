from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent import _native
from tests.native.circuits import CircuitArrays, offsets, random_circuit, tictactoe
from tests.native.twin import PlainCircuit, pack


@settings(max_examples=60)
@given(
    circuit=st.builds(
        random_circuit,
        seed=st.integers(0, 2**32 - 1),
        n_fluents=st.integers(1, 130),
        rows_per_role=st.lists(st.integers(1, 20), min_size=1, max_size=3),
        n_gates=st.integers(0, 60),
    ),
    seed=st.integers(0, 1000),
)
def test_the_machine_is_what_the_format_says(circuit: CircuitArrays, seed: int):
    rng = np.random.default_rng(seed)
    plain, machine = PlainCircuit(circuit), _native.Machine(circuit)
    states = rng.random((4, circuit.n_fluents)) < 0.5
    values = plain.evaluate(states)
    legal, goals = plain.legal(values), plain.goals(values)
    spans = list(zip(circuit.move_start[:-1], circuit.move_start[1:], strict=True))
    joints = [[int(rng.integers(first, last)) for first, last in spans] for _ in states]
    after = pack(plain.next(values, joints))
    assert machine.initial().tolist() == pack(circuit.initial[None] != 0)[0].tolist()
    assert _native.loop_rounds(machine, pack(states), np.array(joints, np.int32)).tolist() == plain.rounds
    for i, state in enumerate(pack(states)):
        assert machine.next(state, joints[i]).tolist() == after[i].tolist()
        rows = [first + np.flatnonzero(legal[i, first:last]) for first, last in spans]
        assert [r.tolist() for r in machine.legal(state)] == [r.tolist() for r in rows]
        assert machine.goals(state) == tuple(None if g < 0 else g for g in goals[i].tolist())
        assert machine.terminal(state) == plain.literal(values, circuit.terminal)[i]


def test_a_machine_refuses_states_and_moves_that_do_not_fit():
    machine = _native.Machine(tictactoe())
    with pytest.raises(ValueError, match="has 1 words, got 2"):
        machine.terminal(np.zeros(2, np.uint64))
    with pytest.raises(ValueError, match="a bit past the last fluent"):
        machine.terminal(np.array([1 << 19], np.uint64))
    with pytest.raises(ValueError, match="one row per role"):
        machine.next(machine.initial(), [1])
    with pytest.raises(ValueError, match="row 3 is not a move of role 1"):
        machine.next(machine.initial(), [1, 3])
    states = machine.initial()[None]
    with pytest.raises(ValueError, match="of another game"):
        _native.loop_rounds(machine, np.zeros((1, 2), np.uint64), np.zeros((1, 2), np.int32))
    with pytest.raises(ValueError, match="a joint move for each state"):
        _native.loop_rounds(machine, states, np.zeros((2, 2), np.int32))
    with pytest.raises(ValueError, match="a row is not a move of its role"):
        _native.loop_rounds(machine, states, np.array([[1, 3]], np.int32))


def changed(**arrays: object) -> CircuitArrays:
    return replace(tictactoe(), **arrays)


def with_element(name: str, index: int, value: int) -> CircuitArrays:
    array = getattr(tictactoe(), name).copy()
    array[index] = value
    return changed(**{name: array})


def with_set(rows: list[int]) -> CircuitArrays:
    """Return the circuit with other rows in set 0."""
    sets = [rows, *([row] for row in tictactoe().set_rows[1:])]
    return changed(
        set_start=offsets([len(each) for each in sets]),
        set_rows=np.array([row for each in sets for row in each], np.int32),
    )


GOOD = tictactoe()


@pytest.mark.parametrize(
    ("circuit", "message"),
    [
        (changed(version=2), "version 2, this module reads version 1"),
        (changed(n_fluents=-1), "n_fluents must be an integer from 0"),
        (changed(n_fluents=18), "next has 19 elements, expected 18"),
        (changed(n_roles=0), "n_roles must be at least 1"),
        (changed(n_roles=3), "move_start has 3 elements, expected 4"),
        (changed(legal=GOOD.legal.astype(np.int64)), "legal must be a contiguous array of uint32"),
        (changed(legal=GOOD.legal[:-1].copy()), "move_start must end with 19, not 20"),
        (changed(terminal="now"), "terminal must be an integer"),
        (changed(initial=GOOD.initial[::-1]), "initial must be a contiguous array of uint8"),
        (changed(loops=np.zeros(4, np.int32)), "loops must be a contiguous array of int32 pairs"),
        (changed(loops=np.array([[3, 3]], np.int32)), r"loops\[0\] must be a non-empty run"),
        (changed(loops=np.array([[3, 5], [4, 6]], np.int32)), r"loops\[1\] must be a non-empty run"),
        (changed(loops=np.array([[0, GOOD.n_state_gates + 1]], np.int32)), "lies in both phases"),
        (changed(n_state_gates=10_000), "n_state_gates is out of range"),
        (with_element("move_start", 0, 1), "move_start must begin with 0"),
        (with_element("gate_start", 3, 1), r"gate_start\[3\] falls"),
        (with_element("set_rows", 4, 20), r"set_rows\[4\] is 20, expected 0 to 19"),
        (with_set([]), "move set 0 must be a non-empty ascending list"),
        (with_set([1, 0]), "move set 0 must be a non-empty ascending list"),
        (with_set([0, 0]), "move set 0 must be a non-empty ascending list"),
        (with_set([0, 10]), "move set 0 must be .* rows of one role"),
        (with_element("gate_start", 1, 0), "gate 0 must have at least one literal"),
        (with_element("gate_literals", 0, 2 * 38), "gate 0 reads slot 38, which is not before it"),
        (with_element("gate_literals", 0, 2 * 20), "gate 0 of the state phase reads a move set"),
        (with_element("legal", 2, 2 * 20), r"legal\[2\] must depend on the state alone"),
        (with_element("goal_literal", 2, 2**31), r"goal_literal\[2\] must depend on the state alone"),
        (with_element("goal_value", 0, 101), r"goal_value\[0\] is 101, expected 0 to 100"),
        (with_element("goal_role", 0, -1), r"goal_role\[0\] is -1"),
        (with_element("next", 0, 2**31), r"next\[0\] is 2147483648"),
        (with_element("initial", 0, 2), r"initial\[0\] is 2, expected 0 to 1"),
        (with_element("loop_initial", 0, 2), r"loop_initial\[0\] is 2"),
        (changed(terminal=2 * 20), "terminal must depend on the state alone"),
        (changed(goal_value=GOOD.goal_value[:-1].copy()), "goal_value has 5 elements, expected 6"),
        (object(), "no attribute version"),
    ],
)
def test_a_malformed_circuit_is_refused_by_name(circuit, message):
    with pytest.raises(ValueError, match=message):
        _native.Machine(circuit)
