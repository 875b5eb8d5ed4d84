"""Positive recursion through cycles of ground atoms, on the native machine and on the reference evaluator."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.reasoner.prepare import prepare
from tests.reasoner.agreement import plain_machine

NODES = 5
EDGES = [(a, b) for a in range(NODES) for b in range(NODES) if a != b]
GRAPH = (
    "".join(f"(edge {a} {b})" for a, b in EDGES)
    + """
(role r)
(<= (init (open ?x ?y)) (edge ?x ?y))
(<= (next (open ?x ?y)) (true (open ?x ?y)) (not (flipped ?x ?y)))
(<= (next (open ?x ?y)) (edge ?x ?y) (not (true (open ?x ?y))) (flipped ?x ?y))
(<= (flipped ?x ?y) (does r (flip ?x ?y)))
(<= (legal r (flip ?x ?y)) (edge ?x ?y))
(reach 0)
(<= (reach ?y) (reach ?x) (true (open ?x ?y)))
(<= (legal r (visit ?x)) (reach ?x))
(<= (legal r (miss ?x)) (edge ?x 0) (not (reach ?x)))
(then 0)
(<= (then ?y) (then ?x) (true (open ?x ?y)) (not (flipped ?x ?y)))
(<= (next (after ?x)) (then ?x))
(<= terminal (reach 4))
(<= (goal r 100) (not (reach 4)))
(<= (goal r 0) (reach 4))
"""
)


def reached(opened: set[tuple[int, int]]) -> set[int]:
    found = {0}
    while more := {b for a, b in opened if a in found} - found:
        found |= more
    return found


@pytest.fixture(scope="module")
def machines() -> tuple[Machine, Machine]:
    sheet = parse_sheet(GRAPH)
    circuit = prepare(sheet)
    return Machine(sheet, circuit), plain_machine(sheet, circuit)


@settings(max_examples=60, derandomize=True)
@given(opened=st.sets(st.sampled_from(EDGES)), flip=st.sampled_from(EDGES))
def test_recursion_reaches_the_least_fixpoint(
    machines: tuple[Machine, Machine], opened: set[tuple[int, int]], flip: tuple[int, int]
) -> None:
    for machine in machines:
        state = machine.state_of(f"(open {a} {b})" for a, b in opened)
        legal = {machine.circuit.moves[row] for row in machine.legal(state)[0]}
        there = reached(opened)
        assert {move for move in legal if "visit" in move} == {f"(visit {node})" for node in there}
        assert {move for move in legal if "miss" in move} == {
            f"(miss {node})" for node in range(1, NODES) if node not in there
        }
        assert machine.terminal(state) == (4 in there)
        assert machine.goals(state) == (0 if 4 in there else 100,)
        after = machine.facts(machine.next(state, [machine.row(0, f"(flip {flip[0]} {flip[1]})")]))
        assert {fact for fact in after if "after" in fact} == {f"(after {node})" for node in reached(opened - {flip})}


def test_loops_lie_in_one_phase_each_and_both_phases_have_one(machines: tuple[Machine, Machine]) -> None:
    circuit = machines[0].circuit
    phases = {bool(first >= circuit.n_state_gates) for first, _ in circuit.loops.tolist()}
    assert phases == {False, True}


def test_an_atom_that_supports_only_itself_is_false() -> None:
    sheet = parse_sheet("""
        (role r) (init a) (<= (next ?x) (true ?x)) (<= (legal r wait) (not lonely)) (<= lonely lonely (true a))
        (<= (legal r go) one) (<= one two (true a)) (<= two one (true a)) (<= terminal lonely) (<= (goal r 1) (not two))
    """)
    machine = Machine(sheet, prepare(sheet))
    state = machine.initial()
    assert [machine.circuit.moves[row] for row in machine.legal(state)[0]] == ["wait"]
    assert not machine.terminal(state)
    assert machine.goals(state) == (1,)
