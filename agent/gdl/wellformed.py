"""Checks of a sheet's names, reserved relations and variables.

A name has one arity, and some rule or fact gives every name that a condition asks for. GDL's reserved relations are
there, with their arities, where they may stand. Every variable of a rule gets its values from a condition that is
neither negated nor a `distinct`.
"""

from collections.abc import Iterable, Iterator

from gdl_miner.agent.gdl.board import EXTENSION
from gdl_miner.agent.gdl.dependencies import Dependencies, Vertex
from gdl_miner.agent.gdl.finding import Finding, arguments, error, warning
from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or, atoms, format_formula, formula_variables
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE, KEYWORDS, goal_value
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, Term, Variable, format_term, ground, variables

_EXAMPLES = {
    "role": "(role white)",
    "init": "(init (control white))",
    "legal": "(<= (legal ?r noop) (role ?r))",
    "next": "(<= (next (control white)) (true (control black)))",
    "terminal": "(<= terminal (true (step 10)))",
    "goal": "(<= (goal white 100) (line white))",
}

_FORBIDDEN: dict[str, tuple[str, ...]] = {
    "init": ("true", "does"),
    "legal": ("does",),
    "terminal": ("does",),
    "goal": ("does",),
    "role": ("true", "does"),
    "base": ("true", "does"),
    "input": ("true", "does"),
}


def badly_formed(sheet: RuleSheet, dependencies: Dependencies) -> Iterator[Finding]:
    """Find what is wrong with the names, the reserved relations and the variables of a sheet.

    `dependencies` are those between the relations of the sheet.
    """
    yield from _missing_relations(sheet)
    yield from _imperfect_information(sheet)
    for rule in sheet.rules:
        yield from _misplaced_keywords(rule, sheet.roles)
        yield from _unsafe_variables(rule)
    yield from _arity_clashes(sheet)
    yield from _undefined_names(sheet)
    yield from _forbidden_dependencies(sheet, dependencies)


def _missing_relations(sheet: RuleSheet) -> Iterator[Finding]:
    """Find the reserved relations that are missing; a game may lack `init` if it starts in the empty state."""
    present = {rule.head.name for rule in sheet.rules}
    for name, example in _EXAMPLES.items():
        if name not in present:
            make = warning if name == "init" else error
            place = Location(sheet.source, 1, 1)
            yield make(place, f"the sheet has no rule or fact for '{name}'", f"add one, such as {example}")
    if "role" in present and not sheet.roles:
        place = next(rule.position for rule in sheet.rules if rule.head.name == "role")
        yield error(place, "no role is given by a fact", "write each role as a fact, such as (role white)")


def _imperfect_information(sheet: RuleSheet) -> Iterator[Finding]:
    """Find elements of GDL-II: `sees`. The role `random` may be there, but not alone."""
    advice = "this program plays games without hidden information; use a version of the game without it"
    for rule in sheet.rules:
        for atom in (Atom(rule.head, rule.position), *(atom for atom, _ in atoms(rule.body))):
            if atom.predicate in {("sees", 2), ("sees", 3)}:
                yield error(atom.position, f"'{format_formula(atom)}' is GDL-II", advice)
        if sheet.roles == (CHANCE_ROLE,) and rule.predicate == ("role", 1):
            yield error(rule.position, "the role 'random' is alone: it moves by chance", "add a role for a player")


def _misplaced_keywords(rule: Rule, roles: tuple[str, ...]) -> Iterator[Finding]:
    """Find reserved relations with a wrong arity or in a wrong place, and roles that do not exist."""
    head = Atom(rule.head, rule.position)
    yield from _misused(head, roles)
    if head.name in {"true", "does"}:
        instead = "next" if head.name == "true" else "legal"
        yield error(
            rule.position,
            f"'{head.name}' is the head of a rule",
            f"it is given by the match; did you mean '{instead}'?",
        )
    if head.name == "role" and rule.body:
        yield error(rule.position, "a role is given by a rule", "write each role as a fact, such as (role white)")
    for atom, _ in atoms(rule.body):
        yield from _misused(atom, roles)
        if atom.name in {"init", "next"}:
            instead = "a relation of your own, used by both" if atom.name == "init" else "'true' for the current state"
            yield warning(atom.position, f"'{format_formula(atom)}' is a condition", f"write {instead}")


def _misused(atom: Atom, roles: tuple[str, ...]) -> Iterator[Finding]:
    arity = KEYWORDS.get(atom.name)
    if arity is None:
        return
    if len(atom.args) != arity:
        yield error(
            atom.position,
            f"'{format_formula(atom)}' has {arguments(len(atom.args))}",
            f"'{atom.name}' takes {arguments(arity)}, so rewrite it or choose another name",
        )
        return
    if atom.name in {"does", "legal", "goal"}:
        role = atom.args[0]
        if ground(role) and format_term(role) not in roles:
            known = ", ".join(roles) or "none"
            yield warning(atom.position, f"'{format_term(role)}' is no role", f"the roles are {known}; use one of them")
    if atom.name == "goal" and ground(atom.args[1]) and not _payoff(atom.args[1]):
        yield warning(
            atom.position, f"the goal '{format_term(atom.args[1])}' is no payoff", "give an integer from 0 to 100"
        )


def _payoff(term: Term) -> bool:
    return isinstance(term, Symbol) and goal_value(term.name) is not None


def _forbidden_dependencies(sheet: RuleSheet, dependencies: Dependencies) -> Iterator[Finding]:
    """Find reserved relations that depend on relations which are not known yet when they are evaluated."""
    for name, others in _FORBIDDEN.items():
        start: Vertex = name, KEYWORDS[name]
        for other in others:
            target: Vertex = other, KEYWORDS[other]
            way = dependencies.path(start, target)
            if way:
                chain = " -> ".join(map(str, (name, *way)))
                known = "the state" if name in {"legal", "goal", "terminal"} else "facts that never change"
                yield error(
                    way[0].atom.position,
                    f"'{name}' depends on '{other}': {chain}",
                    f"it may depend on {known} only, so take this condition out",
                )


_Function = tuple[str, int]
"""A name and the number of its arguments."""


def _arity_clashes(sheet: RuleSheet) -> Iterator[Finding]:
    """Find relations, and functions, that occur with different numbers of arguments."""
    first: dict[tuple[str, str], tuple[int, Location]] = {}
    reported: set[tuple[str, _Function]] = set()
    for rule in sheet.rules:
        for atom in (Atom(rule.head, rule.position), *(atom for atom, _ in atoms(rule.body))):
            uses = [("relation", (atom.name, len(atom.args)))] if atom.name not in KEYWORDS else []
            uses += [("function", use) for argument in atom.args for use in functions_of(argument)]
            for kind, (name, arity) in uses:
                known, place = first.setdefault((kind, name), (arity, atom.position))
                if arity != known and (kind, (name, arity)) not in reported:
                    reported.add((kind, (name, arity)))
                    yield _clash(kind, (name, arity), atom.position, known, place)


def functions_of(term: Term) -> Iterator[_Function]:
    """Yield the functions of a term with their numbers of arguments, the outermost first."""
    if isinstance(term, Compound):
        yield term.name, len(term.args)
        for argument in term.args:
            yield from functions_of(argument)


def _clash(kind: str, use: _Function, position: Location, known: int, place: Location) -> Finding:
    make = error if kind == "relation" else warning
    what = f"the {kind} '{use[0]}' has {arguments(use[1])} here, but {known} in line {place.line}"
    return make(position, what, "give it the same number everywhere, or two names")


def _undefined_names(sheet: RuleSheet) -> Iterator[Finding]:
    """Find conditions that nothing can ever meet: relations, fluents, or moves that no rule or fact gives."""
    relations = {rule.predicate for rule in sheet.rules}
    fluents, moves = given_terms(sheet, {"init", "next"}, 0), given_terms(sheet, {"legal"}, 1)
    reported: set[tuple[str, _Function]] = set()
    for rule in sheet.rules:
        for atom, _ in atoms(rule.body):
            missing = _missing(atom, relations, fluents, moves)
            if missing is not None and missing not in reported:
                reported.add(missing)
                kind, (name, arity) = missing
                yield warning(
                    atom.position,
                    f"'{format_formula(atom)}' never holds: no rule gives the {kind} '{name}' with {arguments(arity)}",
                    "correct the name or the arguments, or add what is missing",
                )


def given_terms(sheet: RuleSheet, keywords: Iterable[str], argument: int) -> set[_Function] | None:
    """Return names and arities of the fluents or moves in heads of these keywords, None if one is a variable."""
    given: set[_Function] = set()
    for rule in sheet.rules:
        if rule.head.name in keywords and isinstance(rule.head, Compound) and len(rule.head.args) > argument:
            term = rule.head.args[argument]
            if isinstance(term, Variable):
                return None
            given.add(_use(term))
    return given


def _use(term: Term) -> _Function:
    return (term.name, len(term.args)) if isinstance(term, Compound) else (format_term(term), 0)


def _missing(
    atom: Atom, relations: set[_Function], fluents: set[_Function] | None, moves: set[_Function] | None
) -> tuple[str, _Function] | None:
    if atom.predicate in {("true", 1), ("does", 2)}:
        kind, given = ("fluent", fluents) if atom.name == "true" else ("move", moves)
        term = atom.args[-1]
        if given is None or isinstance(term, Variable) or _use(term) in given:
            return None
        return kind, _use(term)
    if atom.name in KEYWORDS or atom.name in EXTENSION or atom.predicate in relations:
        return None
    return "relation", atom.predicate


def _bound_variables(formulas: Iterable[Formula]) -> set[Variable]:
    """Return the variables that have a value wherever all the formulas hold."""
    bound: set[Variable] = set()
    for formula in formulas:
        match formula:
            case Atom(term=term):
                bound.update(variables(term))
            case And(parts=parts):
                bound |= _bound_variables(parts)
            case Or(parts=parts):
                bound |= set.intersection(*(_bound_variables((part,)) for part in parts))
    return bound


def _unsafe_variables(rule: Rule) -> Iterator[Finding]:
    """Find the variables of a rule that nothing binds, each once."""
    advice = "add a positive condition that gives it its values"
    bound = _bound_variables(rule.body)
    reported = set(variables(rule.head)) - bound
    for variable in dict.fromkeys(variables(rule.head)):
        if variable in reported:
            kind = "rule" if rule.body else "fact"
            what = f"variable {variable.name} in the head of the {kind} '{format_term(rule.head)}' is not bound"
            yield error(rule.position, what, advice)
    for part, within in _tests(rule.body, bound):
        for variable in dict.fromkeys(formula_variables(part)):
            if variable not in within and variable not in reported:
                reported.add(variable)
                yield error(part.position, f"variable {variable.name} in '{format_formula(part)}' is not bound", advice)


def _tests(formulas: Iterable[Formula], bound: set[Variable]) -> Iterator[tuple[Not | Distinct, set[Variable]]]:
    """Yield each `not` and `distinct` of a body with the variables that the conditions around it bind."""
    for formula in formulas:
        match formula:
            case Not() | Distinct():
                yield formula, bound
            case And(parts=parts):
                yield from _tests(parts, bound | _bound_variables(parts))
            case Or(parts=parts):
                for part in parts:
                    yield from _tests((part,), bound | _bound_variables((part,)))
