"""Stage 1: rules to a ground program with clingo.

State and moves are left open: every fluent that `init` or `next` can derive may be true, every move that `legal` can derive
may be made. The least model the grounder computes is the relaxed reachable set of fluents and moves.

clingo cannot be interrupted while it grounds, so it runs in a process of its own, with limits of time and memory that hold.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

from agent.errors import BudgetError, RuleError
from agent.reasoner.asp import ASP_EXTRA_RULES, asp_text, read_atom
from agent.reasoner.normal_form import Clause
from agent.reasoner.projection import project

DEFAULT_BUDGET_S = 60.0
DEFAULT_MEMORY_MIB = 4096
PROGRESS_AFTER_S = 2.0

Progress = Callable[[str], None]
Body = tuple[int, ...]  # atoms; a negative number is a negated atom

_GROUNDER = Path(__file__).with_name("clingo_process.py")


class Budget(NamedTuple):
    """What preparing a game may cost."""

    seconds: float = DEFAULT_BUDGET_S
    memory_mib: int = DEFAULT_MEMORY_MIB
    progress: Progress | None = None


class GroundProgram(NamedTuple):
    """A ground program over interned atoms 1, 2, …; atom 0 stands for a fact, which needs no rules.

    Names are canonical texts. `relations` maps each of true, does, next, legal, goal, terminal, init to its derivable atoms,
    as tuples of argument texts.
    """

    rules: dict[int, list[Body]]  # head -> alternative bodies
    relations: dict[str, dict[tuple[str, ...], int]]


def ground(clauses: list[Clause], name: str, budget: Budget) -> GroundProgram:
    """Ground the clauses of the game `name`.

    Raises BudgetError past the limits of time or memory, RuleError where the grounder refuses the rules.
    """
    text = asp_text(project(clauses)) + ASP_EXTRA_RULES
    with tempfile.TemporaryFile() as output:
        _run_grounder(text, output, name, budget)
        output.seek(0)
        return read_aspif(output)


def _run_grounder(text: str, output: IO[bytes], name: str, budget: Budget) -> None:
    limits = [str(budget.memory_mib), str(int(budget.seconds) + 1)]
    command = [sys.executable, "-P", str(_GROUNDER), *limits]
    started = time.monotonic()
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
        source.write(text.encode())
        source.seek(0)
        process = subprocess.Popen(command, stdin=source, stdout=output, stderr=errors)
        try:
            _wait(process, name, budget, started)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode != 0:
            errors.seek(0)
            raise _failure(errors.read().decode(errors="replace"), name, budget)


def _wait(process: subprocess.Popen[bytes], name: str, budget: Budget, started: float) -> None:
    told = started + PROGRESS_AFTER_S - 1
    while True:
        try:
            process.wait(timeout=0.25 if time.monotonic() - started > 1 else 1.0)
            return
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            if now - started > budget.seconds:
                raise BudgetError(
                    f"{name}: grounding did not end within {budget.seconds:g} s; raise the time budget, or use the interpreter"
                ) from None
            if budget.progress is not None and now - told >= 1:
                told = now
                budget.progress(f"grounding {name}: {now - started:.0f} s of at most {budget.seconds:g} s")


def _failure(message: str, name: str, budget: Budget) -> Exception:
    if "bad_alloc" in message or "MemoryError" in message or not message.strip():
        return BudgetError(
            f"{name}: grounding needs more than {budget.memory_mib} MiB or {budget.seconds:g} s; "
            "raise the budget, or use the interpreter"
        )
    return RuleError(f"{name}: the rules cannot be grounded; run `agent check` on them ({message.strip().splitlines()[0]})")


def read_aspif(lines: IO[bytes]) -> GroundProgram:
    """Read a ground program in the intermediate format of the clingo family (aspif)."""
    rules: dict[int, list[Body]] = {}
    relations: dict[str, dict[tuple[str, ...], int]] = {}
    for line in lines:
        if line.startswith(b"1 0 1 "):  # a rule without choice and with one head: "1 0 1 head 0 length literals…"
            fields = line.split()
            rules.setdefault(int(fields[3]), []).append(tuple(map(int, fields[6:])))
        elif line.startswith(b"4 "):  # a shown atom: "4 length text condition-length condition"
            _, length, rest = line.split(b" ", 2)
            atom, condition = rest[: int(length)], rest[int(length) :].split()
            relation, arguments = read_atom(atom.decode())
            relations.setdefault(relation, {})[arguments] = int(condition[1]) if int(condition[0]) else 0
    return GroundProgram(rules, relations)
