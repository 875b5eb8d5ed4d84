"""From rules to circuit: ground, compile, optimise, lay out."""

from __future__ import annotations

import time
from itertools import accumulate

import numpy as np

from agent.errors import BudgetError, RuleError
from agent.gdl.formula import atoms
from agent.gdl.rules import RuleSheet
from agent.reasoner.circuit import FORMAT_VERSION, Circuit
from agent.reasoner.normal_form import clauses_of
from agent.reasoner.compile import Compiler, Vocabulary
from agent.reasoner.grounding import PROGRESS_AFTER_S, Budget, ground
from agent.reasoner.layout import lay_out
from agent.reasoner.optimise import optimise


def prepare(sheet: RuleSheet, budget: Budget = Budget()) -> Circuit:
    started = time.perf_counter()
    program = ground(clauses_of(sheet), sheet.name, budget)
    grounded = time.perf_counter()
    names = Vocabulary.of(sheet.roles, program)
    compiler = Compiler(names, program)
    roots = compiler.roots()
    a = time.perf_counter()
    nodes, roots = optimise(compiler.nodes, roots)
    b = time.perf_counter()
    move_start = list(accumulate(map(len, names.moves), initial=0))
    arrays = lay_out(nodes, roots, move_start)
    return Circuit(
        version=FORMAT_VERSION,
        rules_digest=sheet.digest,
        roles=names.roles,
        fluents=names.fluents,
        moves=tuple(move for moves in names.moves for move in moves),
        move_start=np.asarray(move_start, np.int32),
        initial=np.fromiter(compiler.initial(), np.uint8),
        grounding_s=grounded - started,
        compile_s=time.perf_counter() - grounded,
        **arrays._asdict(),
    )
