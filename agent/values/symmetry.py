"""Symmetries of a game: other names for its facts and roles under which the rules stay the same.

Candidates come from the board: its reflections and rotations, with pieces and roles exchanged. A candidate is accepted
if it maps the moves of many states that random play reaches to the moves of their images.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.knowledge.compilation import geometry_of
from agent.knowledge.geometry import NOWHERE, Geometry
from agent.reasoner.circuit import State
from agent.reasoner.machine import Machine

__all__ = ["Symmetry", "find_symmetries", "symmetries_named"]

_TOKEN = re.compile(r"[^\s()]+")
_MOST_PIECES = 6  # kinds of pieces up to which all ways to exchange them in pairs are tried
_STATES = 60
_LONGEST_WALK = 500  # joint moves of a random match
_MOST_MOVES = 400  # joint moves of a state up to which its moves are compared


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A way to rename facts and roles that leaves the rules as they are."""

    name: str
    fluents: NDArray[np.int32]  # [fluent] its image
    points: NDArray[np.int32]  # [point] its image
    roles: tuple[int, ...]  # [role] its image

    @property
    def keeps_roles(self) -> bool:
        """Whether every role is its own image."""
        return self.roles == tuple(range(len(self.roles)))

    @property
    def is_identity(self) -> bool:
        """Whether every fact is its own image."""
        return bool((self.fluents == np.arange(len(self.fluents))).all())


def find_symmetries(machine: Machine, seed: int = 0) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game that candidates from its board show, the identity first."""
    geometry = geometry_of(machine)
    states = _random_states(machine, random.Random(seed))
    found = _candidates(geometry, turning=machine.sheet.board is None)
    return tuple(each for each in found if each.is_identity or _holds(each, machine, states))


def symmetries_named(machine: Machine, names: Collection[str]) -> list[Symmetry]:
    """Return the candidates with these names, which were found to be symmetries before, in the order of the board."""
    found = _candidates(geometry_of(machine), turning=machine.sheet.board is None)
    return [each for each in found if each.name in names]


def _candidates(geometry: Geometry, *, turning: bool) -> Iterator[Symmetry]:
    """Find candidates; with `turning`, pieces named as roles also follow roles that change places in a ring."""
    seen = set()
    for roles in itertools.permutations(range(len(geometry.roles))):
        for pieces in (*_piece_exchanges(geometry, roles), *(_pieces_of_roles(geometry, roles) if turning else ())):
            for (name, points), elsewhere in itertools.product(_board_maps(geometry), (False, True)):
                candidate = _renamed(geometry, name, points, pieces, roles, elsewhere=elsewhere)
                if candidate is not None and candidate.fluents.tobytes() not in seen:
                    seen.add(candidate.fluents.tobytes())
                    yield candidate


def _board_maps(geometry: Geometry) -> Iterator[tuple[str, NDArray[np.int32]]]:
    """Find the reflections and rotations of the hypercube that map fields to fields."""
    if not geometry.n_points:
        yield "board as it is", np.empty(0, np.int32)
        return
    low, high = geometry.points.min(axis=0), geometry.points.max(axis=0)
    axes = range(geometry.dimensions)
    for order in itertools.permutations(axes):
        for flips in itertools.product((False, True), repeat=geometry.dimensions):
            moved = geometry.points[:, list(order)].copy()
            for axis in axes:
                if flips[axis]:
                    moved[:, axis] = low[order[axis]] + high[order[axis]] - moved[:, axis]
            images = [geometry.point_index.get(tuple(point), NOWHERE) for point in moved.tolist()]
            if NOWHERE not in images:
                yield _name_of_map(order, flips), np.array(images, np.int32)


def _name_of_map(order: Sequence[int], flips: Sequence[bool]) -> str:
    letters = "xyzuvw"
    turned = [("-" if flip else "") + letters[axis] for axis, flip in zip(order, flips, strict=True)]
    return f"board ({', '.join(turned)})" if any(flips) or list(order) != sorted(order) else "board as it is"


def _piece_exchanges(geometry: Geometry, roles: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Find the ways to exchange pieces in pairs, [piece] its image; with the roles kept, pieces are kept too."""
    kinds = range(len(geometry.pieces))
    if roles == tuple(range(len(roles))):
        yield tuple(kinds)
    elif len(geometry.pieces) <= _MOST_PIECES:
        yield from (each for each in itertools.permutations(kinds) if all(each[each[kind]] == kind for kind in kinds))
    else:
        names = {name: number for number, name in enumerate(geometry.pieces)}
        exchange = _letters_exchanged(geometry.roles, roles)
        images = [names.get(exchange(name), -1) for name in geometry.pieces]
        if -1 not in images:
            yield tuple(images)


def _pieces_of_roles(geometry: Geometry, roles: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Find the images of pieces that have the names of roles, if the roles are not exchanged in pairs."""
    if all(roles[roles[role]] == role for role in range(len(roles))):
        return
    image = {geometry.roles[role]: geometry.roles[other] for role, other in enumerate(roles)}
    codes = {name: number for number, name in enumerate(geometry.pieces)}
    images = [codes.get(image.get(name, name), -1) for name in geometry.pieces]
    if -1 not in images:
        yield tuple(images)


def _letters_exchanged(names: Sequence[str], roles: tuple[int, ...]) -> Callable[[str], str]:
    initial = {names[role][0]: names[image][0] for role, image in enumerate(roles)}

    def exchange(piece: str) -> str:
        return initial.get(piece[0], piece[0]) + piece[1:]

    return exchange


def _renamed(
    geometry: Geometry,
    name: str,
    points: NDArray[np.int32],
    pieces: tuple[int, ...],
    roles: tuple[int, ...],
    *,
    elsewhere: bool,
) -> Symmetry | None:
    """Return the symmetry that renames facts so, None if some image is no fact of the game.

    With `elsewhere`, the coordinates in facts that put no piece on the board are renamed, too.
    """
    of_board = {
        (int(point), int(piece)): fluent
        for fluent, (point, piece) in enumerate(zip(geometry.fluent_point, geometry.fluent_piece, strict=True))
        if point != NOWHERE
    }
    words = {geometry.pieces[kind]: geometry.pieces[image] for kind, image in enumerate(pieces)}
    words |= {geometry.roles[role]: geometry.roles[image] for role, image in enumerate(roles)}
    images = []
    for fluent, text in enumerate(geometry.fluents):
        if geometry.fluent_point[fluent] != NOWHERE:
            kind = int(geometry.fluent_piece[fluent]) - 1
            image = of_board.get((int(points[geometry.fluent_point[fluent]]), pieces[kind] + 1))
        else:
            named = _TOKEN.sub(lambda found: words.get(found[0], found[0]), text)
            image = geometry.fluent_index.get(_with_points_moved(geometry, points, named) if elsewhere else named)
        if image is None:
            return None
        images.append(image)
    if len(set(images)) < len(images):
        return None
    if elsewhere:
        name += " everywhere"
    if roles != tuple(range(len(roles))):
        images_of_roles = " ".join(geometry.roles[image] for image in roles)
        name += ", roles exchanged" if len(roles) == 2 else f", roles as {images_of_roles}"
    if all(pieces[image] == kind for kind, image in enumerate(pieces)):
        name += "".join(
            f", {geometry.pieces[kind]} for {geometry.pieces[image]}"
            for kind, image in enumerate(pieces)
            if kind < image
        )
    else:
        name += f", pieces as {' '.join(geometry.pieces[image] for image in pieces)}"
    return Symmetry(name, np.array(images, np.int32), points, roles)


def _with_points_moved(geometry: Geometry, points: NDArray[np.int32], fact: str) -> str:
    """Return a fact in which the coordinates of points that stand side by side are those of the images."""
    words, size, at = fact.split(" "), geometry.dimensions, 1
    while 0 < size <= len(words) - at:
        numbers = [word.rstrip(")") for word in words[at : at + size]]
        point = geometry.point_index.get(tuple(map(int, numbers))) if all(map(str.isdecimal, numbers)) else None
        if point is None:
            at += 1
            continue
        image = geometry.points[points[point]].tolist()
        for place, (number, moved) in enumerate(zip(numbers, image, strict=True), at):
            words[place] = words[place].replace(number, str(moved))
        at += size
    return " ".join(words)


def _random_states(machine: Machine, dice: random.Random) -> list[State]:
    """Collect states from the beginnings of random matches, spread over their length."""
    states: list[State] = []
    while len(states) < _STATES:
        match = [machine.initial()]
        while len(match) <= _LONGEST_WALK and not machine.terminal(match[-1]):
            legal = machine.legal(match[-1])
            if not all(map(len, legal)):
                break
            match.append(machine.next(match[-1], [int(dice.choice(rows)) for rows in legal]))
        states += [*dice.sample(match, min(len(match), 10)), match[-1]]
    return states


def _holds(symmetry: Symmetry, machine: Machine, states: Sequence[State]) -> bool:
    return all(_holds_at(symmetry, machine, state) for state in states)


def _holds_at(symmetry: Symmetry, machine: Machine, state: State) -> bool:
    image = _image(symmetry, state)
    if machine.terminal(state) != machine.terminal(image):
        return False
    goals, image_goals = machine.goals(state), machine.goals(image)
    if any(goals[role] != image_goals[other] for role, other in enumerate(symmetry.roles)):
        return False
    if machine.terminal(state):
        return True
    legal, image_legal = machine.legal(state), machine.legal(image)
    if any(len(legal[role]) != len(image_legal[other]) for role, other in enumerate(symmetry.roles)):
        return False
    if np.prod([len(rows) for rows in legal], dtype=float) > _MOST_MOVES:
        return True
    after = {_image(symmetry, machine.next(state, joint)).tobytes() for joint in itertools.product(*legal)}
    return after == {machine.next(image, joint).tobytes() for joint in itertools.product(*image_legal)}


def _image(symmetry: Symmetry, state: State) -> State:
    bits = np.unpackbits(state.view(np.uint8), bitorder="little")
    images = np.zeros_like(bits)
    images[symmetry.fluents] = bits[: len(symmetry.fluents)]
    return np.packbits(images, bitorder="little").view(np.uint64)
