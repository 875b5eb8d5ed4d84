"""Stage 1: ground the rules with clingo.

State and moves are left open: every fluent that `init` or `next` can derive may be true, and every move that `legal`
can derive may be made. The least model that the grounder computes is the relaxed reachable set of fluents and moves.

clingo cannot be interrupted while it grounds. It therefore runs in a process of its own, with limits of time and memory
that the system enforces.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.errors import BudgetError, RuleError
from gdl_miner.agent.reasoner.asp import ASP_EXTRA_RULES, asp_text, read_atom
from gdl_miner.agent.reasoner.budget import Clock
from gdl_miner.agent.reasoner.decomposition import decompose
from gdl_miner.agent.reasoner.fluent_groups import Ints
from gdl_miner.agent.reasoner.normal_form import Clause
from gdl_miner.agent.reasoner.projection import project

_TICK = 1 << 12  # atoms read between two looks at the clock
# Texts in the grounder's error output that mean it ran out of memory.
_SIGNS_OF_WANT = ("bad_", "no message", "MemoryError", "allocate memory", "failed to map")
_GROUNDER = Path(__file__).with_name("clingo_process.py")


class GroundProgram(NamedTuple):
    """A ground program over interned atoms 1, 2, …; atom 0 stands for a fact, which needs no rules.

    Names are canonical texts. `relations` maps each of true, does, next, legal, goal, terminal and init to its
    derivable atoms: from the tuple of argument texts to the number of the atom.
    """

    n_atoms: int  # atom 0 included
    rules: Ints  # each as head, length of the body, body; a negative number is a negated atom
    relations: dict[str, dict[tuple[str, ...], int]]


def ground(clauses: list[Clause], clock: Clock) -> GroundProgram:
    """Ground the clauses of a game.

    Raises:
        BudgetError: grounding exceeds the limits of time or memory.
        RuleError: the grounder refuses the rules.
    """
    return ground_text(asp_text(project(decompose(clauses))) + ASP_EXTRA_RULES, clock)


def ground_text(text: str, clock: Clock) -> GroundProgram:
    """Ground a program in the grounder's notation, in a process with limits. Raises as `ground` does."""
    with tempfile.TemporaryFile() as output:
        _run_grounder(text, output, clock)
        output.seek(0)
        return _read_program(output, clock)


def _run_grounder(text: str, output: IO[bytes], clock: Clock) -> None:
    program = text.encode()
    limits = [str(clock.budget.memory_mib), str(int(clock.budget.seconds) + 1)]
    command = [sys.executable, "-P", str(_GROUNDER), str(len(program)), *limits, _native.__file__]
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=errors) as process:
            try:
                _feed(process, program, clock)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0 or not _complete(output):
            errors.seek(0)
            raise _failure(errors.read().decode(errors="replace"), clock)


def _feed(process: subprocess.Popen[bytes], program: bytes, clock: Clock) -> None:
    """Write the input of a process and wait until the process ends."""
    unsent: bytes | None = program
    while True:
        try:
            process.communicate(unsent, timeout=0.25)
            return
        except subprocess.TimeoutExpired:
            unsent = None  # the next call goes on with the input of the first
            clock.check("grounding")


def _complete(output: IO[bytes]) -> bool:
    end = output.seek(0, os.SEEK_END)
    output.seek(max(0, end - 5))
    return output.read() == b"\nend\n"


def _failure(message: str, clock: Clock) -> Exception:
    if not message.strip() or any(sign in message for sign in _SIGNS_OF_WANT):
        return BudgetError(
            f"{clock.game}: grounding does not fit the budget of {clock.budget.memory_mib} MiB and "
            f"{clock.budget.seconds:g} s; give it more, or simplify the rules"
        )
    reason = message.strip().splitlines()[-1]
    return RuleError(f"{clock.game}: the rules cannot be grounded ({reason}); run `agent check` on them")


def _read_program(output: IO[bytes], clock: Clock) -> GroundProgram:
    """Read the output of the grounder's process; agent/reasoner/clingo_process.py describes its format."""
    n_atoms, n_integers = map(int, output.readline().split())
    rules = np.frombuffer(output.read(4 * n_integers), np.int32)
    relations: dict[str, dict[tuple[str, ...], int]] = {}
    for count, line in enumerate(output):
        if count % _TICK == 0:
            clock.check("grounding")
        atom, _, text = line.decode().partition(" ")
        if text:
            relation, arguments = read_atom(text)
            relations.setdefault(relation, {})[arguments] = int(atom)
    return GroundProgram(n_atoms, rules, relations)
