"""Stage 2: ground program to nodes.

Atoms become literals in the order of their dependence. Alternatives that share their state part are factored: ``OR_k (t
and does in S_k) = t and (does in union S_k)``, which is what keeps frame axioms small. A cycle of atoms is positive
recursion and becomes a loop of gates; a cycle through a negation is an error in the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from agent.errors import RuleError
from agent.reasoner.circuit import FALSE, TRUE
from agent.reasoner.components import components
from agent.reasoner.grounding import Body, GroundProgram
from agent.reasoner.nodes import Nodes, Roots

_UNDERIVABLE = -1  # the atom of a fluent that no rule makes true in a next state
_TICK = 4096  # components compiled between two looks at the clock


class Vocabulary(NamedTuple):
    """Names of a game in their canonical order."""

    roles: tuple[str, ...]  # in the order of the sheet
    fluents: tuple[str, ...]  # sorted
    moves: tuple[tuple[str, ...], ...]  # [role]; sorted

    @classmethod
    def of(cls, roles: tuple[str, ...], program: GroundProgram) -> Vocabulary:
        """Return the names of the fluents and moves that a ground program can reach."""
        moves: dict[str, list[str]] = {role: [] for role in roles}
        for role, move in program.relations.get("does", {}):
            moves[role].append(move)
        fluents = tuple(sorted(fluent for (fluent,) in program.relations.get("true", {})))
        return cls(roles, fluents, tuple(tuple(sorted(moves[role])) for role in roles))


class NegativeCycleError(RuleError):
    """A ground atom depends on its own negation."""

    def __init__(self) -> None:
        super().__init__("a relation depends on its own negation")


class Compiler:
    """Turns the atoms of a ground program into literals of nodes."""

    def __init__(self, names: Vocabulary, program: GroundProgram, tick: Callable[[], None] = lambda: None) -> None:
        self.names = names
        self.nodes = Nodes(len(names.fluents), map(len, names.moves))
        self._program = program
        self._tick = tick
        self._literal: dict[int, int] = {0: TRUE, _UNDERIVABLE: FALSE}  # atom -> literal
        true, does = program.relations.get("true", {}), program.relations.get("does", {})
        for index, fluent in enumerate(names.fluents):
            self._literal[true[fluent,]] = self.nodes.fluent(index)
        for role, name in enumerate(names.roles):
            for index, move in enumerate(names.moves[role]):
                self._literal[does[name, move]] = self.nodes.move_set(role, 1 << index)

    def roots(self) -> Roots:
        """Compile everything the game asks about. Goals come by role, the largest value first."""
        relations, names = self._program.relations, self.names
        rows = ((role, move) for role, moves in zip(names.roles, names.moves, strict=True) for move in moves)
        legal = [relations["legal"][row] for row in rows]
        terminal = relations.get("terminal", {}).get((), _UNDERIVABLE)
        goals = sorted(self._goals(), key=lambda goal: (goal[0], -goal[1]))
        derived = relations.get("next", {})
        following = [derived.get((fluent,), _UNDERIVABLE) for fluent in names.fluents]
        self._compile((*legal, terminal, *(atom for _, _, atom in goals), *following))
        return Roots(tuple(legal), terminal, tuple(goals), tuple(following)).mapped(self._literal.__getitem__)

    def initial(self) -> Iterator[bool]:
        """Whether each fluent holds in the initial state."""
        initial = self._program.relations.get("init", {})
        for fluent in self.names.fluents:
            yield (fluent,) in initial

    def _goals(self) -> Iterator[tuple[int, int, int]]:
        role_of = {role: index for index, role in enumerate(self.names.roles)}
        for (role, value), atom in self._program.relations.get("goal", {}).items():
            if role in role_of and value.isascii() and value.isdigit() and int(value) <= 100:
                yield role_of[role], int(value), atom

    def _compile(self, atoms: Iterable[int]) -> None:
        rules = self._program.rules

        def dependencies(atom: int) -> Iterator[int]:
            for body in rules.get(atom, ()):
                yield from map(abs, body)

        known = self._literal
        wanted = (atom for atom in atoms if atom not in known)
        for count, component in enumerate(components(wanted, lambda atom: () if atom in known else dependencies(atom))):
            if count % _TICK == 0:
                self._tick()
            if len(component) == 1:
                atom = component[0]
                if atom not in known:
                    known[atom] = self._any_of(body for body in rules.get(atom, ()) if atom not in body)
                    if any(-atom in body for body in rules.get(atom, ())):
                        raise NegativeCycleError
            else:
                self._close(component)

    def _close(self, cycle: list[int]) -> None:
        """Compile atoms that depend on each other. In the least element all of them are false."""
        rules, members = self._program.rules, set(cycle)
        placeholders = {}
        for atom in cycle:
            if any(-literal in members for body in rules[atom] for literal in body):
                raise NegativeCycleError
            alternatives = len(rules[atom]) > 1  # an OR is the complement of its gate
            placeholders[atom] = self.nodes.placeholder(initial=int(alternatives))
            self._literal[atom] = 2 * placeholders[atom] + alternatives
        for atom, node in placeholders.items():
            complement = self._literal[atom] & 1
            self.nodes.define(node, self._any_of(body for body in rules[atom] if atom not in body) ^ complement)

    def _any_of(self, bodies: Iterable[Body]) -> int:
        """Return the literal of an OR of ANDs, alternatives with the same state part taken together."""
        by_state: dict[frozenset[int], list[int]] = {}
        for body in bodies:
            state, moves = self._split(body)
            if moves != FALSE and FALSE not in state:
                by_state.setdefault(state, []).append(moves)
        by_moves: dict[int, list[int]] = {}
        for state, alternatives in by_state.items():
            flat = chain.from_iterable(self.nodes.move_alternatives(moves) or (moves,) for moves in alternatives)
            moves = self.nodes.disjunction(flat)
            by_moves.setdefault(moves, []).append(self.nodes.conjunction(state))
        return self.nodes.disjunction(
            self.nodes.conjunction((moves, self.nodes.disjunction(states))) for moves, states in by_moves.items()
        )

    def _split(self, body: Body) -> tuple[frozenset[int], int]:
        """Return the literals of a body that read the state and the literal of those that are sets of moves."""
        state: list[int] = []
        moves: list[int] = []
        for atom in body:
            literal = self._literal[atom] if atom > 0 else self._literal[-atom] ^ 1
            if self.nodes.move_alternatives(literal):
                moves.append(literal)
            elif literal != TRUE:
                state.append(literal)
        return frozenset(state), self.nodes.conjunction(moves)
