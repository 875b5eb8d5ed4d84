"""Places in a sheet of faults that only the ground program shows."""

from __future__ import annotations

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.formula import atoms
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.reasoner.components import components


def negative_cycle(sheet: RuleSheet) -> RuleError:
    """Return the error for rules in which a relation depends on its own negation."""
    for component in _relations(sheet):
        for rule in sheet.rules:
            if rule.head.name in component:
                for atom, positive in atoms(rule.body):
                    if not positive and atom.name in component:
                        return RuleError(
                            f"{atom.position}: '{rule.head.name}' depends on the negation of '{atom.name}', "
                            f"which depends on '{rule.head.name}'; break the cycle"
                        )
    return RuleError(f"{sheet.source}: a relation depends on its own negation; run `agent check` on the rules")


def moves_in_state(sheet: RuleSheet) -> RuleError:
    """Return the error for rules in which legal, terminal or goal depends on the moves of the step."""
    reads_moves = {"does"}
    for component in _relations(sheet):
        bodies = (rule.body for rule in sheet.rules if rule.head.name in component)
        if any(atom.name in reads_moves for body in bodies for atom, _ in atoms(body)):
            reads_moves |= component
    for rule in sheet.rules:
        if rule.head.name in ("legal", "terminal", "goal"):
            for atom, _ in atoms(rule.body):
                if atom.name in reads_moves:
                    return RuleError(
                        f"{atom.position}: '{rule.head.name}' depends on 'does', but only 'next' may; read the state"
                    )
    return RuleError(f"{sheet.source}: legal, terminal or goal depends on 'does'; run `agent check` on the rules")


def _relations(sheet: RuleSheet) -> list[set[str]]:
    """Return the names of relations in groups that depend on each other, each after the groups it depends on."""
    number = {name: index for index, name in enumerate(dict.fromkeys(rule.head.name for rule in sheet.rules))}
    rules: list[list[Rule]] = [[] for _ in number]
    for rule in sheet.rules:
        rules[number[rule.head.name]].append(rule)

    def depends_on(relation: int) -> list[int]:
        return [number[atom.name] for rule in rules[relation] for atom, _ in atoms(rule.body) if atom.name in number]

    names = list(number)
    return [{names[relation] for relation in component} for component in components(range(len(names)), depends_on)]
