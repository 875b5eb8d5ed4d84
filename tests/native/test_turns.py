import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent import _native
from tests.native.circuits import CircuitArrays, CircuitBuilder, add_gates, tictactoe
from tests.native.twin import totals

WIDTHS = [64, 128, 256, 512]


def clockwork(seed: int, period: int, n_fluents: int, rows_per_role: list[int], n_gates: int) -> CircuitArrays:
    """Return a random circuit with a ring of `period` fluents, of which one is true, and with a constant fluent.

    Two random fluents decide whether a state is terminal, so most playouts are finite.
    """
    rng = np.random.default_rng(seed)
    n_rows = sum(rows_per_role)
    starts = np.cumsum([0, *rows_per_role])
    sets = []
    for _ in range(n_rows + 2):
        role = int(rng.integers(len(rows_per_role)))
        own = range(int(starts[role]), int(starts[role + 1]))
        sets.append(sorted(int(row) for row in rng.choice(own, size=rng.integers(1, len(own) + 1), replace=False)))
    b = CircuitBuilder(n_fluents + period + 1, rows_per_role, sets)
    ring = [b.fluent(n_fluents + i) for i in range(period)]
    state_literals = [0, *map(b.fluent, range(n_fluents + period + 1))]
    pool = list(state_literals)
    add_gates(b, rng, pool, n_gates)
    ending = b.all_of(*(int(x) ^ int(rng.integers(2)) for x in rng.choice(state_literals[1 : n_fluents + 1], 2)))
    turn_of_row = rng.integers(period, size=n_rows)
    legal = [b.all_of(ring[turn], int(rng.choice(pool)) ^ 1) for turn in turn_of_row]
    for first in starts[:-1]:
        legal[first] = 0  # one move of each role is always legal
    b.end_state_phase()
    moves = pool + list(map(b.move_set, range(len(sets))))
    add_gates(b, rng, moves, n_gates)
    return b.build(
        legal=legal,
        terminal=ending,
        goals=[(role, 100, int(rng.choice(state_literals))) for role in range(len(rows_per_role))],
        next_literals=[int(rng.choice(moves)) ^ int(rng.integers(2)) for _ in range(n_fluents)]
        + [ring[i - 1] for i in range(period)]
        + [b.fluent(n_fluents + period)],
        initial=[int(bit) for bit in rng.integers(2, size=n_fluents)] + [1] + [0] * (period - 1) + [1],
    )


def test_tictactoe_has_two_turns():
    fluents, values = _native.turns(_native.Machine(tictactoe()))
    assert fluents.tolist() == [18]
    assert values.tolist() == [[1], [0]]


def test_a_fluent_that_moves_can_change_is_in_no_turn():
    b = CircuitBuilder(2, [2], [[0]])
    b.end_state_phase()
    flip = b.any_of(b.fluent(0), b.move_set(0))
    circuit = b.build(legal=[0, 0], terminal=1, goals=[], next_literals=[flip, b.fluent(1) ^ 1], initial=[0, 0])
    fluents, values = _native.turns(_native.Machine(circuit))
    assert fluents.tolist() == [1]
    assert values.tolist() == [[0], [1]]


def test_a_clock_that_never_comes_back_is_in_no_turn():
    b = CircuitBuilder(3, [1], [])
    b.end_state_phase()
    once = [1, b.fluent(0), b.any_of(b.fluent(1), b.fluent(2))]
    circuit = b.build(legal=[0], terminal=1, goals=[], next_literals=once, initial=[1, 0, 0])
    fluents, values = _native.turns(_native.Machine(circuit))
    assert fluents.tolist() == []
    assert len(values) == 1


@settings(max_examples=40)
@given(
    circuit=st.builds(
        clockwork,
        seed=st.integers(0, 2**32 - 1),
        period=st.integers(1, 4),
        n_fluents=st.integers(2, 20),
        rows_per_role=st.lists(st.integers(1, 30), min_size=1, max_size=3),
        n_gates=st.integers(0, 40),
    ),
    lanes=st.sampled_from(WIDTHS),
)
def test_following_turns_changes_no_playout(circuit, lanes):
    machine = _native.Machine(circuit)
    assert len(_native.turns(machine)[1]) >= 1
    expected = machine.playouts(count=600, seconds=0.05, lanes=lanes, seed=3, follow_turns=False)
    if expected.playouts < 600:
        return  # playouts do not end
    assert totals(machine.playouts(count=600, lanes=lanes, seed=3)) == totals(expected)
