"""KIF, the notation of GDL: reading text into located expressions, and converting terms to text and back.

The reader knows words, parentheses and `;` comments, but not what the words mean. Every expression keeps the place
where it starts. The case of words does not count, so they are lower-cased here, once.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

from gdl_miner.agent.errors import RuleError

_ItemT = TypeVar("_ItemT")

MAX_DEPTH = 128
"""Deepest nesting of parentheses, so that terms can be handled recursively; sheets people write stay below 20."""

MAX_WORD = 1000
"""Longest word, in characters."""

_TOKEN = re.compile(r"\n|;[^\n]*|[()]|[^\s();]+")


class Location(NamedTuple):
    """A place in a rule sheet; lines and columns count from 1. It prints as `file:line:column`."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A constant (`b`, `noop`, `100`) or a relation without arguments (`terminal`)."""

    name: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; its name starts with `?`."""

    name: str


@dataclass(frozen=True, slots=True)
class Compound:
    """A functor applied to one argument or more: `(cell 1 2 b)`."""

    name: str
    args: tuple["Term", ...]


Term = Symbol | Variable | Compound


class Word(NamedTuple):
    """One word of the text, both lower-cased and as it was spelt."""

    text: str
    spelling: str
    position: Location


class Group(NamedTuple):
    """A parenthesised list of expressions."""

    items: tuple["Expression", ...]
    position: Location


Expression = Word | Group


def _tokens(text: str, source: str) -> Iterator[tuple[str, Location]]:
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            line, line_start = line + 1, match.end()
        elif token[0] != ";":
            yield token, Location(source, line, match.start() - line_start + 1)


def _word(token: str, position: Location) -> Word:
    if len(token) > MAX_WORD:
        raise RuleError(f"{position}: a word of {len(token):,} characters; at most {MAX_WORD:,} are read")
    for offset, character in enumerate(token) if not token.isprintable() or "\ufffd" in token else ():
        if not character.isprintable() or character == "\ufffd":
            place = Location(position.source, position.line, position.column + offset)
            raise RuleError(
                f"{place}: character U+{ord(character):04X} cannot stand in a word; "
                "remove it, or save the file as UTF-8 text"
            )
    return Word(token.lower(), token, position)


_TICK = 4096  # items of a text between two calls of a tick

Tick: TypeAlias = Callable[[], None]
"""Called now and then during work; it may report progress, or raise to end the work."""


def idle() -> None:
    """Do nothing: the tick of work that nobody watches."""


def ticking(items: Iterable[_ItemT], tick: Tick) -> Iterator[_ItemT]:
    """Yield the items, and call the tick now and then."""
    for number, item in enumerate(items):
        if number % _TICK == 0:
            tick()
        yield item


def read_expressions(text: str, source: str = "<string>", tick: Tick = idle) -> list[Expression]:
    """Read all expressions of a text. Raises what the tick raises, too.

    Raises:
        RuleError: a parenthesis without its partner, an empty `()`, a character that is no text, a word beyond
            MAX_WORD, or nesting beyond MAX_DEPTH.

    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    finished: list[Expression] = []
    open_groups: list[tuple[list[Expression], Location]] = []
    for token, position in ticking(_tokens(text, source), tick):
        target = open_groups[-1][0] if open_groups else finished
        if token == "(":
            if len(open_groups) == MAX_DEPTH:
                raise RuleError(f"{position}: more than {MAX_DEPTH} parentheses are open here; nest less deeply")
            open_groups.append(([], position))
        elif token != ")":
            target.append(_word(token, position))
        elif not open_groups:
            raise RuleError(f"{position}: this ')' closes nothing; remove it, or add the '(' that it should close")
        else:
            items, start = open_groups.pop()
            if not items:
                raise RuleError(f"{start}: '()' holds nothing; write a term between the parentheses, or remove them")
            (open_groups[-1][0] if open_groups else finished).append(Group(tuple(items), start))
    if open_groups:
        raise RuleError(f"{open_groups[0][1]}: this '(' is never closed; add a ')'")
    return finished


def term_of(expression: Expression) -> Term:
    """Turn an expression into a term; `(noop)` is the same as `noop`.

    Raises:
        RuleError: a list that does not start with a name.

    """
    if isinstance(expression, Word):
        if not expression.text.startswith("?"):
            return Symbol(expression.text)
        if expression.text == "?":
            raise RuleError(f"{expression.position}: '?' names no variable; write a letter after it, such as '?x'")
        return Variable(expression.text)
    first = expression.items[0]
    if not isinstance(first, Word) or first.text.startswith("?"):
        found = "a list" if isinstance(first, Group) else f"the variable '{first.spelling}'"
        advice = "start the list with one, or write (<= head condition …) for a rule"
        raise RuleError(f"{first.position}: {found} stands where a name must; {advice}")
    if len(expression.items) == 1:
        return Symbol(first.text)
    return Compound(first.text, tuple(term_of(item) for item in expression.items[1:]))


def parse_term(text: str) -> Term:
    """Read exactly one term.

    Raises:
        RuleError: the text is not one term.

    """
    expressions = read_expressions(text, "<term>")
    if len(expressions) != 1:
        found = "nothing" if not expressions else f"{len(expressions)} terms"
        raise RuleError(f"<term>: expected one term, found {found} in '{text[:80]}'; write one like '(cell 1 2 b)'")
    return term_of(expressions[0])


def format_term(term: Term) -> str:
    """Write a term canonically: lower case, single blanks, none inside the ends of parentheses."""
    if isinstance(term, Compound):
        return f"({term.name} {' '.join(map(format_term, term.args))})"
    return term.name


def normalise(text: str) -> str:
    """Return the canonical string of the term in a text, however it is spaced and spelt.

    Raises:
        RuleError: the text is not one term.

    """
    return format_term(parse_term(text))


def variables(term: Term) -> Iterator[Variable]:
    """Yield the variables of a term from left to right, repeated as often as they occur."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Compound):
        for argument in term.args:
            yield from variables(argument)


def ground(term: Term) -> bool:
    """Return whether a term holds no variable."""
    if isinstance(term, Compound):
        return all(map(ground, term.args))
    return not isinstance(term, Variable)
