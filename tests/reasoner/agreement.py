"""Random playouts on several engines, which must give the same answers."""

import random
from typing import Any, cast

from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.reasoner.budget import Budget
from gdl_miner.agent.reasoner.circuit import Circuit
from gdl_miner.agent.reasoner.engines import CircuitEngine, InterpreterEngine, TextEngine
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.reasoner.prepare import prepare
from tests.native.twin import PlainMachine


def engines_of(sheet: RuleSheet) -> tuple[TextEngine, ...]:
    """Return the interpreter, the native circuit, and the circuit's reference evaluator in Python."""
    circuit = prepare(sheet, Budget(seconds=60))
    twin = plain_machine(sheet, circuit)
    return InterpreterEngine(Interpreter(sheet)), CircuitEngine(Machine(sheet, circuit)), CircuitEngine(twin)


def plain_machine(sheet: RuleSheet, circuit: Circuit) -> Machine:
    """Return a machine whose questions the reference evaluator in Python answers."""
    twin = Machine(sheet, circuit)
    # Machine calls only those methods of its native part that the evaluator has, too.
    twin.native = cast("Any", PlainMachine(circuit))
    return twin


def assert_agreement(engines: tuple[TextEngine, ...], seed: int, max_steps: int) -> int:
    """Play one random playout on all engines and assert that all answers agree. Return the number of steps."""
    dice = random.Random(seed)
    first = engines[0]
    states = [engine.initial() for engine in engines]
    for step in range(max_steps):
        pairs = list(zip(engines, states, strict=True))
        facts, legal = [sorted(e.facts(s)) for e, s in pairs], [e.legal(s) for e, s in pairs]
        assert all(found == facts[0] for found in facts), f"facts differ after {step} steps"
        assert all(found == legal[0] for found in legal), f"legal moves differ after {step} steps"
        terminal, goals = [e.terminal(s) for e, s in pairs], [e.goals(s) for e, s in pairs]
        assert all(found == terminal[0] for found in terminal), f"terminal differs after {step} steps"
        assert all(found == goals[0] for found in goals), f"goals differ after {step} steps"
        if first.terminal(states[0]) or not all(legal[0]):
            return step
        joint = [dice.choice(sorted(moves)) for moves in legal[0]]
        states = [engine.next(state, joint) for engine, state in pairs]
    return max_steps
