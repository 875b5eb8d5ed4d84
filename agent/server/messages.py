"""The messages of the GGP protocol, read from KIF text and written to it.

The messages are `(INFO)`, `(PREVIEW (rules) clock)`, `(START id role (rules) startclock playclock)`,
`(PLAY id moves)`, `(STOP id moves)` and `(ABORT id)`, in upper or lower case; moves are `NIL` or a list (Love et al.
2008; ggp-base). The rules stay text: this module does not read them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gdl_miner.agent.errors import MessageError

MAX_DEPTH = 160
"""Deepest nesting of parentheses: the limit of a rule sheet and some more for the message around it."""

LONGEST_CLOCK_S = 24 * 3600.0

_FORMS = {
    "info": "(info)",
    "preview": "(preview (RULE …) CLOCK)",
    "start": "(start MATCH ROLE (RULE …) STARTCLOCK PLAYCLOCK)",
    "play": "(play MATCH (MOVE …)), or nil for the moves",
    "stop": "(stop MATCH (MOVE …))",
    "abort": "(abort MATCH)",
}

_TOKEN = re.compile(r"[()]|;[^\n]*|[^\s();]+")


@dataclass(frozen=True)
class Info:
    """A request for the player's name and status."""


@dataclass(frozen=True)
class Preview:
    """The announcement of a game that may be played soon."""

    rules: str
    clock: float  # s


@dataclass(frozen=True)
class Start:
    """The start of a match."""

    match: str
    role: str
    rules: str
    start_clock: float  # s
    play_clock: float  # s


@dataclass(frozen=True)
class Play:
    """The joint move that was played, None before the first move; the answer is the player's next move."""

    match: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True)
class Stop:
    """The last joint move of a match that is over."""

    match: str
    moves: tuple[str, ...] | None


@dataclass(frozen=True)
class Abort:
    """The end of a match that is broken off."""

    match: str


Message = Info | Preview | Start | Play | Stop | Abort


class _MessagePart(NamedTuple):
    text: str
    listed: bool  # whether the part is a list; its text is then what stands between the parentheses


def read_message(text: str) -> Message:
    """Read one message.

    Raises:
        MessageError: the text is not one message of the protocol.
    """
    head, *rest = _parts(text)
    kind = head.text.lower()
    match kind, rest:
        case "info", []:
            return Info()
        case "preview", [rules, clock]:
            return Preview(_rules(rules), _clock(clock))
        case "start", [match, role, rules, start_clock, play_clock, *_]:
            return Start(_word(match), _word(role), _rules(rules), _clock(start_clock), _clock(play_clock))
        case "play", [match, moves]:
            return Play(_word(match), _moves(moves))
        case "stop", [match, moves]:
            return Stop(_word(match), _moves(moves))
        case "abort", [match]:
            return Abort(_word(match))
    if kind in _FORMS:
        raise MessageError(f"message: '{kind}' with {len(rest)} arguments; send {_FORMS[kind]}")
    raise MessageError(f"message: '{head.text[:40]}' is no message; send one of {', '.join(_FORMS)}")


def write_message(message: Message) -> str:
    """Write a message as ggp-base's server does."""
    match message:
        case Info():
            return "( INFO )"
        case Preview(rules, clock):
            return f"( PREVIEW ({rules}) {_seconds(clock)} )"
        case Start(match, role, rules, start_clock, play_clock):
            return f"( START {match} {role} ({rules}) {_seconds(start_clock)} {_seconds(play_clock)} )"
        case Play(match, moves):
            return f"( PLAY {match} {_written(moves)} )"
        case Stop(match, moves):
            return f"( STOP {match} {_written(moves)} )"
        case Abort(match):
            return f"( ABORT {match} )"


def _seconds(clock: float) -> str:
    return f"{clock:.9f}".rstrip("0").rstrip(".")


def _written(moves: Sequence[str] | None) -> str:
    return "NIL" if moves is None else f"({' '.join(moves)})"


def _parts(text: str) -> list[_MessagePart]:
    """Return the parts of a text that is one list."""
    parts: list[_MessagePart] = []
    depth = begin = 0
    over = False
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word[0] == ";":
            continue
        if over or (depth == 0 and word != "("):
            raise MessageError("message: text outside of its parentheses; send one list, such as (info)")
        if word == "(":
            depth += 1
            if depth == 2:
                begin = token.end()
            if depth > MAX_DEPTH:
                raise MessageError(f"message: more than {MAX_DEPTH} parentheses are open; nest less deeply")
        elif word == ")":
            depth -= 1
            over = depth == 0
            if depth == 1:
                parts.append(_MessagePart(text[begin : token.start()], listed=True))
        elif depth == 1:
            parts.append(_MessagePart(word, listed=False))
    if not text.strip():
        raise MessageError("message: there is no text; send one list, such as (info)")
    if not over:
        raise MessageError("message: a parenthesis is never closed; send the whole list")
    if not parts or parts[0].listed:
        raise MessageError("message: the list does not start with a word; send one such as (info)")
    return parts


def _word(part: _MessagePart) -> str:
    if part.listed:
        raise MessageError(f"message: '({part.text[:40]})' stands where one word must; see the GGP protocol")
    return part.text


def _rules(part: _MessagePart) -> str:
    if not part.listed:
        raise MessageError("message: the rules are no list; put all rules between parentheses")
    return part.text


def _clock(part: _MessagePart) -> float:
    if part.listed or not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", part.text):
        raise MessageError(f"message: '{part.text[:40]}' is no clock; give seconds, such as 30")
    return min(float(part.text), LONGEST_CLOCK_S)


def _moves(part: _MessagePart) -> tuple[str, ...] | None:
    if not part.listed:
        if part.text.lower() == "nil":
            return None
        raise MessageError(f"message: '{part.text[:40]}' stands for the moves; give NIL or a list")
    moves: list[str] = []
    depth = begin = 0
    for token in _TOKEN.finditer(part.text):
        word = token.group()
        if word == "(":
            if depth == 0:
                begin = token.start()
            depth += 1
        elif word == ")":
            depth -= 1
            if depth == 0:
                moves.append(part.text[begin : token.end()])
        elif depth == 0 and word[0] != ";":
            moves.append(word)
    return tuple(moves) or None
