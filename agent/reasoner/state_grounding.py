"""A fallback that grounds the rules anew for every state, with the state's fluents as facts.

Such a program is far smaller than that of the whole game, since only the rules that the state allows are instantiated,
and clingo decides all of its atoms while it grounds. The fallback is for games whose full grounding exceeds the budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import clingo

from gdl_miner.agent.gdl.keywords import goal_value
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.gdl.syntax import parse_term
from gdl_miner.agent.reasoner.asp import asp_text, fact_text, mangled, read_atom
from gdl_miner.agent.reasoner.budget import Clock
from gdl_miner.agent.reasoner.decomposition import decompose
from gdl_miner.agent.reasoner.faults import negative_cycle
from gdl_miner.agent.reasoner.grounding import ground_text
from gdl_miner.agent.reasoner.normal_form import Clause, clauses_of
from gdl_miner.agent.reasoner.projection import project

_OF_STATE = ("legal", "terminal", "goal")

TrueAtoms = dict[str, set[tuple[str, ...]]]  # relation -> arguments of its true atoms


class StateGrounding:
    """A game whose rules are grounded for one state at a time. States are sets of canonical fluents."""

    def __init__(self, sheet: RuleSheet) -> None:
        self.sheet = sheet
        self.roles = sheet.roles
        clauses = project(decompose(clauses_of(sheet)))
        self._initial = asp_text(_needed(clauses, ("init",)))
        self._questions = asp_text(_needed(clauses, _OF_STATE))
        self._next = asp_text(_needed(clauses, ("next",)))
        self._seen: tuple[frozenset[str], TrueAtoms] | None = None

    def initial(self) -> frozenset[str]:
        """Return the state in which every match begins."""
        return frozenset(fluent for (fluent,) in self._solved(self._initial, {"init": 1})["init"])

    def legal(self, state: frozenset[str], role: str) -> set[str]:
        """Return the legal moves of a role."""
        return {move for one, move in self._answers(state)["legal"] if one == role}

    def next(self, state: frozenset[str], joint: Sequence[str]) -> frozenset[str]:
        """Return the state after a joint move, which has a move per role, in the order of the roles."""
        moves = (
            fact_text("does", (parse_term(role), parse_term(move)))
            for role, move in zip(self.roles, joint, strict=True)
        )
        program = "\n".join((self._next, *_state_facts(state), *moves))
        return frozenset(fluent for (fluent,) in self._solved(program, {"next": 1})["next"])

    def terminal(self, state: frozenset[str]) -> bool:
        """Whether the match is over."""
        return bool(self._answers(state)["terminal"])

    def goal(self, state: frozenset[str], role: str) -> int | None:
        """Return the goal of a role, None if the rules give none; the largest goal counts if several hold."""
        values = (goal_value(text) for one, text in self._answers(state)["goal"] if one == role)
        return max((value for value in values if value is not None), default=None)

    def try_out(self, clock: Clock) -> None:
        """Ground the programs of a first step in a process with limits. Raises BudgetError if they are exceeded."""
        program = ground_text(self._initial, clock)
        state = frozenset(fluent for (fluent,) in program.relations.get("init", {}))
        program = ground_text(self._question_program(state), clock)
        legal = sorted(program.relations.get("legal", {}))
        joint = [next((move for one, move in legal if one == role), role) for role in self.roles]
        ground_text(self._next_program(state, joint), clock)

    def _question_program(self, state: frozenset[str]) -> str:
        return "\n".join((self._questions, *_state_facts(state)))

    def _next_program(self, state: frozenset[str], joint: Sequence[str]) -> str:
        pairs = zip(map(parse_term, self.roles), map(parse_term, joint), strict=True)
        return "\n".join((self._next, *_state_facts(state), *(fact_text("does", pair) for pair in pairs)))

    def _answers(self, state: frozenset[str]) -> TrueAtoms:
        if self._seen is None or self._seen[0] != state:
            arities = {"legal": 2, "terminal": 0, "goal": 2}
            self._seen = state, self._solved(self._question_program(state), arities)
        return self._seen[1]

    def _solved(self, program: str, relations: dict[str, int]) -> TrueAtoms:
        control = clingo.Control(["--warn=none"])
        control.add("base", [], program)
        control.ground([("base", [])])
        found: TrueAtoms = {}
        for relation, arity in relations.items():
            atoms = list(control.symbolic_atoms.by_signature(f"r_{mangled(relation)}", arity))
            if not all(atom.is_fact for atom in atoms):
                raise negative_cycle(self.sheet)
            found[relation] = {read_atom(str(atom.symbol))[1] for atom in atoms}
        return found


def _state_facts(state: Iterable[str]) -> Iterable[str]:
    return (fact_text("true", (parse_term(fluent),)) for fluent in sorted(state))


def _needed(clauses: list[Clause], relations: Iterable[str]) -> list[Clause]:
    """Return the clauses that the given relations depend on."""
    by_head: dict[str, list[Clause]] = {}
    for clause in clauses:
        by_head.setdefault(clause.head.name, []).append(clause)
    pending, seen = list(relations), set(relations)
    while pending:
        for clause in by_head.get(pending.pop(), ()):
            for atom in (*clause.positive, *clause.negative):
                if atom.name not in seen:
                    seen.add(atom.name)
                    pending.append(atom.name)
    return [clause for clause in clauses if clause.head.name in seen]
