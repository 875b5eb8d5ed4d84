"""Rule sheets: KIF read as GDL rules, with the name, digest and board that other modules refer to."""

import difflib
import gc
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl.board import Board, board_of
from gdl_miner.agent.gdl.digest import rules_digest
from gdl_miner.agent.gdl.formula import CONNECTIVES, Atom, Formula, formula_of
from gdl_miner.agent.gdl.keywords import KEYWORDS
from gdl_miner.agent.gdl.syntax import (
    Compound,
    Expression,
    Group,
    Location,
    Symbol,
    Tick,
    Variable,
    Word,
    format_term,
    ground,
    idle,
    read_expressions,
    term_of,
    ticking,
)
from gdl_miner.agent.reading import read_bounded

LARGE_TEXT = 1 << 20
"""Characters from which on reading a rule sheet takes seconds."""

MAX_BYTES = 16 * 1024 * 1024
"""Largest file that is read as a rule sheet; real sheets stay below 1 MiB."""

_ARROW = re.compile(r"<?[=-]+>|<-+|:-|:=|[⇐⇒←→]|<=[^<>=]*")
_ARROWS = {"=>", ":-", "<=", "⇐", "⇒"}
"""Arrows that are no constants of any game, wherever they stand among the parts of a rule or fact."""
_SIGNS = {"&", "&&", "|", "||", ",", "^", "~", "!", "¬", "∧", "∨", "+"}
_COMMENTS = ("//", "/*", "#", "%", "--")
_WORD = re.compile(r"[^\s()]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """A head that holds wherever its body holds; a fact has an empty body. Comparisons ignore the position."""

    head: Symbol | Compound
    body: tuple[Formula, ...]
    position: Location = field(compare=False)

    @property
    def predicate(self) -> tuple[str, int]:
        """Name and arity of the head's relation."""
        return self.head.name, len(self.head.args) if isinstance(self.head, Compound) else 0


@dataclass(frozen=True)
class RuleSheet:
    """The rules of a game as read: syntactically sound, but not yet checked (`gdl_miner.agent.gdl.check`)."""

    source: str
    """Origin of the rules: a path, or `<string>`."""
    name: str
    """File name without `.kif`: `amazons.ext`."""
    rules: tuple[Rule, ...]
    """In the order of the text."""
    roles: tuple[str, ...]
    """From the `role` facts, in the order of the text."""
    board: Board | None
    """The board that the extension describes, None without a sound extension."""
    digest: str
    """SHA-256 in hex of the normalised rules (`gdl_miner.agent.gdl.digest`)."""
    spelling: Mapping[str, str] = field(repr=False, hash=False)
    """First spelling in the text of each lower-cased word that was not written in lower case."""

    def display(self, text: str) -> str:
        """Respell a canonical string the way the sheet does, for people and files."""
        return _WORD.sub(lambda match: self.spelling.get(match.group(), match.group()), text)


def read_sheet(path_or_bundled_name: str | os.PathLike[str]) -> RuleSheet:
    """Read a rule sheet from a file, or a bundled one by name (`amazons.ext` or `amazons.ext.kif`); files come first.

    A folder with the name of a bundled game, as one of results, does not hide the game.

    Raises:
        RuleError: nothing of that name, an unreadable file, or malformed KIF.

    """
    return parse_sheet(*read_text(path_or_bundled_name))


def read_text(path_or_bundled_name: str | os.PathLike[str]) -> tuple[str, str]:
    """Read the text of a rule sheet, named as for `read_sheet`, and say which file it came from.

    Raises:
        RuleError: nothing of that name, or an unreadable file.

    """
    given = os.fspath(path_or_bundled_name)
    path = Path(given)
    try:
        present = path.exists() and not (path.is_dir() and given in bundled())
    except (OSError, ValueError):
        present = False
    if not present:
        path = _bundled_sheet(given)
    try:
        data = read_bounded(path, MAX_BYTES)
    except OSError as error:
        raise RuleError(f"{path}: cannot read the rule sheet ({error.strerror}); give a readable .kif file") from error
    except ValueError as error:
        raise RuleError(f"{path}: {error}, so hardly a rule sheet; give a .kif file") from None
    return data.decode("utf-8", errors="replace"), str(path)


def _bundled_sheet(name: str) -> Path:
    sheets = bundled()
    path = sheets.get(name.removesuffix(".kif"))
    if path is not None:
        return path
    close = difflib.get_close_matches(Path(name).name.removesuffix(".kif"), sheets, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    names = ", ".join(sheets) or "(none)"
    raise RuleError(
        f"{name}: neither a file nor a bundled game; {hint}give the path of a .kif file, or one of: {names}"
    )


def parse_sheet(text: str, source: str = "<string>", tick: Tick = idle) -> RuleSheet:
    """Read the rules in a text. Raises what the tick raises, too.

    Raises:
        RuleError: malformed KIF, or something that is neither a fact nor a rule.

    """
    with _without_collections() if len(text) > LARGE_TEXT else nullcontext():
        return _read(text, source, tick)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Let no search for garbage interrupt the block: for millions of terms it takes as long as reading them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(text: str, source: str, tick: Tick) -> RuleSheet:
    expressions = read_expressions(text, source, tick)
    rules = tuple(map(rule_of, ticking(expressions, tick)))
    roles = tuple(
        dict.fromkeys(
            format_term(rule.head.args[0])
            for rule in rules
            if isinstance(rule.head, Compound) and rule.predicate == ("role", 1) and not rule.body and ground(rule.head)
        )
    )
    name = Path(source).name.removesuffix(".kif") or source
    return RuleSheet(
        source=source,
        name=name,
        rules=rules,
        roles=roles,
        board=board_of(rule.head for rule in rules if not rule.body),
        digest=rules_digest(((rule.head, rule.body) for rule in ticking(rules, tick)), roles),
        spelling=_first_spellings(expressions),
    )


def rule_of(expression: Expression) -> Rule:
    """Read a fact or a rule. Raises RuleError for anything else, and for what is plainly mistyped."""
    _refuse_mistyped(expression)
    try:
        rule = _rule_of(expression)
    except RuleError:
        _refuse_names_before_parentheses(expression)
        raise
    if any(isinstance(part, Atom) and not part.args and KEYWORDS.get(part.name) for part in rule.body):
        _refuse_names_before_parentheses(expression)
    return rule


def _rule_of(expression: Expression) -> Rule:
    if isinstance(expression, Group) and isinstance(expression.items[0], Word) and expression.items[0].text == "<=":
        if len(expression.items) == 1:
            raise RuleError(f"{expression.position}: '(<=)' has no head; write '(<= head condition …)'")
        head, *body = expression.items[1:]
    else:
        head, body = expression, []
    term = term_of(head)
    if isinstance(term, Variable):
        raise RuleError(f"{head.position}: the variable '{term.name}' stands where a head must; name a relation")
    if term.name in CONNECTIVES:
        raise RuleError(f"{head.position}: '{term.name}' cannot be a head or a fact; use it in the body of a rule")
    return Rule(term, tuple(map(formula_of, body)), expression.position)


def _refuse_mistyped(expression: Expression) -> None:
    """Raise RuleError for what other languages write: arrows, signs between conditions, comments, bare words."""
    if isinstance(expression, Word):
        _refuse_bare(expression)
        return
    arrow = isinstance(expression.items[0], Word) and expression.items[0].text == "<="
    for place, item in enumerate(expression.items):
        if not isinstance(item, Word) or item.text[0].isalnum() or item.text[0] == "?":
            continue
        if item.text in _SIGNS and arrow and place > 1:
            raise RuleError(
                f"{item.position}: '{item.spelling}' stands between conditions; leave it out where all must hold, "
                "else write (or …) or (not …)"
            )
        if _ARROW.fullmatch(item.text) and (place == 1 or (item.text != "<=" if place == 0 else item.text in _ARROWS)):
            wrong = f"'{item.spelling}' is no arrow of a rule"
            if item.text.startswith("<="):
                wrong = "the arrow stands in the middle" if item.text == "<=" else f"'{item.spelling}' is one word"
            raise RuleError(f"{item.position}: {wrong}; begin the rule with the arrow: (<= head condition …)")


def _refuse_names_before_parentheses(expression: Expression) -> None:
    """Raise RuleError for `role(?p)`: a name that touches the parenthesis of what looks like its arguments."""
    if isinstance(expression, Word):
        return
    for place, (name, arguments) in enumerate(pairwise(expression.items)):
        if isinstance(name, Word) and isinstance(arguments, Group) and not name.text.startswith("?"):
            line, column = name.position[1:]
            touches = (line, column + len(name.spelling)) == arguments.position[1:]
            first = arguments.items[0]
            if touches and (place > 0 or (isinstance(first, Word) and first.text.startswith("?"))):
                raise RuleError(
                    f"{name.position}: the name stands before its parenthesis; write '({name.spelling} …)' instead of "
                    f"'{name.spelling}(…)'"
                )
    for item in expression.items:
        _refuse_names_before_parentheses(item)


def _refuse_bare(word: Word) -> None:
    if word.text == "terminal" or word.text.startswith("?"):
        return
    if word.text.startswith(_COMMENTS):
        raise RuleError(f"{word.position}: '{word.spelling}' begins no comment; write ';' in front of it")
    raise RuleError(
        f"{word.position}: '{word.spelling}' stands outside of parentheses; "
        f"write ({word.spelling}) for a fact, or ';' before a comment"
    )


def _first_spellings(expressions: Iterable[Expression]) -> dict[str, str]:
    first: dict[str, str] = {}
    pending: list[Expression] = list(expressions)[::-1]
    while pending:
        expression = pending.pop()
        if isinstance(expression, Word):
            first.setdefault(expression.text, expression.spelling)
        else:
            pending.extend(reversed(expression.items))
    return {word: spelling for word, spelling in first.items() if word != spelling}
