"""The native simulation finds the values of a plain one, and no state of a small circuit has other values."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent import _native
from tests.native.circuits import FALSE, TRUE, CircuitArrays, CircuitBuilder, random_circuit
from tests.native.twin import pack, unpack

NEVER, ALWAYS, BOTH = 1, 2, 3
Values = list[set[bool]]


def plain_values(circuit: CircuitArrays) -> tuple[list[int], list[int]]:
    """Evaluate the circuit over sets of values, again and again, until none grows."""
    n_sets = len(circuit.set_start) - 1
    fluents: Values = [{bool(bit)} for bit in circuit.initial]
    gates: Values = [set() for _ in circuit.gate_start[1:]]
    for first, last in circuit.loops.tolist():
        for gate in range(first, last):
            gates[gate] = {bool(circuit.loop_initial[gate])}
    sets: Values = [{False} for _ in range(n_sets)]

    def of(literal: int) -> set[bool]:
        values = ([{True}], fluents, sets, gates)
        place = literal >> 1
        for part in values:
            if place < len(part):
                return {value != bool(literal & 1) for value in part[place]}
            place -= len(part)
        raise IndexError(literal)

    def grown(known: set[bool], more: set[bool]) -> bool:
        fresh = more - known
        known |= more
        return bool(fresh)

    growing = True
    while growing:
        growing = False
        legal = [True in of(literal) for literal in circuit.legal.tolist()]
        for number, span in enumerate(itertools.pairwise(circuit.set_start.tolist())):
            if any(legal[row] for row in circuit.set_rows[slice(*span)]):
                growing |= grown(sets[number], {True})
        for number, span in enumerate(itertools.pairwise(circuit.gate_start.tolist())):
            inputs = [of(literal) for literal in circuit.gate_literals[slice(*span)].tolist()]
            possible = {False} if any(False in each for each in inputs) else set()
            if all(True in each for each in inputs):
                possible |= {True}
            growing |= grown(gates[number], possible)
        for number, literal in enumerate(circuit.next.tolist()):
            growing |= grown(fluents[number], of(literal))
    legal = [True in of(literal) for literal in circuit.legal.tolist()]
    return [(False in each) + 2 * (True in each) for each in fluents], [int(each) for each in legal]


CIRCUITS = st.builds(
    random_circuit,
    seed=st.integers(0, 2**32 - 1),
    n_fluents=st.integers(1, 6),
    rows_per_role=st.lists(st.integers(1, 3), min_size=1, max_size=2),
    n_gates=st.integers(0, 12),
)


@settings(max_examples=200)
@given(CIRCUITS)
def test_the_values_are_those_of_a_plain_simulation(circuit: CircuitArrays):
    fluents, rows = _native.possible_values(circuit)
    assert (fluents.tolist(), rows.tolist()) == plain_values(circuit)


@settings(max_examples=100)
@given(CIRCUITS)
def test_no_match_reaches_what_is_not_possible(circuit: CircuitArrays):
    fluents, rows = _native.possible_values(circuit)
    machine = _native.Machine(circuit)
    states = [pack(circuit.initial[None] != 0)[0]]
    seen = {states[0].tobytes()}
    for state in states:  # the list grows
        bits = unpack(state, circuit.n_fluents)
        assert all(possible & (ALWAYS if bit else NEVER) for possible, bit in zip(fluents, bits, strict=True))
        legal = machine.legal(state)
        assert all(rows[row] for own in legal for row in own)
        for joint in itertools.product(*(own.tolist() for own in legal)):
            after = machine.next(state, list(joint))
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                states.append(after)


def test_a_wall_that_stays_keeps_what_is_beyond_it_from_ever_holding():
    builder = CircuitBuilder(n_fluents=4, rows_per_role=[2], sets=[[0], [1]])
    wall, _, beyond, never = map(builder.fluent, range(4))
    builder.end_state_phase()
    stepped = builder.all_of(builder.move_set(0), wall ^ 1)
    circuit = builder.build(
        legal=[TRUE, never],
        terminal=FALSE,
        goals=[],
        next_literals=[wall, builder.move_set(0), builder.any_of(beyond, stepped), builder.move_set(1)],
        initial=[1, 0, 0, 0],
    )
    fluents, rows = _native.possible_values(circuit)
    assert fluents.tolist() == [ALWAYS, BOTH, NEVER, NEVER]
    assert rows.tolist() == [1, 0]
