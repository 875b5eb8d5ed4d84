"""Replacing the words of rules, and recognising games that are the same up to the names of their constants.

A scrambled rule sheet has every word replaced except GDL's own. `form_digest` is equal for sheets that differ only in
names, order of rules and names of variables. Sheets with the same form may still be different games, so `find_renaming`
matches the words of one sheet with the words of the other and checks the result: it renames the one sheet and compares
its digest with the other's.

The matching refines colours on a graph of both sheets. Words, variables, terms, conditions and rules are vertices;
edges connect them with their parts and are labelled with the parts' places. The colours of vertices are refined by the
colours of their neighbours (Weisfeiler & Leman 1968) until nothing changes. If a symmetry leaves several words with the
same colour, their pairs are tried one by one.

Relations on which no reserved relation depends are left out. Among them is the board extension, because a sheet that
comes over the network lacks it.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from gdl_miner.agent.gdl.digest import rules_digest
from gdl_miner.agent.gdl.formula import CONNECTIVES, And, Atom, Distinct, Formula, Not, Or, atoms, format_formula
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE, KEYWORDS
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable, format_term

FIXED_WORDS = frozenset(KEYWORDS) | CONNECTIVES | {CHANCE_ROLE}
"""GDL's own words, which mean the same in every sheet."""


class Side(NamedTuple):
    """One of the two sheets."""

    rules: Sequence[Rule]
    roles: Sequence[str]


def _payoffs(rules: Sequence[Rule]) -> set[str]:
    """Return the words that stand as values of goals: integers that no scrambler may replace."""
    payoffs = set()
    for rule in rules:
        for atom in (Atom(rule.head, rule.position), *(atom for atom, _ in atoms(rule.body))):
            if atom.predicate == ("goal", 2) and isinstance(atom.args[1], Symbol):
                payoffs.add(atom.args[1].name)
    return payoffs


@dataclass
class WordGraph:
    """Both sheets as one coloured graph; the side of a vertex is 0 for the first sheet, 1 for the second."""

    sheets: tuple[Side, Side]
    integers_stay: bool
    side: list[int] = field(default_factory=list)  # [vertex]
    near: list[list[tuple[int, int]]] = field(default_factory=list)  # [vertex] labels of edges and neighbours
    words: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))  # [side] word -> vertex

    def __post_init__(self) -> None:
        self._first: list[object] = []  # [vertex] key of the first colour
        for side, sheet in enumerate(self.sheets):
            self._payoffs = _payoffs(sheet.rules)
            self._roles = {role: number for number, role in enumerate(sheet.roles)}
            for rule in sheet.rules:
                variables: dict[str, int] = {}
                top = self._vertex(side, "rule")
                self._join(top, self._term(side, rule.head, variables, "head"), 0)
                for part in rule.body:
                    self._join(top, self._formula(side, part, variables), 1)

    def _vertex(self, side: int, what: object) -> int:
        self.side.append(side)
        self.near.append([])
        self._first.append(what)
        return len(self.side) - 1

    def _join(self, parent: int, child: int, label: int) -> None:
        self.near[parent].append((2 * label, child))
        self.near[child].append((2 * label + 1, parent))

    def _word(self, side: int, name: str) -> int:
        if name not in self.words[side]:
            self.words[side][name] = self._vertex(side, ("word", self._identity(name)))
        return self.words[side][name]

    def _identity(self, name: str) -> object:
        """Return the key of a word's first colour: all that is known of the word from the start."""
        if name in FIXED_WORDS or name in self._payoffs:
            return name
        if self.integers_stay and re.fullmatch(r"-?\d+", name):
            return name
        return self._roles.get(name, -1)

    def _term(self, side: int, term: Term, variables: dict[str, int], what: str = "term") -> int:
        if isinstance(term, Variable):
            if term.name not in variables:
                variables[term.name] = self._vertex(side, "variable")
            return variables[term.name]
        top = self._vertex(side, what)
        self._join(top, self._word(side, term.name), 0)
        if isinstance(term, Compound):
            for place, argument in enumerate(term.args, 1):
                self._join(top, self._term(side, argument, variables), place)
        return top

    def _formula(self, side: int, formula: Formula, variables: dict[str, int]) -> int:
        if isinstance(formula, Atom):
            return self._term(side, formula.term, variables, "atom")
        top = self._vertex(side, type(formula).__name__)
        match formula:
            case Not(part=part):
                self._join(top, self._formula(side, part, variables), 0)
            case Distinct(left=left, right=right):
                for term in (left, right):
                    self._join(top, self._term(side, term, variables), 0)
            case Or(parts=parts) | And(parts=parts):
                for part in parts:
                    self._join(top, self._formula(side, part, variables), 0)
        return top

    def matchings(self) -> Iterator[dict[str, str]]:
        """Yield the maps from words of the first sheet to words of the second that colours do not rule out."""
        numbers: dict[object, int] = {}
        colours = [numbers.setdefault(what, len(numbers)) for what in self._first]
        yield from self._refined(colours, range(len(colours)))

    def _refined(self, colours: list[int], changed: Iterable[int]) -> Iterator[dict[str, str]]:
        if not self._refine(colours, changed):
            return
        classes: dict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for side in (0, 1):
            for word, vertex in self.words[side].items():
                classes[colours[vertex]][side].append(word)
        if any(len(left) != len(right) for left, right in classes.values()):
            return
        open_classes = [alike for alike in classes.values() if len(alike[0]) > 1]
        if not open_classes:
            yield {left[0]: right[0] for left, right in classes.values()}
            return
        left, right = min(open_classes, key=lambda alike: (len(alike[0]), alike[0]))
        word = min(left)
        fresh = max(colours) + 1
        for other in sorted(right, key=lambda name: (name != word, name)):
            pair = (self.words[0][word], self.words[1][other])
            tried = colours.copy()
            for vertex in pair:
                tried[vertex] = fresh
            yield from self._refined(tried, pair)

    def _refine(self, colours: list[int], changed: Iterable[int]) -> bool:
        """Split classes in place by the colours of their members' neighbours; return False if the sides differ."""
        members: dict[int, list[int]] = defaultdict(list)
        for vertex, colour in enumerate(colours):
            members[colour].append(vertex)
        fresh = max(colours) + 1
        touched = {colours[near] for vertex in changed for _, near in self.near[vertex]}
        while touched:
            moved: list[int] = []
            for colour in sorted(touched):
                parts: dict[tuple[tuple[int, int], ...], list[int]] = defaultdict(list)
                for vertex in members[colour]:
                    parts[tuple(sorted((label, colours[near]) for label, near in self.near[vertex]))].append(vertex)
                if any(2 * sum(self.side[vertex] for vertex in part) != len(part) for part in parts.values()):
                    return False
                for part in sorted(parts.values(), key=len)[:-1]:
                    for vertex in part:
                        colours[vertex] = fresh
                    members[fresh] = part
                    moved += part
                    fresh += 1
                members[colour] = [vertex for vertex in members[colour] if colours[vertex] == colour]
            touched = {colours[near] for vertex in moved for _, near in self.near[vertex]}
        return Counter(colours[v] for v in self.words[0].values()) == Counter(
            colours[v] for v in self.words[1].values()
        )


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


_WORD = re.compile(r"[^\s()]+")
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def scrambled(sheet: RuleSheet, seed: int | None) -> tuple[str, Renaming]:
    """Return the rules as one line of text in other words, and the renaming from the sheet's words to the others.

    GDL's own words and integers stay, as they do with other game controllers. Without a seed all words stay.
    """
    text = " ".join(_text(rule) for rule in sheet.rules)
    if seed is None:
        return text, Renaming({})
    words = sorted({word for word in _WORD.findall(text) if _scrambles(word)})
    chooser = random.Random(seed)
    new: dict[str, str] = {}
    taken: set[str] = set(words)
    for word in words:
        while True:
            fresh = "".join(chooser.choices(_SYLLABLES, k=4))
            if fresh not in taken:
                break
        taken.add(fresh)
        new[word] = "?" + fresh if word.startswith("?") else fresh
    renaming = Renaming(new)
    return renaming.there(text), renaming


def _scrambles(word: str) -> bool:
    return word not in FIXED_WORDS and not re.fullmatch(r"-?\d+", word)


def _text(rule: Rule) -> str:
    head = format_term(rule.head)
    return f"(<= {' '.join((head, *map(format_formula, rule.body)))})" if rule.body else head
