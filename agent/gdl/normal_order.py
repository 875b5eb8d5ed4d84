"""The normal order of a sheet's rules and of their conditions, whatever order they were written in.

Sheets with the same digest have the same rules in normal order, so everything made from these is the same too.
"""

from __future__ import annotations

from dataclasses import replace

from gdl_miner.agent.gdl.digest import normal_form
from gdl_miner.agent.gdl.rules import RuleSheet, rule_of
from gdl_miner.agent.gdl.syntax import read_expressions


def in_normal_order(sheet: RuleSheet) -> RuleSheet:
    """Return a sheet with the same meaning: each rule once, sorted, with sorted conditions and renamed variables.

    A rule keeps its position in the text, the first one if equal rules were written; positions inside a rule are lost.
    """
    written = {normal_form(rule.head, rule.body): rule for rule in reversed(sheet.rules)}
    rules = (replace(rule_of(read_expressions(text)[0]), position=written[text].position) for text in sorted(written))
    return replace(sheet, rules=tuple(rules))
