"""Rule sheets in a canonical layout: the same rules and comments in the same order, laid out alike.

- The conditions of a rule stand on lines of their own, indented by four; facts that share a line keep sharing it.
- A list that does not fit on a line is broken at its arguments, which then stand below each other.
- A comment keeps its place: on a line of its own, or after the code that it follows.
- At most two of several blank lines in a row are kept, and none inside a rule.

Formatting a formatted text changes nothing, and formatting never changes the digest of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gdl_miner.agent.gdl.syntax import read_expressions

WIDTH = 100
"""Largest number of columns of a line, unless a single word or a comment is longer."""

_INDENT = 4
_COMMENT_COLUMN = 40  # column at which a comment beside short code starts, counted from 0
_TOKEN = re.compile(r"\n|;[^\n]*|[()]|[^\s();]+")


@dataclass
class _Part:
    """A word, or a list of parts, with the comments around it."""

    word: str | None  # None for a list
    items: list[_Part] = field(default_factory=list)
    above: list[str] = field(default_factory=list)  # comments on lines of their own before it; "" is a blank line
    beside: str = ""  # the comment after it on its last line
    beside_start: str = ""  # in a list: the comment after the opening parenthesis
    last: list[str] = field(default_factory=list)  # in a list: comments on their own lines at the end
    first_on_line: bool = True

    @property
    def commented(self) -> bool:
        """Whether a comment stands inside the part."""
        if self.beside_start or self.last:
            return True
        parts = self.items
        return any(part.above or part.commented for part in parts) or any(part.beside for part in parts)

    def flat(self) -> str:
        """Return the text of the part on one line, without comments."""
        return self.word if self.word is not None else f"({' '.join(part.flat() for part in self.items)})"


def format_sheet(text: str, source: str = "<string>") -> str:
    """Return a rule sheet in the canonical layout; words keep their spelling.

    Raises:
        RuleError: malformed KIF.

    """
    read_expressions(text, source)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    sheet = _parse(text)
    lines: list[str] = []
    for part in sheet.items:
        lines += part.above
        _append_item(lines, part)
    lines += sheet.last
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "".join(f"{line}\n" for line in lines)


def _parse(text: str) -> _Part:
    """Read a balanced text as one list of everything in it."""
    sheet = _Part(None)
    open_parts, pending, previous, newlines = [sheet], list[str](), sheet, 1
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            newlines += 1
            if 1 < newlines <= 3 and len(open_parts) == 1:
                pending.append("")
            continue
        if token[0] == ";":
            comment = token.rstrip()
            if newlines:
                pending.append(comment)
            elif previous is open_parts[-1]:
                previous.beside_start = comment
            else:
                previous.beside = comment
        elif token == ")":
            closed = open_parts.pop()
            closed.last, pending, previous = [*closed.last, *pending], [], closed
        else:
            previous = _Part(None if token == "(" else token, above=pending, first_on_line=newlines > 0)
            open_parts[-1].items.append(previous)
            pending = []
            if token == "(":
                open_parts.append(previous)
        newlines = 0
    sheet.last = pending
    return sheet


def _append_item(lines: list[str], part: _Part) -> None:
    """Append a fact or a rule; a fact that shared the line of the fact before keeps sharing it if it fits."""
    whole = list(_lines(part, 0))
    joins = not (part.first_on_line or part.above or _is_rule(part)) and bool(lines)
    if joins and len(whole) == 1 and _joinable(lines[-1]) and len(lines[-1]) + 1 + len(whole[0]) <= WIDTH:
        lines[-1] += f" {whole[0]}"
    else:
        lines += whole
    if part.beside:
        lines[-1] = _with_comment(lines[-1], part.beside)


def _joinable(line: str) -> bool:
    return line.startswith("(") and not line.startswith("(<=") and ";" not in line


def _is_rule(part: _Part) -> bool:
    return len(part.items) > 2 and part.items[0].word == "<="


def _with_comment(line: str, comment: str) -> str:
    return f"{line.ljust(_COMMENT_COLUMN - 2)}  {comment}"


def _lines(part: _Part, column: int) -> Iterator[str]:
    """Yield the lines of a part that starts at a column, the first one without its indentation."""
    if part.word is not None:
        yield part.word
    elif not part.commented and not _is_rule(part) and column + len(part.flat()) <= WIDTH:
        yield part.flat()
    else:
        yield from _broken(part, column)


def _broken(part: _Part, column: int) -> Iterator[str]:
    """Yield the lines of a list: the first item, in a rule also the head, on the opening line, the others below."""
    beside_head = 2 if part.items[0].word == "<=" else 1
    head = part.items[0].flat()
    indent = column + (_INDENT if beside_head == 2 else min(len(head) + 2, _INDENT))
    lines = ["("]
    if part.beside_start:
        lines = [_with_comment("(", part.beside_start)]
    for number, item in enumerate(part.items):
        fresh = number >= beside_head or item.above or ";" in lines[-1]
        if fresh:
            lines += [" " * indent + comment for comment in item.above]
            inner = list(_lines(item, indent))
            lines += [" " * indent + inner[0], *inner[1:]]
        else:
            gap = " " if number else ""
            start = column + len(lines[-1]) + len(gap) if len(lines) == 1 else len(lines[-1]) + len(gap)
            inner = list(_lines(item, start))
            lines[-1] += gap + inner[0]
            lines += inner[1:]
        if item.beside:
            lines[-1] = _with_comment(lines[-1], item.beside)
    lines += [" " * indent + comment for comment in part.last]
    if ";" in lines[-1]:
        lines.append(" " * column + ")")
    else:
        lines[-1] += ")"
    yield from lines
