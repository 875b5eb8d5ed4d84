"""Check that every variable of a rule gets its values from a condition that is neither negated nor a `distinct`."""

from collections.abc import Iterable, Iterator

from agent.gdl.finding import Finding, error, warning
from agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or, format_formula, formula_variables
from agent.gdl.rules import Rule
from agent.gdl.syntax import Variable, format_term, variables

__all__ = ["bound_variables", "unsafe_variables"]


def bound_variables(formulas: Iterable[Formula]) -> set[Variable]:
    """Variables that have a value wherever all the formulas hold."""
    bound: set[Variable] = set()
    for formula in formulas:
        match formula:
            case Atom(term=term):
                bound.update(variables(term))
            case And(parts=parts):
                bound |= bound_variables(parts)
            case Or(parts=parts):
                bound |= set.intersection(*(bound_variables((part,)) for part in parts))
    return bound


def unsafe_variables(rule: Rule) -> Iterator[Finding]:
    """Find the variables of a rule that nothing binds, each once."""
    bound = bound_variables(rule.body)
    reported: set[Variable] = set()
    for variable in dict.fromkeys(variables(rule.head)):
        if variable not in bound:
            reported.add(variable)
            kind = "rule" if rule.body else "fact"
            yield error(
                rule.position,
                f"variable {variable.name} in the head of the {kind} '{format_term(rule.head)}' is not bound",
                "add a positive condition that gives it its values",
            )
    for part, within in _tests(rule.body, bound):
        elsewhere = set().union(*(formula_variables(other) for other in rule.body if not _inside(part, other)))
        for variable in dict.fromkeys(formula_variables(part)):
            if variable not in within and variable not in reported:
                reported.add(variable)
                yield _unbound(variable, part, variable in elsewhere)


def _tests(formulas: Iterable[Formula], bound: set[Variable]) -> Iterator[tuple[Not | Distinct, set[Variable]]]:
    """Yield the tests in a body, each with the variables that the conditions around it bind."""
    for formula in formulas:
        match formula:
            case Not() | Distinct():
                yield formula, bound
            case And(parts=parts):
                yield from _tests(parts, bound | bound_variables(parts))
            case Or(parts=parts):
                for part in parts:
                    yield from _tests((part,), bound | bound_variables((part,)))


def _inside(part: Formula, formula: Formula) -> bool:
    if part is formula:
        return True
    return isinstance(formula, And | Or) and any(_inside(part, inner) for inner in formula.parts)


def _unbound(variable: Variable, part: Not | Distinct, elsewhere: bool) -> Finding:
    if isinstance(part, Not) and not isinstance(part.part, Distinct) and not elsewhere:
        return warning(
            part.position,
            f"variable {variable.name} occurs in '{format_formula(part)}' only, read as: there is no {variable.name}",
            "add a positive condition with it, or name the negated relation without it",
        )
    return error(
        part.position,
        f"variable {variable.name} in '{format_formula(part)}' is not bound",
        "add a positive condition that gives it its values",
    )
