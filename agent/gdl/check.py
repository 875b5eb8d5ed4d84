"""The check of a rule sheet: its findings in the order of the text, and counts of the sheet's parts."""

from collections.abc import Iterator
from dataclasses import dataclass

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.board import Board
from gdl_miner.agent.gdl.dependencies import relation_dependencies
from gdl_miner.agent.gdl.extension import board_extension
from gdl_miner.agent.gdl.finding import Finding
from gdl_miner.agent.gdl.formula import atoms
from gdl_miner.agent.gdl.keywords import (
    forbidden_dependencies,
    imperfect_information,
    misplaced_keywords,
    missing_relations,
)
from gdl_miner.agent.gdl.mgdl import Conformance, conformance
from gdl_miner.agent.gdl.names import arity_clashes, functions_of, undefined_names
from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.gdl.safety import unsafe_variables
from gdl_miner.agent.gdl.stratification import negative_cycles, unrestricted_recursion
from gdl_miner.agent.gdl.syntax import Compound

__all__ = ["CheckReport", "Counts", "Finding", "check_sheet", "report", "require_playable"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of the parts of a sheet."""

    facts: int
    rules: int
    roles: int
    relations: int
    functions: int
    """Includes the functors of fluents and moves."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The report of `agent check` on a sheet."""

    sheet: RuleSheet
    findings: tuple[Finding, ...]
    board: Board | None
    mgdl: Conformance
    counts: Counts

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that keep the game from being played."""
        return tuple(finding for finding in self.findings if finding.severity == "error")


def check_sheet(sheet: RuleSheet) -> list[Finding]:
    """Return what is wrong with a sheet, in the order of the text."""
    found = dict.fromkeys(_findings(sheet))
    return sorted(found, key=lambda finding: (finding.position.line, finding.position.column))


def _findings(sheet: RuleSheet) -> Iterator[Finding]:
    dependencies = relation_dependencies(sheet.rules)
    yield from missing_relations(sheet)
    yield from imperfect_information(sheet)
    for rule in sheet.rules:
        yield from misplaced_keywords(rule, sheet.roles)
        yield from unsafe_variables(rule)
    yield from arity_clashes(sheet)
    yield from undefined_names(sheet)
    yield from forbidden_dependencies(sheet, dependencies)
    yield from negative_cycles(sheet, dependencies)
    yield from unrestricted_recursion(sheet, dependencies)
    yield from board_extension(sheet)


def report(sheet: RuleSheet) -> CheckReport:
    """Check a sheet and describe it."""
    facts = sum(not rule.body for rule in sheet.rules)
    relations = {rule.predicate for rule in sheet.rules}
    arguments = [argument for rule in sheet.rules if isinstance(rule.head, Compound) for argument in rule.head.args]
    arguments += [argument for rule in sheet.rules for atom, _ in atoms(rule.body) for argument in atom.args]
    functions = {function for argument in arguments for function in functions_of(argument)}
    counts = Counts(facts, len(sheet.rules) - facts, len(sheet.roles), len(relations), len(functions))
    return CheckReport(sheet, tuple(check_sheet(sheet)), sheet.board, conformance(sheet), counts)


def require_playable(sheet: RuleSheet, most: int = 5) -> None:
    """Refuse a sheet with errors; the message names the first `most` of them.

    Raises:
        RuleError: the check found errors.

    """
    errors = [finding for finding in check_sheet(sheet) if finding.severity == "error"]
    if errors:
        shown = [str(finding) for finding in errors[:most]]
        if len(errors) > most:
            shown.append(f"… and {len(errors) - most} more; `agent check {sheet.source}` lists them")
        raise RuleError("\n".join(shown))
