"""Unification of terms (Robinson 1965), with the occurs check."""

from gdl_miner.agent.gdl.syntax import Compound, Term, Variable

__all__ = ["apart", "unify"]


def apart(term: Term) -> Term:
    """Rename the variables of a head so that it shares none with a condition.

    The new names contain a blank, which occurs in no name of a sheet.
    """
    if isinstance(term, Variable):
        return Variable(f"?head {term.name[1:]}")
    if isinstance(term, Compound):
        return Compound(term.name, tuple(map(apart, term.args)))
    return term


def unify(pairs: list[tuple[Term, Term]]) -> dict[Variable, Term] | None:
    """Return a most general unifier of pairs of terms, None if there is none.

    Each variable is bound to a term in which other variables may be bound in turn. The list of pairs is used up.
    """
    unifier: dict[Variable, Term] = {}
    while pairs:
        left, right = (_resolved(term, unifier) for term in pairs.pop())
        if left == right:
            continue
        if isinstance(left, Variable):
            if _occurs(left, right, unifier):
                return None
            unifier[left] = right
        elif isinstance(right, Variable):
            pairs.append((right, left))
        elif isinstance(left, Compound) and isinstance(right, Compound) and _shape(left) == _shape(right):
            pairs.extend(zip(left.args, right.args, strict=True))
        else:
            return None
    return unifier


def _resolved(term: Term, unifier: dict[Variable, Term]) -> Term:
    while isinstance(term, Variable) and term in unifier:
        term = unifier[term]
    return term


def _shape(term: Compound) -> tuple[str, int]:
    return term.name, len(term.args)


def _occurs(variable: Variable, term: Term, unifier: dict[Variable, Term]) -> bool:
    term = _resolved(term, unifier)
    return term == variable or (
        isinstance(term, Compound) and any(_occurs(variable, arg, unifier) for arg in term.args)
    )
