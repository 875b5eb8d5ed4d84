"""The check of a rule sheet: findings in the order of the text, hints, counts of its parts, conformance with mGDL."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.board import EXTENSION, Board
from gdl_miner.agent.gdl.dependencies import (
    Vertex,
    apart,
    needed_relations,
    negative_cycles,
    relation_dependencies,
    relevant_rules,
    unify,
)
from gdl_miner.agent.gdl.extension import board_extension
from gdl_miner.agent.gdl.finding import Finding, hint, warning
from gdl_miner.agent.gdl.formula import Atom, atoms, format_formula, formula_variables
from gdl_miner.agent.gdl.keywords import KEYWORDS
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Term, Tick, format_term, idle, ticking, variables
from gdl_miner.agent.gdl.term_growth import growing_rules
from gdl_miner.agent.gdl.wellformed import badly_formed, functions_of


@dataclass(frozen=True, slots=True)
class ComplexBinding:
    """A condition that unifies with a head by binding a variable to a term with arguments."""

    position: Location
    condition: str
    variable: str
    term: str
    head_position: Location

    def __str__(self) -> str:
        return (
            f"{self.position}: {self.variable} in '{self.condition}' may be {self.term}"
            f" (line {self.head_position.line})"
        )


@dataclass(frozen=True, slots=True)
class Conformance:
    """The result of the test: conforming, or inconclusive, since the bindings found need not occur in a match."""

    places: tuple[ComplexBinding, ...]

    @property
    def conforming(self) -> bool:
        """Whether the sheet means the same in mGDL."""
        return not self.places


def conformance(sheet: RuleSheet) -> Conformance:
    """Unify the conditions of all rules, except rules of reserved relations, with all heads (algorithm 6.1)."""
    heads: dict[Vertex, list[Rule]] = {}
    complex_heads: dict[Vertex, list[Rule]] = {}
    for rule in sheet.rules:
        heads.setdefault(rule.predicate, []).append(rule)
        if _complex(rule.head):
            complex_heads.setdefault(rule.predicate, []).append(rule)
    places: list[ComplexBinding] = []
    for rule in sheet.rules:
        if rule.head.name not in KEYWORDS:
            for atom, _ in atoms(rule.body):
                # No variable is bound to a term with arguments if neither side has one.
                partners = heads if _complex(atom.term) else complex_heads
                places += _complex_bindings(atom, partners.get(atom.predicate, ()))
    return Conformance(tuple(dict.fromkeys(places)))


def _complex(atom: Term) -> bool:
    return isinstance(atom, Compound) and any(isinstance(argument, Compound) for argument in atom.args)


def _complex_bindings(atom: Atom, rules: Iterable[Rule]) -> Iterator[ComplexBinding]:
    """Yield the first complex binding with each head."""
    for rule in rules:
        head_args = rule.head.args if isinstance(rule.head, Compound) else ()
        unifier = unify([(left, apart(right)) for left, right in zip(atom.args, head_args, strict=True)])
        for variable, term in (unifier or {}).items():
            if isinstance(term, Compound):
                text = format_term(term).replace("?head ", "?")
                yield ComplexBinding(
                    atom.position, format_formula(atom), variable.name.replace("?head ", "?"), text, rule.position
                )
                break


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


def check_sheet(sheet: RuleSheet, tick: Tick = idle) -> list[Finding]:
    """Return what is wrong with a sheet, in the order of the text. Raises what the tick raises."""
    findings = dict.fromkeys(_findings(sheet, tick))
    return sorted(findings, key=lambda finding: (finding.position.line, finding.position.column))


def _findings(sheet: RuleSheet, tick: Tick) -> Iterator[Finding]:
    dependencies = relation_dependencies(ticking(sheet.rules, tick))
    yield from badly_formed(sheet, dependencies, tick)
    yield from negative_cycles(sheet, dependencies)
    yield from _growing_terms(sheet)
    yield from board_extension(sheet)


def _growing_terms(sheet: RuleSheet) -> Iterator[Finding]:
    """Find the rules that may build ever larger terms."""
    growing = growing_rules(sheet.rules)
    played = {each.position for each in growing_rules(relevant_rules(sheet.rules))} if growing else set()
    for each in growing:
        what = f"this rule for '{each.head}' may build ever larger terms of {each.variable}"
        if each.position in played:
            what += ", so the game may have no circuit, and the slow interpreter then plays"
        yield warning(
            each.position,
            what,
            f"bind {each.variable} by a condition that does not recur, such as (succ ?x ?y) over constants",
        )


def report(sheet: RuleSheet, tick: Tick = idle) -> CheckReport:
    """Check a sheet and describe it. Raises what the tick raises."""
    facts = sum(not rule.body for rule in sheet.rules)
    relations = {rule.predicate for rule in ticking(sheet.rules, tick)}
    arguments = [argument for rule in sheet.rules if isinstance(rule.head, Compound) for argument in rule.head.args]
    arguments += [argument for rule in sheet.rules for atom, _ in atoms(rule.body) for argument in atom.args]
    functions = {function for argument in arguments for function in functions_of(argument)}
    counts = Counts(facts, len(sheet.rules) - facts, len(sheet.roles), len(relations), len(functions))
    return CheckReport(sheet, tuple(check_sheet(sheet, tick)), sheet.board, conformance(sheet), counts)


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


def lint_sheet(sheet: RuleSheet) -> list[Finding]:
    """Return hints on a sheet that was checked, in the order of the text."""
    hints = [*_unused_relations(sheet), *(finding for rule in sheet.rules for finding in _single_variables(rule))]
    return sorted(hints, key=lambda finding: (finding.position.line, finding.position.column))


def _unused_relations(sheet: RuleSheet) -> Iterator[Finding]:
    """Find relations on which neither a reserved relation nor the board extension depends."""
    needed = needed_relations(sheet.rules, {*KEYWORDS, *EXTENSION})
    reported: set[Vertex] = set()
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
    if not rule.body:
        return
    mentions = Counter(
        variable.name
        for mentioned in (variables(rule.head), *map(formula_variables, rule.body))
        for variable in mentioned
        if not variable.name.startswith("?_")
    )
    names = [name for name, count in mentions.items() if count == 1]
    if names:
        several = len(names) > 1
        yield hint(
            rule.position,
            f"variable{'s' if several else ''} {', '.join(names)} occur{'' if several else 's'} only once in this rule",
            "correct the name, or begin it with ?_ to say that any value will do",
        )
