"""Detection of rules that can never fire: no instance of such a rule is reachable, even if every move were legal."""

from __future__ import annotations

from gdl_miner.agent.gdl.finding import Finding, warning
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Symbol
from gdl_miner.agent.reasoner.budget import Clock
from gdl_miner.agent.reasoner.grounding import ground
from gdl_miner.agent.reasoner.normal_form import FRESH, Clause, clauses_of

FIRES = f"{FRESH}fires"


def dead_rules(sheet: RuleSheet, clock: Clock) -> list[Finding]:
    """Return a finding for each rule that can never fire.

    Raises:
        BudgetError: the rules do not ground within the clock's budget.
    """
    number = {rule.position: index for index, rule in enumerate(sheet.rules)}
    clauses = clauses_of(sheet)
    marks = [
        Clause(Compound(FIRES, (Symbol(str(number[clause.position])),)), *clause[1:])
        for clause in clauses
        if clause.positive and not clause.head.name.startswith(FRESH)
    ]
    fired = {int(mark) for (mark,) in ground([*clauses, *marks], clock).relations.get(FIRES, {})}
    never_unified = {rule.position for rule in sheet.rules if rule.body} - {clause.position for clause in clauses}
    return [
        warning(rule.position, f"this rule for '{rule.head.name}' can never fire", "correct or remove it")
        for index, rule in enumerate(sheet.rules)
        if rule.position in never_unified
        or (rule.body and index not in fired and any(mark.position == rule.position for mark in marks))
    ]
