from dataclasses import replace

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.prepare import prepare

WALK = """
(role walker) (init (at a)) (edge a b) (edge b c) (edge c a)
(<= (reach ?x) (true (at ?x)))
(<= (reach ?y) (reach ?x) (open ?x ?y))
(<= (open ?x ?y) (edge ?x ?y) (not (true (shut ?x))))
(<= (open ?x ?y) (edge ?y ?x) (not (true (shut ?x))))
(<= (legal walker (shut ?x)) (edge ?x ?y) (not (true (shut ?x))))
(<= (legal walker (go ?x)) (reach ?x))
(<= (next (shut ?x)) (true (shut ?x)))
(<= (next (shut ?x)) (does walker (shut ?x)))
(<= (next (at ?x)) (does walker (go ?x)))
(<= (next (at ?x)) (true (at ?x)) (does walker (shut ?y)))
(<= terminal (true (shut a)) (true (shut b)) (true (shut c)))
(<= (goal walker 100) (true (at c)))
(<= (goal walker 0) (not (true (at c))))
"""


@pytest.fixture(scope="module")
def circuit() -> Circuit:
    return prepare(parse_sheet(WALK))


def test_a_compiled_game_is_valid(circuit: Circuit) -> None:
    _native.check_circuit(circuit)
    assert circuit.fluents == ("(at a)", "(at b)", "(at c)", "(shut a)", "(shut b)", "(shut c)")
    assert circuit.moves == ("(go a)", "(go b)", "(go c)", "(shut a)", "(shut b)", "(shut c)")
    assert circuit.initial.tolist() == [1, 0, 0, 0, 0, 0]
    assert len(circuit.loops) >= 1


def _changed(array: np.ndarray, index: int, value: int) -> np.ndarray:
    copy = array.copy()
    copy[index] = value
    return copy


def _end_slot(circuit: Circuit) -> int:
    return circuit.first_gate_slot + circuit.n_gates


BROKEN = {
    "version 2, this module reads version 1": lambda c: replace(c, version=c.version + 1),
    r"set_rows\[0\] is 6, expected 0 to 5": lambda c: replace(c, set_rows=_changed(c.set_rows, 0, 6)),
    "move set 0 must be a non-empty ascending list of rows of one role": lambda c: replace(
        c, set_start=_changed(c.set_start, 1, 0)
    ),
    "gate 0 reads slot [0-9]+, which is not before it": lambda c: replace(
        c, gate_literals=_changed(c.gate_literals, 0, 2 * (c.first_gate_slot + c.n_gates - 1))
    ),
    "gate 0 must have at least one literal": lambda c: replace(c, gate_start=_changed(c.gate_start, 1, 0)),
    r"next\[0\] is [0-9]+, expected 0 to": lambda c: replace(c, next=_changed(c.next, 0, 2 * _end_slot(c))),
    "terminal must depend on the state alone": lambda c: replace(c, terminal=2 * _end_slot(c)),
    r"legal\[0\] must depend on the state alone": lambda c: replace(
        c, legal=_changed(c.legal, 0, 2 * c.first_set_slot)
    ),
    r"goal_value\[0\] is 101, expected 0 to 100": lambda c: replace(c, goal_value=_changed(c.goal_value, 0, 101)),
    r"goal_role\[0\] is 1, expected 0 to 0": lambda c: replace(c, goal_role=_changed(c.goal_role, 0, 1)),
    r"initial\[0\] is 2, expected 0 to 1": lambda c: replace(c, initial=_changed(c.initial, 0, 2)),
    r"loops\[0\] must be a non-empty run of gates": lambda c: replace(
        c, loops=np.asarray([[0, c.n_gates + 1]], np.int32)
    ),
    r"loops\[0\] lies in both phases": lambda c: replace(c, loops=np.asarray([[0, c.n_gates]], np.int32)),
    "legal has 5 elements, expected 6": lambda c: replace(c, legal=c.legal[:-1]),
    "next must be a contiguous array of uint32": lambda c: replace(c, next=c.next.astype(np.int64)),
    "n_state_gates is out of range": lambda c: replace(c, n_state_gates=c.n_gates + 1),
    "move_start must end with 6, not 5": lambda c: replace(c, move_start=_changed(c.move_start, 1, 5)),
}


@pytest.mark.parametrize("what", BROKEN)
def test_the_check_names_what_is_broken(circuit: Circuit, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        _native.check_circuit(BROKEN[what](circuit))
