"""A slow interpreter that follows the definition of GDL directly; the circuit is compared with it.

It shares only the reader of rules with the rest of the reasoner. It queries the rules for `init`, `legal`, `next`,
`terminal` and `goal` (Genesereth, Love & Pell 2005). Since it derives only what these queries need, it can also play
rules whose full closure is huge or infinite.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from gdl_miner.agent.gdl.formula import atoms
from gdl_miner.agent.gdl.keywords import goal_value
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.gdl.syntax import parse_term
from gdl_miner.agent.reasoner.clauses import (
    OPEN,
    GroundTerm,
    OrderedClause,
    Predicate,
    RuleProgram,
    ground_term,
    ground_text,
)
from gdl_miner.agent.reasoner.tabling import Facts, Memory, Prover

_STATIC, _STATE, _MOVE = range(3)
"""The scope of a relation: it depends on nothing, on the state, or on the moves too.

The answers of a relation stay valid as long as the things it depends on do not change.
"""


class Interpreter:
    """An interpreter of one game. States are sets of fluents, written canonically, without `true`."""

    def __init__(self, sheet: RuleSheet, tick: Callable[[], None] | None = None) -> None:
        """Take the rules. `tick` is called now and then while a query is answered and may raise to end the work."""
        self.sheet = sheet
        self._tick = tick
        self.roles: tuple[str, ...] = sheet.roles
        self._clauses, facts = RuleProgram.of(sheet.rules)
        self._facts = {predicate: Facts(answers) for predicate, answers in facts.items()}
        self._scopes = _scopes(self._clauses)
        self._static: Memory = {}
        self._seen: tuple[frozenset[str], Facts, Memory] | None = None
        self._terms: dict[str, GroundTerm] = {}
        self._texts: dict[GroundTerm, str] = {}

    def initial(self) -> frozenset[str]:
        """Return the state in which every match begins."""
        return frozenset(self._written(answer[0]) for answer in self._prover(frozenset()).answers(("init", 1), None))

    def legal(self, state: frozenset[str], role: str) -> set[str]:
        """Return the moves a role may make, written canonically, without `does`."""
        answers = self._prover(state).answers(("legal", 2), self._read(role), None)
        return {self._written(answer[1]) for answer in answers}

    def some_legal(self, state: frozenset[str], role: str) -> str | None:
        """Return one of the moves that a role may make, None if it has none, much sooner than `legal` does."""
        answer = self._prover(state).first_answer(("legal", 2), self._read(role), None)
        return None if answer is None else self._written(answer[1])

    def next(self, state: frozenset[str], joint: Mapping[str, str] | Sequence[str]) -> frozenset[str]:
        """Return the state after a joint move, which has a move for each role, by name or in the order of the roles.

        Raises:
            ValueError: a role has no move, or a name that is no role has one.

        """
        moves = joint if isinstance(joint, Mapping) else dict(zip(self.roles, joint, strict=True))
        if set(moves) != set(self.roles):
            raise ValueError(f"expected a move for each of {', '.join(self.roles)}, got {', '.join(moves) or 'none'}")
        prover = self._prover(state, moves)
        return frozenset(self._written(answer[0]) for answer in prover.answers(("next", 1), None))

    def terminal(self, state: frozenset[str]) -> bool:
        """Whether the match is over."""
        return bool(self._prover(state).answers(("terminal", 0)))

    def goal(self, state: frozenset[str], role: str) -> int | None:
        """Return the goal of a role, None if the rules give none from 0 to 100; the largest counts if several hold."""
        return max(self.goals(state, role), default=None)

    def goals(self, state: frozenset[str], role: str) -> set[int]:
        """Return all goals from 0 to 100 that the rules give a role in a state; there should be one at most."""
        answers = self._prover(state).answers(("goal", 2), self._read(role), None)
        values = (goal_value(self._written(answer[1])) for answer in answers)
        return {value for value in values if value is not None}

    def _prover(self, state: frozenset[str], moves: Mapping[str, str] | None = None) -> Prover:
        if self._seen is None or self._seen[0] != state:
            self._seen = state, Facts((self._read(fluent),) for fluent in sorted(state)), {}
        memories: tuple[Memory, Memory, Memory] = self._static, self._seen[2], {}
        does = Facts((self._read(role), self._read(move)) for role, move in (moves or {}).items())
        return Prover(
            self._clauses,
            {**self._facts, ("true", 1): self._seen[1], ("does", 2): does},
            {predicate: memories[scope] for predicate, scope in self._scopes.items()},
            self._tick,
        )

    def _read(self, text: str) -> GroundTerm:
        term = self._terms.get(text)
        if term is None:
            term = self._terms[text] = ground_term(parse_term(text))
        return term

    def _written(self, term: GroundTerm) -> str:
        text = self._texts.get(term)
        if text is None:
            text = self._texts[term] = ground_text(term)
        return text


def _scopes(clauses: Mapping[Predicate, Iterable[OrderedClause]]) -> dict[Predicate, int]:
    """Return the scope of each relation: the widest scope among the relations in its rules, as a least fixpoint."""
    scopes = {**dict.fromkeys(clauses, _STATIC), ("true", 1): _STATE, ("does", 2): _MOVE}
    uses = {
        predicate: {atom.predicate for clause in own_clauses for atom, _ in atoms(clause.body)}
        for predicate, own_clauses in clauses.items()
    }
    changed = True
    while changed:
        changed = False
        for predicate, used in uses.items():
            scope = max([scopes[predicate], *(scopes.get(other, _STATIC) for other in used)])
            changed |= scope != scopes[predicate]
            scopes[predicate] = scope
    return {predicate: scope for predicate, scope in scopes.items() if predicate not in OPEN}
