"""Fluents and moves that no match reaches are not in the circuit, and what never changes is a constant of it."""

from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.machine import load_machine
from tests.reasoner.agreement import assert_agreement, engines_of

ROOMS = """
(role walker) (init (at 1 1)) (init (wall 2 2)) (init (wall 2 1)) (init (open 1 2)) (init (moves 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(room 1) (room 2) (room 3)
(<= (legal walker (go ?x ?y)) (true (at ?x ?y1)) (room ?y) (distinct ?y ?y1))
(<= (legal walker (go ?x2 ?y)) (true (at ?x ?y)) (succ ?x ?x2) (room ?x2) (not (true (wall ?x2 ?y))) (passable ?x ?y))
(<= (passable ?x ?y) (true (open ?x ?y)))
(<= (legal walker shut) (true (at 1 1)))
(<= (next (at ?x ?y)) (does walker (go ?x ?y)))
(<= (next (at ?x ?y)) (does walker shut) (true (at ?x ?y)))
(<= (next (wall ?x ?y)) (true (wall ?x ?y)))
(<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does walker shut)))
(<= (next (moves ?n)) (true (moves ?m)) (succ ?m ?n))
(<= terminal (true (moves 6)))
(<= terminal (true (at 3 ?y)))
(<= (goal walker 100) (true (at 3 ?y)))
(<= (goal walker 0) (not beyond))
(<= beyond (true (at 3 ?y)))
"""


def test_what_is_behind_walls_that_stay_is_not_in_the_circuit() -> None:
    circuit = load_machine(parse_sheet(ROOMS, "rooms")).circuit
    assert [fluent for fluent in circuit.fluents if fluent.startswith("(at")] == ["(at 1 1)", "(at 1 2)", "(at 1 3)"]
    assert [fluent for fluent in circuit.never if fluent.startswith("(at")][:3] == ["(at 2 1)", "(at 2 2)", "(at 2 3)"]
    assert circuit.moves == ("(go 1 1)", "(go 1 2)", "(go 1 3)", "shut")
    walls = [circuit.fluents.index(f"(wall 2 {y})") for y in (1, 2)]
    assert (circuit.next[walls] == 0).all()
    read = set((circuit.gate_literals >> 1).tolist())
    assert read.isdisjoint(1 + wall for wall in walls)
    assert 1 + circuit.fluents.index("(open 1 2)") in {int(each) >> 1 for each in circuit.next} | read


def test_walls_stay_in_the_states() -> None:
    machine = load_machine(parse_sheet(ROOMS, "rooms"))
    state = machine.initial()
    for move in ("(go 1 2)", "(go 1 1)", "shut"):
        assert {"(wall 2 1)", "(wall 2 2)"} <= set(machine.facts(state))
        state = machine.next(state, [machine.circuit.moves.index(move)])
    assert {"(wall 2 1)", "(wall 2 2)"} <= set(machine.facts(state))
    assert "(open 1 2)" not in machine.facts(state)


def test_the_engines_agree() -> None:
    for seed in range(8):
        assert assert_agreement(engines_of(parse_sheet(ROOMS, "rooms")), seed=seed, max_steps=10) == 6
