"""Checks of names: each has one arity, and some rule or fact gives every name that a condition asks for."""

from collections.abc import Iterable, Iterator

from gdl_miner.agent.gdl.board import EXTENSION
from gdl_miner.agent.gdl.finding import Finding, arguments, error, warning
from gdl_miner.agent.gdl.formula import Atom, atoms, format_formula
from gdl_miner.agent.gdl.keywords import KEYWORDS
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Term, Variable, format_term

__all__ = ["arity_clashes", "functions_of", "given_terms", "undefined_names"]

_Function = tuple[str, int]
"""A name and the number of its arguments."""


def arity_clashes(sheet: RuleSheet) -> Iterator[Finding]:
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


def undefined_names(sheet: RuleSheet) -> Iterator[Finding]:
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
    found: set[_Function] = set()
    for rule in sheet.rules:
        if rule.head.name in keywords and isinstance(rule.head, Compound) and len(rule.head.args) > argument:
            term = rule.head.args[argument]
            if isinstance(term, Variable):
                return None
            found.add(_use(term))
    return found


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
