"""Fluents and moves by their relation and number of arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from gdl_miner.agent.gdl.syntax import Compound, format_term, parse_term


@dataclass(frozen=True, eq=False)
class TermGroup:
    """Fluents or move rows with the same name and number of arguments."""

    name: str
    arity: int
    numbers: tuple[int, ...]
    """Numbers of the fluents or rows."""
    arguments: tuple[tuple[str, ...], ...]
    """Arguments of each, as canonical texts."""
    relations: tuple[str, ...] = ()
    """Relations that take each other's place, if the terms are of several: then their name is the last argument."""

    @property
    def predicate(self) -> tuple[str, int]:
        """The name and the number of arguments, as the sheet writes the terms, of the first relation."""
        return self.name, self.arity - bool(self.relations)

    def values(self, place: int) -> list[str]:
        """Return the values of an argument, sorted."""
        return sorted({words[place] for words in self.arguments})

    def within(self, places: Sequence[int], values: Sequence[Collection[str]]) -> TermGroup:
        """Return the terms whose arguments at some places have one of the values of each."""
        chosen = [
            (number, words)
            for number, words in zip(self.numbers, self.arguments, strict=True)
            if all(words[place] in own for place, own in zip(places, values, strict=True))
        ]
        return replace(
            self, numbers=tuple(number for number, _ in chosen), arguments=tuple(words for _, words in chosen)
        )


def merged_terms(groups: Sequence[TermGroup]) -> TermGroup:
    """Return the terms of relations with the same arguments as one group."""
    terms = sorted(
        (number, (*arguments, group.name))
        for group in groups
        for number, arguments in zip(group.numbers, group.arguments, strict=True)
    )
    return TermGroup(
        groups[0].name,
        groups[0].arity + 1,
        tuple(number for number, _ in terms),
        tuple(arguments for _, arguments in terms),
        tuple(group.name for group in groups),
    )


def words_of(text: str) -> list[str]:
    """Return the name and the arguments of a canonical term."""
    if "(" not in text[1:]:
        return text.strip("()").split(" ")
    term = parse_term(text)
    return [term.name, *map(format_term, term.args)] if isinstance(term, Compound) else [text]


def group_terms(texts: Iterable[tuple[int, str]]) -> list[TermGroup]:
    """Group numbered terms by name and number of arguments, largest group first, without terms of no arguments."""
    by_form: dict[tuple[str, int], list[tuple[int, tuple[str, ...]]]] = {}
    for number, text in texts:
        name, *arguments = words_of(text)
        if arguments:
            by_form.setdefault((name, len(arguments)), []).append((number, tuple(arguments)))
    groups = [
        TermGroup(name, arity, tuple(number for number, _ in own), tuple(arguments for _, arguments in own))
        for (name, arity), own in by_form.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.numbers), group.name, group.arity))
