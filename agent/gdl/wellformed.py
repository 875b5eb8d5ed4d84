"""Checks of a sheet's names, reserved relations and variables.

A name has one arity, and some rule or fact gives every name that a condition asks for. GDL's reserved relations are
there, with their arities, where they may stand. Every variable of a rule gets its values from a condition that is
neither negated nor a `distinct`.
"""

import difflib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from gdl_miner.agent.gdl.board import EXTENSION
from gdl_miner.agent.gdl.dependencies import MEANING, Dependencies, Vertex, needed_relations
from gdl_miner.agent.gdl.finding import Finding, arguments, error, warning
from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or, atoms, format_formula, formula_variables
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE, KEYWORDS, goal_value
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import (
    Compound,
    Location,
    Symbol,
    Term,
    Tick,
    Variable,
    format_term,
    ground,
    ticking,
    variables,
)

_EXAMPLES = {
    "role": "(role white)",
    "init": "(init (control white))",
    "legal": "(<= (legal ?r noop) (role ?r))",
    "next": "(<= (next (control white)) (true (control black)))",
    "terminal": "(<= terminal (true (step 10)))",
    "goal": "(<= (goal white 100) (line white))",
}

_OPERATORS = {"if", "iff", "implies", "rule", "then", "when"}
"""Words of other languages between the head and the conditions of a rule."""

_INEQUALITIES = {"!=", "<>", "/=", "different", "neq", "not=", "unequal"}
"""Words of other languages for `distinct`."""

_OF_TERMS = {"init", "true", "next", "base", "does", "legal", "input"}
"""The reserved relations whose last argument is a fluent or a move, which may have arguments of its own."""

_MOST_SEARCHES = 50
"""Unknown names of a sheet for which similar ones are looked up, which takes milliseconds among thousands."""

_FORBIDDEN: dict[str, tuple[str, ...]] = {
    "init": ("true", "does"),
    "legal": ("does",),
    "terminal": ("does",),
    "goal": ("does",),
    "role": ("true", "does"),
    "base": ("true", "does"),
    "input": ("true", "does"),
}


def badly_formed(sheet: RuleSheet, dependencies: Dependencies, tick: Tick) -> Iterator[Finding]:
    """Find what is wrong with the names, the reserved relations and the variables of a sheet.

    `dependencies` are those between the relations of the sheet.
    """
    yield from _missing_relations(sheet)
    yield from _imperfect_information(sheet)
    played = needed_relations(sheet.rules, MEANING)
    meaningless: list[Rule] = []
    for rule in ticking(sheet.rules, tick):
        if rule.head.name in ("base", "input") and rule.predicate not in played:
            meaningless.append(rule)
            continue
        if rule.body or rule.head.name in KEYWORDS:
            yield from _misplaced_keywords(rule, sheet.roles)
        if rule.body or not ground(rule.head):
            yield from _unsafe_variables(rule)
    yield from _meaningless(meaningless, sheet.roles)
    yield from _arity_clashes(sheet, tick)
    yield from _facts_like_rules(sheet)
    yield from _undefined_names(sheet)
    yield from _mistyped_roles(sheet)
    yield from _forbidden_dependencies(dependencies, played)


def _missing_relations(sheet: RuleSheet) -> Iterator[Finding]:
    """Find the reserved relations that are missing.

    A game may lack `init`, if it starts in the empty state, and `next`, if that state follows on every other one.
    """
    present = {rule.head.name: rule.position.line for rule in reversed(sheet.rules)}
    for name, example in _EXAMPLES.items():
        if name not in present:
            make = warning if name in ("init", "next") else error
            place = Location(sheet.source, 1, 1)
            close = _did_you_mean(name, [other for other in present if other not in KEYWORDS], present)
            yield make(place, f"the sheet has no rule or fact for '{name}'", f"{close}add one, such as {example}")
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
        meant = ""
        if atom.name in _OF_TERMS and len(atom.args) > arity and isinstance(atom.args[arity - 1], Symbol):
            term = Compound(atom.args[arity - 1].name, atom.args[arity:])
            meant = f"did you mean '{format_term(Compound(atom.name, (*atom.args[: arity - 1], term)))}'? "
        yield error(
            atom.position,
            f"'{format_formula(atom)}' has {arguments(len(atom.args))}",
            f"{meant}'{atom.name}' takes {arguments(arity)}, so rewrite it or choose another name",
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


def _forbidden_dependencies(dependencies: Dependencies, played: Container[Vertex]) -> Iterator[Finding]:
    """Find reserved relations that depend on relations which are not known yet when they are evaluated.

    `played` are the relations that matter for play.
    """
    for name, others in _FORBIDDEN.items():
        start: Vertex = name, KEYWORDS[name]
        for other in others:
            target: Vertex = other, KEYWORDS[other]
            way = dependencies.path(start, target)
            if way:
                chain = " -> ".join(map(str, (name, *way)))
                what = f"'{name}' depends on '{other}': {chain}"
                if start not in played:
                    yield _needless(name, way[0].atom.position, what)
                    continue
                known = "the state" if name in {"legal", "goal", "terminal"} else "facts that never change"
                yield error(
                    way[0].atom.position,
                    what,
                    f"it may depend on {known} only, so take this condition out",
                )


_Function = tuple[str, int]
"""A name and the number of its arguments."""


def _arity_clashes(sheet: RuleSheet, tick: Tick) -> Iterator[Finding]:
    """Find relations, and functions, that occur with different numbers of arguments."""
    first: dict[tuple[str, str], tuple[int, Location]] = {}
    reported: set[tuple[str, _Function]] = set()
    for rule in ticking(sheet.rules, tick):
        for atom in (Atom(rule.head, rule.position), *(atom for atom, _ in atoms(rule.body))):
            uses = [("relation", (atom.name, len(atom.args)))] if atom.name not in KEYWORDS else []
            terms = [argument for argument in atom.args if isinstance(argument, Compound)]
            uses += [("function", use) for argument in terms for use in functions_of(argument)]
            for kind, (name, arity) in uses:
                known, place = first.setdefault((kind, name), (arity, atom.position))
                if arity != known and (kind, (name, arity)) not in reported:
                    reported.add((kind, (name, arity)))
                    yield _clash(kind, (name, arity), atom.position, known, place)


def _facts_like_rules(sheet: RuleSheet) -> Iterator[Finding]:
    """Find facts that are meant as rules: their name is an operator of another language, such as `if`."""
    known = {rule.predicate for rule in sheet.rules}
    known.update(atom.predicate for rule in sheet.rules for atom, _ in atoms(rule.body))
    for rule in sheet.rules:
        if rule.body or rule.head.name in KEYWORDS or not isinstance(rule.head, Compound):
            continue
        parts = [_use(argument) for argument in rule.head.args]
        conditions = any(KEYWORDS.get(name) == arity > 0 for name, arity in parts)
        if conditions or (rule.head.name in _OPERATORS and known.issuperset(parts)):
            yield warning(
                rule.position,
                f"'{rule.head.name}' is no keyword of GDL, so this is a fact about terms, and no rule",
                "if you mean a rule, write (<= head condition …)",
            )


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
    """Find conditions that nothing can ever meet, once for each relation, fluent or move that nothing gives."""
    relations = {rule.predicate for rule in sheet.rules}
    fluents = {_use(term) for term in _terms_given(sheet, {"init", "next"}, 0) if not isinstance(term, Variable)}
    moves = {_use(term) for term in _terms_given(sheet, {"legal"}, 1)}
    searches = 0
    for (kind, use), places in _unmet_conditions(sheet).items():
        name, arity = use
        _, atom = places[0]
        if kind == "relation" and use in fluents:
            close = f"did you mean '(true {format_formula(atom)})'? "
        elif kind == "relation" and name in _INEQUALITIES and arity == 2:
            close = f"did you mean '{format_term(Compound('distinct', atom.args))}'? "
        elif kind == "relation" and use in moves:
            close = f"did you mean '(does ?role {format_formula(atom)})'? "
        elif kind == "fluent" and use in relations:
            close = f"did you mean '{format_term(atom.args[0])}' without 'true'? "
        elif searches == _MOST_SEARCHES:
            close = ""
        else:
            searches += 1
            given = {"relation": relations, "fluent": fluents, "move": moves}[kind]
            close = _did_you_mean(name, sorted({other for other, _ in given if other not in KEYWORDS}))
        others = len(places) - 1
        more = f", for which {others} more condition{'s ask' if others > 1 else ' asks'}" if others else ""
        yield warning(
            atom.position,
            f"'{format_formula(atom)}' never holds: no rule gives the {kind} '{name}' with {arguments(arity)}{more}",
            f"{close}correct the name or the arguments, or add what is missing",
        )


def _unmet_conditions(sheet: RuleSheet) -> dict[tuple[str, _Function], list[tuple[Rule, Atom]]]:
    """Return the conditions on relations, fluents and moves that no rule or fact gives, by what they ask for."""
    relations = {rule.predicate for rule in sheet.rules}
    fluents, moves = given_terms(sheet, {"init", "next"}, 0), given_terms(sheet, {"legal"}, 1)
    found: dict[tuple[str, _Function], list[tuple[Rule, Atom]]] = {}
    for rule in sheet.rules:
        for atom, _ in atoms(rule.body):
            missing = _missing(atom, relations, fluents, moves)
            if missing is not None:
                found.setdefault(missing, []).append((rule, atom))
    return found


def rules_with_unmet_conditions(sheet: RuleSheet) -> set[Location]:
    """Return the places of the rules that ask in vain for a relation, a fluent or a move, which other findings name."""
    return {rule.position for places in _unmet_conditions(sheet).values() for rule, atom in places if atom in rule.body}


def _mistyped_roles(sheet: RuleSheet) -> Iterator[Finding]:
    """Find constants that occur once and differ from a role by one slip, such as `withe`."""
    roles = [role for role in sheet.roles if len(role) > 3 and role.isalpha()]
    places: dict[str, list[Location]] = {}
    for rule in sheet.rules if roles else ():
        for atom in (Atom(rule.head, rule.position), *(atom for atom, _ in atoms(rule.body))):
            if atom.name in _OF_TERMS:
                # The last argument is a fluent or a move, whose name is none of a role.
                terms = [argument for term in atom.args[-1:] if isinstance(term, Compound) for argument in term.args]
            else:
                terms = list(atom.args) if atom.name not in KEYWORDS else []
            for name in (name for term in terms for name in _constants(term)):
                places.setdefault(name, []).append(atom.position)
    for name, (place, *others) in places.items():
        meant = [role for role in roles if not others and name not in sheet.roles and _one_slip(name, role)]
        if meant:
            yield warning(
                place, f"'{name}' occurs nowhere else", f"did you mean the role '{meant[0]}'? correct the name"
            )


def _constants(term: Term) -> Iterator[str]:
    if isinstance(term, Symbol):
        yield term.name
    elif isinstance(term, Compound):
        for argument in term.args:
            yield from _constants(argument)


def _one_slip(typed: str, meant: str) -> bool:
    """Whether a word is another one with one letter more, less or replaced, or with its letters in another order."""
    if abs(len(typed) - len(meant)) > 1 or not typed.isalpha():
        return False
    short, long = sorted((typed, meant), key=len)
    rests = (short[index if len(short) < len(long) else index + 1 :] for index in range(len(long)))
    cut = any(long[:index] == short[:index] and long[index + 1 :] == rest for index, rest in enumerate(rests))
    return cut or sorted(short) == sorted(long)


def _did_you_mean(name: str, known: Iterable[str], lines: Mapping[str, int] | None = None) -> str:
    """Return a question for the beginning of an advice, empty if no known name is like the one that is missing."""
    close = [other for other in difflib.get_close_matches(name, list(known), 2, 0.7) if other != name]
    places = [f"'{other}'" + (f" in line {lines[other]}" if lines is not None else "") for other in close]
    return f"did you mean {' or '.join(places)}? " if places else ""


def given_terms(sheet: RuleSheet, keywords: Iterable[str], argument: int) -> set[_Function] | None:
    """Return names and arities of the fluents or moves in heads of these keywords, None if one is a variable."""
    given = _terms_given(sheet, keywords, argument)
    return None if any(isinstance(term, Variable) for term in given) else {_use(term) for term in given}


def _terms_given(sheet: RuleSheet, keywords: Iterable[str], argument: int) -> list[Term]:
    return [
        rule.head.args[argument]
        for rule in sheet.rules
        if rule.head.name in keywords and isinstance(rule.head, Compound) and len(rule.head.args) > argument
    ]


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
    """Find the variables of a rule that nothing binds, each once, and one finding for all of them at a place."""
    if not rule.body and ground(rule.head):
        return
    bound = _bound_variables(rule.body)
    reported = dict.fromkeys(variable for variable in variables(rule.head) if variable not in bound)
    if reported:
        kind = "rule" if rule.body else "fact"
        yield _unbound(rule.position, list(reported), f"the head of the {kind} '{format_term(rule.head)}'")
    for part, within in _tests(rule.body, bound):
        free = [each for each in dict.fromkeys(formula_variables(part)) if each not in within and each not in reported]
        if free:
            reported.update(dict.fromkeys(free))
            yield _unbound(part.position, free, f"'{format_formula(part)}'", negated=isinstance(part, Not))


def _unbound(position: Location, free: Sequence[Variable], where: str, *, negated: bool = False) -> Finding:
    names = ", ".join(variable.name for variable in free)
    what = f"variables {names} in {where} are not bound"
    advice = "add positive conditions that give them their values"
    if len(free) == 1:
        what = f"variable {names} in {where} is not bound"
        advice = "add a positive condition that gives it its values"
    if negated:
        advice += f"; or, to say that none exists, negate a relation of its own whose rule has {names} in its body only"
    return error(position, what, advice)


def _meaningless(rules: Iterable[Rule], roles: tuple[str, ...]) -> Iterator[Finding]:
    """Find what is wrong with rules for `base` and `input` on which no match depends, with one finding for its kind.

    None of it is an error.
    """
    unbound: dict[str, list[Location]] = {}
    mistaken: dict[str, list[Finding]] = {}
    for rule in rules:
        for finding in _misplaced_keywords(rule, roles):
            if finding.severity == "error":
                mistaken.setdefault(rule.head.name, []).append(finding)
            else:
                yield finding
        if any(True for _ in _unsafe_variables(rule)):
            unbound.setdefault(rule.head.name, []).append(rule.position)
    for name, places in unbound.items():
        others = f", and those of {len(places) - 1} more" if len(places) > 1 else ""
        yield _needless(name, places[0], f"the variables of this rule for '{name}'{others} are not bound")
    for name, own in mistaken.items():
        others = f", and the like is wrong elsewhere, {len(own)} times in all" if len(own) > 1 else ""
        yield _needless(name, own[0].position, f"{own[0].what}{others}")


def _needless(name: str, position: Location, what: str) -> Finding:
    return warning(position, what, f"matches do not depend on '{name}', so you may leave it out")


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
