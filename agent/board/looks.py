"""The looks of the pieces of a game: pieces of two owners never look alike.

The look of a piece follows from its name (`piece.py`). A piece without a colour in its name has that of its owner, and
so have pieces of different owners that would look alike. Owners are known from play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from gdl_miner.agent.board.piece import COLOURS, colour_and_kind, draw_piece, has_own_shape
from gdl_miner.agent.reasoner.machine import Machine

NOBODY = -1


@lru_cache(maxsize=8)
def looks_of(machine: Machine) -> Mapping[str, str]:
    """Return by piece the name by which it is drawn, for those that are not drawn by their own."""
    board = machine.board
    if board is None:
        return {}
    fields = [board.field(fluent) for fluent in machine.fluents]
    on_fields = {field[1] or board.board_functor for field in fields if field is not None}
    pieces = sorted(on_fields | {piece for _, piece in map(board.target, machine.circuit.moves) if piece})
    owners = tuple(machine.piece_owners.get(piece, NOBODY) for piece in pieces)
    return drawn_names(tuple(pieces), owners, machine.roles)


@lru_cache(maxsize=8)
def drawn_names(pieces: tuple[str, ...], owners: tuple[int, ...], roles: tuple[str, ...]) -> Mapping[str, str]:
    """Return by piece the name by which it is drawn, for those that are not drawn by their own.

    Args:
        pieces: names of the pieces.
        owners: [piece] number of its role, NOBODY for none.
        roles: names of the roles; a role that is called like a colour has it.
    """
    colours = _colours(pieces, owners, roles)
    drawn: dict[str, str] = {}
    for piece, owner in zip(pieces, owners, strict=True):
        colour, kind = colour_and_kind(piece)
        if owner != NOBODY and not colour and not has_own_shape(piece):
            drawn[piece] = f"{colours[owner]} {kind}"
    by_look: dict[str, set[int]] = {}
    for piece, owner in zip(pieces, owners, strict=True):
        by_look.setdefault(_look(drawn.get(piece, piece)), set()).add(owner)
    for piece, owner in zip(pieces, owners, strict=True):
        if owner != NOBODY and len(by_look[_look(drawn.get(piece, piece))]) > 1:
            drawn[piece] = f"{colours[owner]} {_letters(piece)}"
    return drawn


def _colours(pieces: Sequence[str], owners: Sequence[int], roles: Sequence[str]) -> list[str]:
    """Return [role] the colour of its pieces: the one that the role or one of its pieces is called, else a free one."""
    named: list[set[str]] = [set() for _ in roles]
    taken: set[str] = set()
    for piece, owner in zip(pieces, owners, strict=True):
        (taken if owner == NOBODY else named[owner]).add(colour_and_kind(piece)[0])
    wanted = [
        role.lower() if role.lower() in COLOURS else min(own - {""}, default="")
        for role, own in zip(roles, named, strict=True)
    ]
    free = [colour for colour in COLOURS if colour not in taken.union(wanted, *named)] + list(COLOURS)
    found: list[str] = []
    for colour in wanted:
        found.append(
            colour if colour and colour not in found else next(each for each in free if each not in found[-5:])
        )
    return found


def _letters(piece: str) -> str:
    """Return a kind that is written on a disc, whatever the name means otherwise."""
    colour, kind = colour_and_kind(piece)
    return kind if kind and not has_own_shape(piece) else f"{piece.strip('()')[:1]}{colour}"


def _look(name: str) -> str:
    return draw_piece(name, 0.0, 0.0, "piece")
