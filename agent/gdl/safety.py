"""Check that every variable of a rule gets its values from a condition that is neither negated nor a `distinct`."""

from collections.abc import Iterable, Iterator

from gdl_miner.agent.gdl.finding import Finding, error
from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or, format_formula, formula_variables
from gdl_miner.agent.gdl.rules import Rule
from gdl_miner.agent.gdl.syntax import Variable, format_term, variables

__all__ = ["bound_variables", "unsafe_variables"]


def bound_variables(formulas: Iterable[Formula]) -> set[Variable]:
    """Return the variables that have a value wherever all the formulas hold."""
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
    advice = "add a positive condition that gives it its values"
    bound = bound_variables(rule.body)
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
                yield from _tests(parts, bound | bound_variables(parts))
            case Or(parts=parts):
                for part in parts:
                    yield from _tests((part,), bound | bound_variables((part,)))
