"""Hints on a rule sheet: rules that are allowed and can be played, but may not be what their author meant."""

from collections import Counter
from collections.abc import Iterator

from gdl_miner.agent.gdl.board import EXTENSION
from gdl_miner.agent.gdl.finding import Finding, hint
from gdl_miner.agent.gdl.formula import atoms, formula_variables
from gdl_miner.agent.gdl.keywords import KEYWORDS
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import variables

__all__ = ["lint_sheet"]

_Relation = tuple[str, int]
"""A relation: its name and number of arguments."""


def lint_sheet(sheet: RuleSheet) -> list[Finding]:
    """Return hints on a sheet that was checked, in the order of the text."""
    found = [*_unused_relations(sheet), *(finding for rule in sheet.rules for finding in _single_variables(rule))]
    return sorted(found, key=lambda finding: (finding.position.line, finding.position.column))


def _unused_relations(sheet: RuleSheet) -> Iterator[Finding]:
    """Find relations on which neither a reserved relation nor the board extension depends."""
    uses: dict[_Relation, set[_Relation]] = {}
    for rule in sheet.rules:
        uses.setdefault(rule.predicate, set()).update(atom.predicate for atom, _ in atoms(rule.body))
    pending = [use for use in uses if use[0] in KEYWORDS or use[0] in EXTENSION]
    needed = set(pending)
    while pending:
        for use in uses.get(pending.pop(), ()):
            if use not in needed:
                needed.add(use)
                pending.append(use)
    reported: set[_Relation] = set()
    for rule in sheet.rules:
        if rule.predicate not in needed and rule.predicate not in reported:
            reported.add(rule.predicate)
            yield hint(
                rule.position,
                f"nothing that counts uses the relation '{rule.head.name}'",
                "remove it, or use it where it was meant to be",
            )


def _single_variables(rule: Rule) -> Iterator[Finding]:
    """Find variables that a rule mentions once, unless their names begin with `?_`: then any value will do."""
    mentions = Counter(
        variable.name
        for found in (variables(rule.head), *map(formula_variables, rule.body))
        for variable in found
        if not variable.name.startswith("?_")
    )
    names = [name for name, count in mentions.items() if count == 1]
    if rule.body and names:
        several = len(names) > 1
        yield hint(
            rule.position,
            f"variable{'s' if several else ''} {', '.join(names)} occur{'' if several else 's'} only once in this rule",
            "correct the name, or begin it with ?_ to say that any value will do",
        )
