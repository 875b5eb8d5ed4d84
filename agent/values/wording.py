"""Descriptions of values of states in words, for pages and terminals."""

from __future__ import annotations

from collections.abc import Sequence

from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.values.description import DescribedPart, DescribedTuple, DescribedValues
from gdl_miner.agent.values.named_values import NOTHING

__all__ = [
    "contents_in_words",
    "part_in_words",
    "sharing_in_words",
    "symmetry_in_words",
    "tuple_in_words",
    "values_in_words",
]

_TURNS = {
    "(-x, y)": "mirrored left to right",
    "(x, -y)": "mirrored top to bottom",
    "(-x, -y)": "turned by half",
    "(y, x)": "mirrored in a diagonal",
    "(-y, -x)": "mirrored in the other diagonal",
    "(y, -x)": "turned by a quarter",
    "(-y, x)": "turned by a quarter the other way",
}
"""Images of a point (x, y) under the turns and reflections of a board, in words."""


def values_in_words(values: DescribedValues, roles: Sequence[str], display: Display) -> str:
    """Return sentences that say what the weights mean, and with what images they are shared."""
    said = [
        "The weights of all that holds in a state are added. The sum says what result to expect, in log-odds: 0 means "
        "50\u00a0%, +1 means 73\u00a0%, +2 means 88\u00a0% and −1 means 27\u00a0%."
    ]
    if values.constant_sum:
        said.append("What is good for one role is as bad for the other.")
    of_start = [f"{worth:.0f}\u00a0% to {display(role)}" for role, worth in zip(roles, values.of_start, strict=True)]
    said.append(f"The start of a match is worth {' and '.join(of_start[: 1 if values.constant_sum else None])}.")
    if any(part.boards for part in values.parts):
        said.append(
            "Cells have the coordinates of the maps, the one below the map first. A blank cell has no weight: nothing "
            "was learned there, as where a match has ended."
        )
    if any(part.boards and part.tuples for part in values.parts):
        said.append(
            "A map has the weights of single pieces. Combinations add to them, also with empty cells, and the weight "
            "of a combination comes on top of those of its parts, so no weight alone is what a piece or a move is "
            "worth. Only the strongest combinations are listed; the others together often count for more."
        )
    if values.sharing:
        said.append(f"Images have the same weight: {sharing_in_words(values.sharing)}.")
    if values.exchange:
        said.append(
            "When the other role is to move, the same weights say what the state is worth to that role, under this "
            f"symmetry: {symmetry_in_words(values.exchange)}. After your own move it is the other role's turn: your "
            "pieces then count as those of the other role do here, with the sign turned round."
        )
    return " ".join(said)


def symmetry_in_words(name: str) -> str:
    """Return the name of a symmetry with the turn of a board of two dimensions in words: `board turned by half`."""
    for points, words in _TURNS.items():
        name = name.replace(f"board {points}", f"board {words}")
    return name


def sharing_in_words(names: Sequence[str]) -> str:
    """Return names of symmetries; all turns and reflections of a square board as such, if there is nothing else."""
    if set(names) == {f"board {points}" for points in _TURNS}:
        return "all turns and reflections of the board"
    return ", ".join(map(symmetry_in_words, names))


def tuple_in_words(each: DescribedTuple, display: Display) -> str:
    """Return in words what a tuple looks like: `white at 1 1 and nothing at 1 2`, or which facts hold and which not."""
    if each.cells:
        words = contents_in_words(each.cells, each.contents, display)
        return f"{words}, and so anywhere on the board" if each.anywhere else words
    said = [
        display(fact) if fact != NOTHING else _none_of([display(other) for other in group])
        for fact, group in zip(each.contents, each.groups, strict=True)
    ]
    *first, last = said
    return f"{', '.join(first)} and {last}" if first else last


def contents_in_words(cells: Sequence[tuple[int, ...]], contents: Sequence[str], display: Display) -> str:
    """Return in words what stands at some cells, equal contents together: `white at 1 1, 2 2 and nothing at 1 2`."""
    at: dict[str, list[str]] = {}
    for cell, piece in zip(cells, contents, strict=True):
        at.setdefault(piece, []).append(" ".join(map(str, cell)))
    said = [f"{'nothing' if piece == NOTHING else display(piece)} at {', '.join(found)}" for piece, found in at.items()]
    *first, last = said
    return f"{'; '.join(first)} and {last}" if first else last


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
