"""Top-down answering of queries with tables, so that recursion ends wherever its set of queries and answers is finite.

Every distinct query gets a table of answers. A clause that waits for answers is kept with the table that will give them
and continues once for each answer (SLG resolution, Chen & Warren 1996). An agenda replaces the call stack, so the depth
of recursion has no limit. A negated query is answered completely before its clause continues; stratified rules allow
that.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.reasoner.clauses import (
    Absent,
    Bindings,
    Call,
    Choice,
    ClauseStep,
    Emit,
    GroundTerm,
    OrderedClause,
    Predicate,
    Query,
    Test,
    bind_head,
    instance,
    is_ground,
    match_all,
)

Answer = tuple[Any, ...]
"""The arguments of a ground atom, which are ground terms."""
Subgoal = tuple[Predicate, tuple[Query, ...]]
Memory = dict[Subgoal, Collection[Answer]]
"""The queries that are completely answered, with their answers."""

_Path = tuple[int, ...]

_TICK = 4096  # steps between two ticks


class Facts:
    """Ground atoms of one relation, indexed by every argument and by every argument of an argument."""

    def __init__(self, atoms: Iterable[Answer] = ()) -> None:
        self.atoms: list[Answer] = list(dict.fromkeys(atoms))
        self._indices: dict[_Path, dict[GroundTerm, list[Answer]]] = {}

    def candidates(self, query: tuple[Query, ...]) -> Sequence[Answer]:
        """Return atoms that include all instances of the query."""
        best = self.atoms
        for position, item in enumerate(query):
            if is_ground(item):
                best = min(best, self._bucket((position,), item), key=len)
            elif isinstance(item, tuple):
                for inner, part in enumerate(item):
                    if is_ground(part):
                        best = min(best, self._bucket((position, inner), part), key=len)
        return best

    def _bucket(self, path: _Path, value: GroundTerm) -> list[Answer]:
        index = self._indices.get(path)
        if index is None:
            index = self._indices[path] = defaultdict(list)
            for atom in self.atoms:
                term: GroundTerm | None = atom
                for step in path:
                    term = term[step] if type(term) is tuple and step < len(term) else None
                if term is not None:
                    index[term].append(atom)
        return index.get(value, [])


class _Table:
    __slots__ = ("answers", "consumers", "ground")

    def __init__(self, ground: bool) -> None:
        self.answers: dict[Answer, None] = {}
        self.consumers: list[tuple[Call, Bindings, OrderedClause, _Table]] = []
        self.ground = ground


_ProofTask = tuple[ClauseStep, Bindings, OrderedClause, _Table]


class _Frame:
    """The search for all answers of one goal; its tables are complete when its agenda is empty."""

    def __init__(self, goal: Subgoal) -> None:
        self.goal = goal
        self.tables: dict[Subgoal, _Table] = {}
        self.agenda: list[_ProofTask] = []


class Prover:
    """A prover of queries about one state of a game.

    `memory` holds, for each relation, the memory in which its answers may be kept. `tick` is called now and then and
    may raise to end the search.
    """

    def __init__(
        self,
        clauses: Mapping[Predicate, Sequence[OrderedClause]],
        facts: Mapping[Predicate, Facts],
        memory: Mapping[Predicate, Memory],
        tick: Callable[[], None] | None = None,
    ) -> None:
        self._clauses = clauses
        self._facts = facts
        self._memory = memory
        self._tick = tick
        self._steps = 0

    def answers(self, predicate: Predicate, *query: Query) -> Collection[Answer]:
        """Return the ground instances of a query that hold.

        Raises:
            RuleError: a rule leaves a variable of its head unbound, negates itself, or grows terms without end.

        """
        if predicate not in self._clauses:
            return [atom for atom in self._candidates(predicate, query) if _fits(query, atom)]
        goal = predicate, query
        known = self._memory[predicate].get(goal)
        if known is None:
            self._solve(goal)
            known = self._memory[predicate][goal]
        return known

    def first_answer(self, predicate: Predicate, *query: Query) -> Answer | None:
        """Return one of the answers, None if there is none. It takes a small part of the time of all answers.

        Raises RuleError as `answers` does, if it meets the fault before an answer.
        """
        goal = predicate, query
        if predicate not in self._clauses or goal in self._memory[predicate]:
            return next(iter(self.answers(predicate, *query)), None)
        return self._solve(goal, first=True)

    def _candidates(self, predicate: Predicate, query: tuple[Query, ...]) -> Sequence[Answer]:
        facts = self._facts.get(predicate)
        return facts.candidates(query) if facts else ()

    def _solve(self, goal: Subgoal, *, first: bool = False) -> Answer | None:
        """Find all answers of a goal, and keep them in the memory; with `first`, stop at one and return it."""
        frames = [_Frame(goal)]
        answers = self._open(frames[0], goal).answers
        while frames:
            if first and answers:
                return next(iter(answers))
            frame = frames[-1]
            self._steps += 1
            if self._tick is not None and self._steps % _TICK == 0:
                self._tick()
            if not frame.agenda:
                for (predicate, query), table in frame.tables.items():
                    self._memory[predicate][predicate, query] = table.answers
                frames.pop()
                continue
            task = frame.agenda.pop()
            try:
                needed = self._advance(frame, task)
            except RecursionError:
                raise RuleError(
                    f"{task[2].position}: terms grow without end in this rule; bound its recursion"
                ) from None
            if needed is not None:
                if any(needed == other.goal for other in frames):
                    raise RuleError(f"{task[2].position}: {needed[0][0]} depends on its own negation; break the cycle")
                frame.agenda.append(task)
                frames.append(_Frame(needed))
                self._open(frames[-1], needed)
        return None

    def _open(self, frame: _Frame, goal: Subgoal) -> _Table:
        predicate, query = goal
        table = frame.tables[goal] = _Table(is_ground(query))
        for clause in reversed(self._clauses[predicate]):
            bindings: Bindings = [None] * len(clause.indices)
            if all(bind_head(part, item, bindings) for part, item in zip(clause.head, query, strict=True)):
                frame.agenda.append((clause.first_step(bindings), bindings, clause, table))
        for atom in self._candidates(predicate, query):
            if _fits(query, atom):
                table.answers[atom] = None
        return table

    def _advance(self, frame: _Frame, task: _ProofTask) -> Subgoal | None:
        """Do one step of a task, or return the goal that must be answered completely before the step can be done."""
        step, bindings, clause, table = task
        if table.ground and table.answers:
            return None
        match step:
            case Emit():
                self._emit(frame, bindings, clause, table)
            case Test():
                if (instance(step.left, bindings) != instance(step.right, bindings)) == step.differ:
                    frame.agenda.append((step.then, bindings, clause, table))
            case Choice():
                frame.agenda.extend((branch, bindings, clause, table) for branch in reversed(step.branches))
            case Call():
                self._call(frame, step, bindings, clause, table)
            case Absent():
                query = tuple([instance(argument, bindings) for argument in step.args])
                known = self._known(step.predicate, query)
                if known is None:
                    return step.predicate, query
                if not any(match_all(step.args, atom, bindings.copy()) for atom in known):
                    frame.agenda.append((step.then, bindings, clause, table))
        return None

    def _known(self, predicate: Predicate, query: tuple[Query, ...]) -> Collection[Answer] | None:
        """Return atoms that include all answers, or None if the answers must be searched for."""
        if predicate not in self._clauses:
            return self._candidates(predicate, query)
        return self._memory[predicate].get((predicate, query))

    def _call(self, frame: _Frame, step: Call, bindings: Bindings, clause: OrderedClause, table: _Table) -> None:
        query = tuple([instance(argument, bindings) for argument in step.args])
        answers = self._known(step.predicate, query)
        if answers is None:
            goal = step.predicate, query
            asked = frame.tables.get(goal) or self._open(frame, goal)
            asked.consumers.append((step, bindings, clause, table))
            answers = tuple(asked.answers)
        for atom in answers:
            _resume(frame, step, bindings, clause, table, atom)

    def _emit(self, frame: _Frame, bindings: Bindings, clause: OrderedClause, table: _Table) -> None:
        atom = tuple([instance(part, bindings) for part in clause.head])
        if not all(map(is_ground, atom)):
            loose = next(name for name, index in clause.indices.items() if bindings[index] is None)
            raise RuleError(
                f"{clause.position}: nothing binds the variable {loose} of this rule's head; add a condition"
            )
        if atom not in table.answers:
            table.answers[atom] = None
            for step, waiting, waiter, target in table.consumers:
                _resume(frame, step, waiting, waiter, target, atom)


def _resume(frame: _Frame, step: Call, bindings: Bindings, clause: OrderedClause, table: _Table, atom: Answer) -> None:
    extended = bindings.copy()
    if match_all(step.args, atom, extended):
        frame.agenda.append((step.then, extended, clause, table))


def _fits(query: tuple[Query, ...], atom: Answer) -> bool:
    """Whether an atom is an instance of a query."""
    if len(query) != len(atom):
        return False
    return all(
        item is None or item == value or (type(item) is tuple and type(value) is tuple and _fits(item, value))
        for item, value in zip(query, atom, strict=True)
    )
