"""Positions as facts, sequences of joint moves as text, and the states that they lead to.

A joint move is written in parentheses, with a move per role in the order of the sheet:
`((mark 1 1) noop) (noop (mark 2 2))`. If only one role has a choice, its move alone is enough: `(mark 1 1) (mark 2 2)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gdl_miner.agent.errors import ConfigError, RuleError
from gdl_miner.agent.gdl.syntax import Expression, Group, format_term, read_expressions, term_of
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.engines import TextEngine
from gdl_miner.agent.reasoner.machine import Machine


def position_of(machine: Machine, text: str) -> State:
    """Return the state in which the facts of a text hold, such as `(cell 1 1 x) (control o)`.

    Facts that hold in every state may be left out. Raises ConfigError where the text is no list of facts of the game,
    or the match cannot go on from there.
    """
    try:
        terms = [format_term(term_of(each)) for each in read_expressions(text)]
        state = machine.state_with(
            term.removeprefix("(true ").removesuffix(")") if term.startswith("(true ") else term for term in terms
        )
    except (RuleError, ValueError) as error:
        raise ConfigError(f"the position: {error}") from None
    if not machine.terminal(state):
        for role, rows in enumerate(machine.legal(state)):
            if not len(rows):
                name = machine.sheet.display(machine.roles[role])
                raise ConfigError(
                    f"the position: {name} has no legal move there, and it is not terminal; is a fact missing, such as "
                    "whose turn it is?"
                )
    return state


def written(joint_moves: Iterable[Sequence[str]]) -> str:
    """Return joint moves as text that `follow` can read."""
    return " ".join(f"({' '.join(joint)})" for joint in joint_moves)


def follow(
    engine: TextEngine[Any], moves: str, start: Any = None, named: str = "--moves"
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each joint move of a text and the state after it, starting from a state, by default the initial one.

    Errors call the text `named`.

    Raises:
        ConfigError: a joint move is not legal, or the text continues after the end of the match.
    """
    try:
        expressions = read_expressions(moves, named)
    except RuleError as error:
        raise ConfigError(str(error)) from error
    state = engine.initial() if start is None else start
    for number, expression in enumerate(expressions, 1):
        if engine.terminal(state):
            raise ConfigError(f"{named}: the match is over before move {number}; leave it out")
        joint = _joint_move(engine, state, expression, f"{named}: move {number}")
        state = engine.next(state, joint)
        yield joint, state


def _joint_move(engine: TextEngine[Any], state: Any, expression: Expression, named: str) -> tuple[str, ...]:
    legal = engine.legal(state)
    given = _texts(expression)
    if len(given) == len(engine.roles) and all(move in known for move, known in zip(given, legal, strict=True)):
        return given
    choosing = [role for role, known in enumerate(legal) if len(known) > 1]
    alone = _text(expression)
    if len(choosing) <= 1 and alone is not None and all(legal):
        role = choosing[0] if choosing else next((r for r, known in enumerate(legal) if alone in known), 0)
        joint = tuple(alone if one == role else min(known) for one, known in enumerate(legal))
        if alone in legal[role]:
            return joint
    shown = "; ".join(
        f"{role}: {', '.join(sorted(known)[:6])}{', …' if len(known) > 6 else ''}"
        for role, known in zip(engine.roles, legal, strict=True)
    )
    raise ConfigError(f"{named}, {alone or ' '.join(given)}, is not legal; legal are {shown}")


def _texts(expression: Expression) -> tuple[str, ...]:
    """Read an expression as a list of moves, one per role."""
    if not isinstance(expression, Group):
        return (expression.text,)
    texts = [_text(item) for item in expression.items]
    return tuple(text for text in texts if text is not None)


def _text(expression: Expression) -> str | None:
    try:
        return format_term(term_of(expression))
    except RuleError:
        return None
