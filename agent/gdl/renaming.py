"""Recognising games that are the same up to the names of their constants.

A scrambled rule sheet has every word replaced except GDL's own. `form_digest` is equal for sheets that differ only in
names, order of rules and names of variables. Sheets with the same form may still be different games, so `find_renaming`
matches the words of one sheet with the words of the other (`word_matching.py`) and checks the result: it renames the
one sheet and compares its digest with the other's.

Relations on which no reserved relation depends are left out. Among them is the board extension, because a sheet that
comes over the network lacks it.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from gdl_miner.agent.gdl.digest import rules_digest
from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or, atoms
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable
from gdl_miner.agent.gdl.word_matching import FIXED_WORDS, Side, WordGraph

__all__ = ["Renaming", "find_renaming", "form_digest"]

MOST_TRIALS = 500
"""Most matchings that are checked before two sheets count as too symmetric; boards need a handful."""

_ROOTS = ("role", "init", "legal", "next", "terminal", "goal")
_WORD = re.compile(r"[^\s()]+")


@dataclass(frozen=True)
class Renaming:
    """A one-to-one map from the words of one sheet to the words of another."""

    forward: Mapping[str, str]

    @cached_property
    def backward(self) -> Mapping[str, str]:
        """The map in the other direction."""
        return {new: old for old, new in self.forward.items()}

    def there(self, text: str) -> str:
        """Rename a canonical text into the other sheet's words; words outside of the map stay."""
        return _WORD.sub(lambda match: self.forward.get(match.group(), match.group()), text)

    def back(self, text: str) -> str:
        """Rename a canonical text of the other sheet into words of the one."""
        return _WORD.sub(lambda match: self.backward.get(match.group(), match.group()), text)


def form_digest(sheet: RuleSheet) -> str:
    """Return the SHA-256, in hex, of the form that a sheet keeps when its words are renamed."""
    rules = _live_rules(sheet)
    words = {word for rule in rules for word in _words(rule)} - FIXED_WORDS
    lines = sorted(map(_skeleton, rules))
    return hashlib.sha256("\n".join((f"{len(sheet.roles)} {len(words)}", *lines)).encode()).hexdigest()


def find_renaming(theirs: RuleSheet, ours: RuleSheet) -> Renaming | None:
    """Return the renaming that makes `theirs` the same game as `ours`, roles in the same order; None if there is none.

    Integers are first taken to mean the same in both sheets; if that fails, they are renamed like other words. Sheets
    so symmetric that MOST_TRIALS matchings do not suffice count as different.
    """
    if form_digest(theirs) != form_digest(ours):
        return None
    goal = _stripped_digest(ours, {})
    sides = (Side(_live_rules(theirs), theirs.roles), Side(_live_rules(ours), ours.roles))
    for integers_stay in (True, False):
        graph = WordGraph(sides, integers_stay=integers_stay)
        trials = MOST_TRIALS
        for words in graph.matchings():
            if _stripped_digest(theirs, words) == goal:
                return Renaming({old: new for old, new in words.items() if old not in FIXED_WORDS})
            trials -= 1
            if trials == 0:
                break
    return None


def _live_rules(sheet: RuleSheet) -> list[Rule]:
    """Return the rules and facts on which the game's reserved relations depend."""
    by_head: dict[str, list[Rule]] = defaultdict(list)
    for rule in sheet.rules:
        by_head[rule.head.name].append(rule)
    live, pending = set(_ROOTS), list(_ROOTS)
    while pending:
        for rule in by_head[pending.pop()]:
            fresh = {atom.name for atom, _ in atoms(rule.body)} - live
            live |= fresh
            pending += fresh
    return [rule for rule in sheet.rules if rule.head.name in live]


def _stripped_digest(sheet: RuleSheet, words: Mapping[str, str]) -> str:
    rules = [(_renamed_term(rule.head, words), _renamed_body(rule.body, words)) for rule in _live_rules(sheet)]
    return rules_digest(rules, tuple(_WORD.sub(lambda m: words.get(m.group(), m.group()), r) for r in sheet.roles))


def _renamed_term(term: Symbol | Compound, words: Mapping[str, str]) -> Symbol | Compound:
    name = words.get(term.name, term.name)
    if isinstance(term, Symbol):
        return Symbol(name)
    args = tuple(arg if isinstance(arg, Variable) else _renamed_term(arg, words) for arg in term.args)
    return Compound(name, args)


def _renamed_body(body: tuple[Formula, ...], words: Mapping[str, str]) -> tuple[Formula, ...]:
    return tuple(_renamed_formula(part, words) for part in body)


def _renamed_formula(formula: Formula, words: Mapping[str, str]) -> Formula:
    match formula:
        case Atom(term=term, position=position):
            return Atom(_renamed_term(term, words), position)
        case Not(part=part, position=position):
            return Not(_renamed_formula(part, words), position)
        case Distinct(left=left, right=right, position=position):
            sides = [side if isinstance(side, Variable) else _renamed_term(side, words) for side in (left, right)]
            return Distinct(sides[0], sides[1], position)
        case Or(parts=parts, position=position):
            return Or(_renamed_body(parts, words), position)
        case And(parts=parts, position=position):
            return And(_renamed_body(parts, words), position)


def _skeleton(rule: Rule) -> str:
    return " ".join((_term_skeleton(rule.head), *sorted(map(_formula_skeleton, rule.body))))


def _formula_skeleton(formula: Formula) -> str:
    match formula:
        case Atom(term=term):
            return _term_skeleton(term)
        case Not(part=part):
            return f"(not {_formula_skeleton(part)})"
        case Distinct(left=left, right=right):
            return f"(distinct {' '.join(sorted((_term_skeleton(left), _term_skeleton(right))))})"
        case Or(parts=parts) | And(parts=parts):
            name = "or" if isinstance(formula, Or) else "and"
            return f"({name} {' '.join(sorted(map(_formula_skeleton, parts)))})"


def _term_skeleton(term: Term) -> str:
    if isinstance(term, Variable):
        return "?"
    name = term.name if term.name in FIXED_WORDS else "*"
    return f"({name} {' '.join(map(_term_skeleton, term.args))})" if isinstance(term, Compound) else name


def _words(rule: Rule) -> Iterator[str]:
    pending: list[Term] = [rule.head]
    for formula in rule.body:
        pending += _terms(formula)
    while pending:
        term = pending.pop()
        if not isinstance(term, Variable):
            yield term.name
        if isinstance(term, Compound):
            pending += term.args


def _terms(formula: Formula) -> list[Term]:
    match formula:
        case Atom(term=term):
            return [term]
        case Not(part=part):
            return _terms(part)
        case Distinct(left=left, right=right):
            return [left, right]
        case Or(parts=parts) | And(parts=parts):
            return [term for part in parts for term in _terms(part)]
