"""Checks of recursion: no relation depends on its own negation, and recursion cannot grow terms without end.

Both restrictions are part of GDL (Love, Hinrichs, Haley, Schkufza & Genesereth 2008).
"""

from collections.abc import Iterator

from gdl_miner.agent.gdl.dependencies import Dependencies, Dependency, rule_dependencies
from gdl_miner.agent.gdl.finding import Finding, error, warning
from gdl_miner.agent.gdl.formula import Atom, atoms, format_formula
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Term, format_term, ground

__all__ = ["negative_cycles", "unrestricted_recursion"]


def negative_cycles(sheet: RuleSheet, dependencies: Dependencies) -> Iterator[Finding]:
    """Find relations that depend on their own negation, one finding for each strongly connected component.

    The finding is a warning if no single rule depends on its own negation, because the rules treat different arguments:
    then the relation is still well defined. Otherwise it is an error.
    """
    for component, edge in _negative_knots(dependencies).items():
        members = [rule for rule in sheet.rules if dependencies.components.get(rule.predicate) == component]
        finer = rule_dependencies(members)
        knots = _negative_knots(finer)
        if knots:
            worst = next(iter(knots.values()))
            yield error(
                worst.atom.position,
                f"negation through recursion: {_cycle(finer, worst)}",
                "a relation must not depend on its own negation, so break this cycle",
            )
        else:
            yield warning(
                edge.atom.position,
                f"negation through recursion, though for other arguments: {_cycle(dependencies, edge)}",
                "name the condition by a relation of its own",
            )


def _negative_knots(dependencies: Dependencies) -> dict[int, Dependency]:
    """Return the first negated recursive condition of each strongly connected component that has one."""
    knots: dict[int, Dependency] = {}
    for head, edges in dependencies.edges.items():
        for edge in edges:
            if not edge.positive and dependencies.recursive(edge):
                knots.setdefault(dependencies.components[head], edge)
    return knots


def _cycle(dependencies: Dependencies, edge: Dependency) -> str:
    back = [] if edge.uses == edge.head else dependencies.path(edge.uses, edge.head)
    return " -> ".join(map(str, (edge.head[0], edge, *back)))


def unrestricted_recursion(sheet: RuleSheet, dependencies: Dependencies) -> Iterator[Finding]:
    """Find recursive conditions that may build ever larger terms.

    Such a condition has an argument that is neither in the head nor in a condition outside of the recursion.
    """
    for rule in sheet.rules:
        if rule.predicate not in dependencies.edges:
            continue
        component = dependencies.components[rule.predicate]
        body = [atom for atom, positive in atoms(rule.body) if positive]
        inside = [atom for atom in body if dependencies.components[atom.predicate] == component]
        outside = {argument for atom in body if atom not in inside for argument in atom.args}
        for atom in inside:
            loose = _loose_argument(rule, atom, outside)
            if loose is not None:
                yield warning(
                    atom.position,
                    f"the recursive condition '{format_formula(atom)}' may build ever larger terms",
                    f"repeat its argument '{format_term(loose)}' in the head or in a condition that does not recur",
                )


def _loose_argument(rule: Rule, atom: Atom, outside: set[Term]) -> Term | None:
    taken = outside.union(rule.head.args if isinstance(rule.head, Compound) else ())
    return next((argument for argument in atom.args if not ground(argument) and argument not in taken), None)
