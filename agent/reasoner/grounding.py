"""Stage 1: rules to a ground program with clingo.

State and moves are left open: every fluent that `init` or `next` can derive may be true, every move that `legal` can
derive may be made. The least model the grounder computes is the relaxed reachable set of fluents and moves.

clingo cannot be interrupted while it grounds, so it runs in a process of its own, with limits of time and memory that
hold.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from array import array
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from agent.errors import BudgetError, RuleError
from agent.reasoner.asp import ASP_EXTRA_RULES, asp_text, read_atom
from agent.reasoner.budget import Clock
from agent.reasoner.normal_form import Clause
from agent.reasoner.projection import project

Body = tuple[int, ...]  # atoms; a negative number is a negated atom

_TICK = 1 << 16  # rules read between two looks at the clock
_GROUNDER = Path(__file__).with_name("clingo_process.py")


class GroundProgram(NamedTuple):
    """A ground program over interned atoms 1, 2, …; atom 0 stands for a fact, which needs no rules.

    Names are canonical texts. `relations` maps each of true, does, next, legal, goal, terminal, init to its derivable
    atoms, as tuples of argument texts.
    """

    rules: dict[int, list[Body]]  # head -> alternative bodies
    relations: dict[str, dict[tuple[str, ...], int]]


def ground(clauses: list[Clause], clock: Clock) -> GroundProgram:
    """Ground the clauses of a game.

    Raises BudgetError past the limits of time or memory, RuleError where the grounder refuses the rules.
    """
    text = asp_text(project(clauses)) + ASP_EXTRA_RULES
    with tempfile.TemporaryFile() as output:
        _run_grounder(text, output, clock)
        output.seek(0)
        return _read_program(output, clock)


def _run_grounder(text: str, output: IO[bytes], clock: Clock) -> None:
    seconds = int(clock.budget.seconds) + 1
    command = [sys.executable, "-P", str(_GROUNDER), str(clock.budget.memory_mib), str(seconds)]
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
        source.write(text.encode())
        source.seek(0)
        with subprocess.Popen(command, stdin=source, stdout=output, stderr=errors) as process:
            try:
                _wait(process, clock)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0 or not _complete(output):
            errors.seek(0)
            raise _failure(errors.read().decode(errors="replace"), clock)


def _wait(process: subprocess.Popen[bytes], clock: Clock) -> None:
    while True:
        try:
            process.wait(timeout=0.25)
            return
        except subprocess.TimeoutExpired:
            clock.check("grounding")


def _complete(output: IO[bytes]) -> bool:
    end = output.seek(0, os.SEEK_END)
    output.seek(max(0, end - 5))
    return output.read() == b"\nend\n"


def _failure(message: str, clock: Clock) -> Exception:
    if "bad_" in message or "MemoryError" in message or not message.strip():
        return BudgetError(
            f"{clock.game}: grounding does not fit the budget of {clock.budget.memory_mib} MiB and "
            f"{clock.budget.seconds:g} s; give it more, or simplify the rules"
        )
    reason = message.strip().splitlines()[-1]
    return RuleError(f"{clock.game}: the rules cannot be grounded ({reason}); run `agent check` on them")


def _read_program(output: IO[bytes], clock: Clock) -> GroundProgram:
    """Read what the grounder's process wrote (see there)."""
    integers = array("i")
    integers.fromfile(output, int(output.readline()))
    rules: dict[int, list[Body]] = {}
    values = iter(integers.tolist())
    for count, head in enumerate(values):
        rules.setdefault(head, []).append(tuple(islice(values, next(values))))
        if count % _TICK == 0:
            clock.check("grounding")
    relations: dict[str, dict[tuple[str, ...], int]] = {}
    for line in output:
        atom, _, text = line.decode().partition(" ")
        if text:
            relation, arguments = read_atom(text)
            relations.setdefault(relation, {})[arguments] = int(atom)
    return GroundProgram(rules, relations)
