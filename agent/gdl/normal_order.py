"""The rules of a sheet in one order, whatever order they were written in, with their conditions in one order too.

What is made of them is then the same for all sheets with the same digest.
"""

from __future__ import annotations

from dataclasses import replace

from agent.gdl.digest import normal_form
from agent.gdl.rules import RuleSheet, rule_of
from agent.gdl.syntax import read_expressions

__all__ = ["in_normal_order"]


def in_normal_order(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet with the same meaning: each rule once, sorted, with sorted conditions and renamed variables.

    Rules keep the places where they were written, of equal ones the first; places inside a rule are lost.
    """
    written = {normal_form(rule.head, rule.body): rule for rule in reversed(sheet.rules)}
    rules = (replace(rule_of(read_expressions(text)[0]), position=written[text].position) for text in sorted(written))
    return replace(sheet, rules=tuple(rules))
