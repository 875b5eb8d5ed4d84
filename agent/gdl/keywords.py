"""Checks of GDL's reserved relations: their presence, arities, places and dependencies."""

from collections.abc import Iterator

from gdl_miner.agent.gdl.dependencies import Dependencies, Vertex
from gdl_miner.agent.gdl.finding import Finding, arguments, error, warning
from gdl_miner.agent.gdl.formula import Atom, atoms, format_formula
from gdl_miner.agent.gdl.goal_value import goal_value
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Location, Symbol, Term, format_term, ground

__all__ = [
    "CHANCE_ROLE",
    "KEYWORDS",
    "forbidden_dependencies",
    "imperfect_information",
    "misplaced_keywords",
    "missing_relations",
]

KEYWORDS = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "legal": 2,
    "next": 1,
    "terminal": 0,
    "goal": 2,
    "base": 1,
    "input": 2,
}
"""Reserved relations and their arities; `base` and `input` are optional."""

CHANCE_ROLE = "random"
"""The role that makes its moves uniformly at random, as in GDL-II; its goals do not matter."""

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


def missing_relations(sheet: RuleSheet) -> Iterator[Finding]:
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


def imperfect_information(sheet: RuleSheet) -> Iterator[Finding]:
    """Find elements of GDL-II: `sees`. The role `random` may be there, but not alone."""
    advice = "this program plays games without hidden information; use a version of the game without it"
    for rule in sheet.rules:
        for atom in (Atom(rule.head, rule.position), *(atom for atom, _ in atoms(rule.body))):
            if atom.predicate in {("sees", 2), ("sees", 3)}:
                yield error(atom.position, f"'{format_formula(atom)}' is GDL-II", advice)
        if sheet.roles == (CHANCE_ROLE,) and rule.predicate == ("role", 1):
            yield error(rule.position, "the role 'random' is alone: it moves by chance", "add a role for a player")


def misplaced_keywords(rule: Rule, roles: tuple[str, ...]) -> Iterator[Finding]:
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


def forbidden_dependencies(sheet: RuleSheet, dependencies: Dependencies) -> Iterator[Finding]:
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
