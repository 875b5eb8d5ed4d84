"""Stage 1: ground the rules with clingo.

State and moves are left open: every fluent that `init` or `next` can derive may be true, and every move that `legal`
can derive may be made. The least model that the grounder computes is the relaxed reachable set of fluents and moves.

clingo cannot be interrupted while it grounds. It therefore runs in a process of its own, with limits of time and memory
that the system enforces.

Symbols become quoted strings in the grounder's notation, so that `01`, `+` or a number beyond 32 bits has no meaning to
it. Relations and functors are mangled injectively: a lower-case letter or a digit stays itself, and any other character
becomes its code between underscores.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.errors import BudgetError, RuleError
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable
from gdl_miner.agent.reasoner.budget import Clock
from gdl_miner.agent.reasoner.circuit import Ints
from gdl_miner.agent.reasoner.normal_form import Clause
from gdl_miner.agent.reasoner.rewriting import decompose, project

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
    with tempfile.TemporaryFile() as output:
        _run_grounder(asp_text(project(decompose(clauses))) + _OPEN_STATE_AND_MOVES, output, clock)
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


_OPEN_STATE_AND_MOVES = """
{r_true(F)} :- reached(F).
reached(F) :- r_init(F).
reached(F) :- r_next(F).
{r_does(R,M)} :- r_legal(R,M), r_role(R).
"""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[a-z0-9_]+|[(),]')
_ESCAPED = re.compile(r"\\(.)")


def asp_text(clauses: list[Clause]) -> str:
    """Return one line per clause."""
    return "\n".join(map(_rule, clauses))


@lru_cache(maxsize=65536)
def mangled(name: str) -> str:
    """Return a name made of lower-case letters, digits and underscores; different names give different results."""
    return "".join(c if c.isascii() and (c.islower() or c.isdigit()) else f"_{ord(c):x}_" for c in name)


@lru_cache(maxsize=65536)
def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _term(term: Term) -> str:
    if isinstance(term, Symbol):
        return _quoted(term.name)
    if isinstance(term, Variable):
        return "V_" + mangled(term.name)
    return f"f_{mangled(term.name)}({','.join(map(_term, term.args))})"


def _atom(atom: Term) -> str:
    if isinstance(atom, Compound):
        return f"r_{mangled(atom.name)}({','.join(map(_term, atom.args))})"
    return f"r_{mangled(atom.name)}"


def _rule(clause: Clause) -> str:
    body = [_atom(atom) for atom in clause.positive]
    body += ["not " + _atom(atom) for atom in clause.negative]
    body += [f"{_term(left)} != {_term(right)}" for left, right in clause.distinct]
    return f"{_atom(clause.head)} :- {', '.join(body)}." if body else f"{_atom(clause.head)}."


def read_atom(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the relation of an atom and the canonical texts of its arguments."""
    stack: list[list[str]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            arguments = stack.pop()
            if len(stack) == 1:
                return stack[0][0], tuple(arguments)
            functor = stack[-1].pop()
            stack[-1].append(f"({functor} {' '.join(arguments)})")
        elif token != ",":
            stack[-1].append(_name(token))
    return stack[0][0], ()


@lru_cache(maxsize=65536)
def _name(token: str) -> str:
    if token[0] == '"':
        return _ESCAPED.sub(r"\1", token[1:-1])
    return re.sub(r"_([0-9a-f]+)_", lambda match: chr(int(match[1], 16)), token[2:])
