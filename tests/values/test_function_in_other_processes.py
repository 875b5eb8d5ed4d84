import pickle

import numpy as np

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.values import TupleWeights, ValuePart, Values, compile_values


def test_a_function_that_travels_to_another_process_gives_the_same_values() -> None:
    machine = load_machine("tictactoe.ext")
    pair = TupleWeights(((1, 1), (1, 2)), {(".", "."): 0.3, ("x", "."): -1.5})
    part = ValuePart(0, 0, 0, {"(cell 2 2 x)": 2.0}, (pair,))
    exchanged = ("board as it is, roles exchanged, o for x",)
    function = compile_values(Values(exchanged, True, "", (2, 4), (part,)), machine)
    state, states = machine.initial(), []
    while not machine.terminal(state):
        states.append(state)
        state = machine.next(state, [int(rows[0]) for rows in machine.legal(state)])
    travelled = pickle.loads(pickle.dumps(function))
    expected = function.values(np.array(states))
    assert len(np.unique(expected)) > 2
    np.testing.assert_array_equal(travelled.values(np.array(states)), expected)
