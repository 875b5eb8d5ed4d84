"""Descriptions of values of states in words, for pages and terminals."""

from __future__ import annotations

from collections.abc import Sequence

from agent.files.elements import Display
from agent.knowledge.values import NOTHING
from agent.knowledge.wording import contents_in_words
from agent.values.description import DescribedPart, DescribedTuple, DescribedValues

__all__ = ["part_in_words", "tuple_in_words", "values_in_words"]


def values_in_words(values: DescribedValues) -> str:
    """Return sentences that say what the weights mean, and with what images they are shared."""
    said = [
        "The value of a state, between 0 and 1, is the logistic function of the sum of the weights of all that holds "
        "in it. The weights are log-odds: +0.7 doubles the odds, −0.7 halves them."
    ]
    if any(part.boards and part.tuples for part in values.parts):
        said.append("A map of the board has the weights of single pieces; those of several cells together add to them.")
    if values.sharing:
        said.append(f"Images under these symmetries have the same weight: {', '.join(values.sharing)}.")
    if values.exchange:
        said.append(
            f"In the other turn the other role has the weights of the images under the symmetry “{values.exchange}”."
        )
    return " ".join(said)


def tuple_in_words(each: DescribedTuple, display: Display) -> str:
    """Return in words what a tuple looks like: `white at 1 1 and nothing at 1 2`, or which facts hold and which not."""
    if each.cells:
        return contents_in_words(each.cells, each.contents, display)
    said = [
        display(fact) if fact != NOTHING else _none_of([display(other) for other in group])
        for fact, group in zip(each.contents, each.groups, strict=True)
    ]
    *first, last = said
    return f"{', '.join(first)} and {last}" if first else last


def _none_of(facts: Sequence[str]) -> str:
    if len(facts) <= 2:
        return " and ".join(f"not {fact}" for fact in facts)
    return f"none of {facts[0]} to {facts[-1]}"


def part_in_words(part: DescribedPart, roles: Sequence[str], display: Display) -> str:
    """Return for whom and in which states the weights count: `worth to white while (control white)`."""
    words = f"worth to {display(roles[part.role])}"
    if part.turn_fact:
        words += f" while {display(part.turn_fact)}"
    elif part.turn:
        words += f" in turn {part.turn + 1}"
    if part.pieces is not None:
        least, most = part.pieces
        words += f", {least} pieces or more" if most is None else f", {least} to {most} pieces"
    return words
