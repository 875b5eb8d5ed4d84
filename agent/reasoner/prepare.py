"""From rules to circuit: ground, compile, optimise, lay out."""

from __future__ import annotations

from itertools import accumulate, chain

import numpy as np

from agent.errors import RuleError
from agent.gdl.rules import RuleSheet
from agent.reasoner.budget import Budget, Clock
from agent.reasoner.circuit import FORMAT_VERSION, Circuit
from agent.reasoner.compile import Compiler, NegativeCycleError, Vocabulary
from agent.reasoner.faults import moves_in_state, negative_cycle
from agent.reasoner.grounding import ground
from agent.reasoner.layout import MovesInStateError, lay_out
from agent.reasoner.normal_form import clauses_of
from agent.reasoner.optimise import optimise


def prepare(sheet: RuleSheet, budget: Budget | None = None) -> Circuit:
    """Return the circuit of a game.

    Raises RuleError for rules that mean nothing, BudgetError for rules that cannot be prepared within the budget.
    """
    if not sheet.roles:
        raise RuleError(f"{sheet.source}: the game has no roles; add a fact such as (role white)")
    clock = Clock(sheet.name, budget or Budget())
    program = ground(clauses_of(sheet), clock)
    grounding_s = clock.elapsed()
    names = Vocabulary.of(sheet.roles, program)
    move_start = list(accumulate(map(len, names.moves), initial=0))
    try:
        compiler = Compiler(names, program, lambda: clock.check("compiling"))
        nodes, roots = optimise(compiler.nodes, compiler.roots(), lambda: clock.check("compiling"))
        arrays = lay_out(nodes, roots, move_start)
    except NegativeCycleError:
        raise negative_cycle(sheet) from None
    except MovesInStateError:
        raise moves_in_state(sheet) from None
    circuit = Circuit(
        version=FORMAT_VERSION,
        rules_digest=sheet.digest,
        roles=names.roles,
        fluents=names.fluents,
        moves=tuple(chain.from_iterable(names.moves)),
        move_start=np.asarray(move_start, np.int32),
        initial=np.fromiter(compiler.initial(), np.uint8),
        grounding_s=grounding_s,
        compile_s=clock.elapsed() - grounding_s,
        **arrays._asdict(),
    )
    circuit.validate()
    return circuit
