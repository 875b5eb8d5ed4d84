from dataclasses import replace

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


def test_the_check_names_what_is_broken(circuit: Circuit) -> None:
    with pytest.raises(ValueError, match="n_state_gates is out of range"):
        _native.check_circuit(replace(circuit, n_state_gates=circuit.n_gates + 1))
