"""Matching the words of one sheet with the words of another, by colour refinement on a graph of both.

Words, variables, terms, conditions and rules are vertices; edges connect them with their parts and are labelled with
the parts' places. The colours of vertices are refined by the colours of their neighbours (Weisfeiler & Leman 1968)
until nothing changes. If a symmetry leaves several words with the same colour, their pairs are tried one by one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gdl_miner.agent.gdl.formula import CONNECTIVES, And, Atom, Distinct, Formula, Not, Or, atoms
from gdl_miner.agent.gdl.keywords import CHANCE_ROLE, KEYWORDS
from gdl_miner.agent.gdl.rules import Rule
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable

__all__ = ["FIXED_WORDS", "Side", "WordGraph"]

FIXED_WORDS = frozenset(KEYWORDS) | CONNECTIVES | {CHANCE_ROLE}
"""GDL's own words, which mean the same in every sheet."""


class Side(NamedTuple):
    """One of the two sheets."""

    rules: Sequence[Rule]
    roles: Sequence[str]


def _payoffs(rules: Sequence[Rule]) -> set[str]:
    """Return the words that stand as values of goals: integers that no scrambler may replace."""
    found = set()
    for rule in rules:
        for atom in (Atom(rule.head, rule.position), *(atom for atom, _ in atoms(rule.body))):
            if atom.predicate == ("goal", 2) and isinstance(atom.args[1], Symbol):
                found.add(atom.args[1].name)
    return found


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
        open_classes = [each for each in classes.values() if len(each[0]) > 1]
        if not open_classes:
            yield {left[0]: right[0] for left, right in classes.values()}
            return
        left, right = min(open_classes, key=lambda each: (len(each[0]), each[0]))
        word = min(left)
        fresh = max(colours) + 1
        for other in sorted(right, key=lambda each: (each != word, each)):
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
