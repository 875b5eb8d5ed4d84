"""A digest that identifies a game, whatever the order, comments, case, spacing and variable names of its rules.

The order of the roles does count, because joint moves and goals are given in this order.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping

from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or, formula_variables
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable, format_term, ground, variables

_Rule = tuple[Symbol | Compound, tuple[Formula, ...]]
_Names = Mapping[Variable, str]


def rules_digest(rules: Iterable[_Rule], roles: tuple[str, ...]) -> str:
    """Return the SHA-256, in hex, of the roles in order and of the set of normalised rules."""
    lines = [" ".join(("roles", *roles)), *sorted({normal_form(head, body) for head, body in rules})]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def normal_form(head: Symbol | Compound, body: tuple[Formula, ...]) -> str:
    """Write a rule with sorted conditions and with variables renamed by the places where they occur.

    The places are compared by colour refinement: each variable's name is replaced by a digest of the rule's text in
    which this variable is marked, until a further round distinguishes no more variables. If some variables still share
    a name, one of them is marked for good and the refinement goes on.
    """
    if not body and ground(head):
        return f"(<= {format_term(head)})"
    occurrences = [*variables(head), *(variable for part in body for variable in formula_variables(part))]
    names = dict.fromkeys(occurrences, "?")
    while True:
        names = _refined(names, head, body)
        alike = sorted(name for name, count in Counter(names.values()).items() if count > 1)
        if not alike:
            break
        chosen = next(variable for variable, name in names.items() if name == alike[0])
        names[chosen] += "!"
    order = {name: f"?{number}" for number, name in enumerate(sorted(names.values()))}
    return _text(head, body, {variable: order[name] for variable, name in names.items()})


def _refined(names: dict[Variable, str], head: Symbol | Compound, body: tuple[Formula, ...]) -> dict[Variable, str]:
    while len(set(names.values())) < len(names):
        marked = {
            variable: hashlib.sha256(_text(head, body, {**names, variable: f"{name}*"}).encode()).hexdigest()
            for variable, name in names.items()
        }
        if len(set(marked.values())) == len(set(names.values())):
            return marked
        names = marked
    return names


def _text(head: Symbol | Compound, body: tuple[Formula, ...], names: _Names) -> str:
    parts = sorted({_formula_text(part, names) for formula in body for part in _conjuncts(formula)})
    return " ".join(("(<=", _term_text(head, names), *parts)) + ")"


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    if isinstance(formula, And):
        return tuple(part for inner in formula.parts for part in _conjuncts(inner))
    return (formula,)


def _disjuncts(formula: Formula) -> tuple[Formula, ...]:
    if isinstance(formula, Or):
        return tuple(part for inner in formula.parts for part in _disjuncts(inner))
    return (formula,)


def _formula_text(formula: Formula, names: _Names) -> str:
    match formula:
        case Atom(term=term):
            return _term_text(term, names)
        case Not(part=part):
            return f"(not {_formula_text(part, names)})"
        case Distinct(left=left, right=right):
            return f"(distinct {' '.join(sorted((_term_text(left, names), _term_text(right, names))))})"
        case Or():
            inner = sorted({_formula_text(part, names) for part in _disjuncts(formula)})
            return f"(or {' '.join(inner)})" if len(inner) > 1 else inner[0]
        case And():
            inner = sorted({_formula_text(part, names) for part in _conjuncts(formula)})
            return f"(and {' '.join(inner)})" if len(inner) > 1 else inner[0]


def _term_text(term: Term, names: _Names) -> str:
    if isinstance(term, Compound):
        return f"({term.name} {' '.join(_term_text(argument, names) for argument in term.args)})"
    return names[term] if isinstance(term, Variable) else term.name
