"""Other names for the facts, moves and roles of a game, which the reflections and rotations of its board suggest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.gdl.board import PartialPoint
from gdl_miner.agent.geometry.forms import forms_of_facts, forms_of_moves
from gdl_miner.agent.geometry.geometry import NOWHERE, BoardNames, GameMachine, Geometry, geometry_of
from gdl_miner.agent.geometry.lattice import LatticeMap, keeps_axes, lattice_maps
from gdl_miner.agent.reasoner.circuit import pack_states, unpack_states

_TOKEN = re.compile(r"[^\s()]+")
_DIGIT = re.compile(r"\d")
_Number = TypeVar("_Number", int, float)
_MOST_PIECES = 6  # kinds of pieces up to which all ways to exchange them in pairs are tried


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A way to rename facts, moves and roles that leaves the rules as they are."""

    geometry: Geometry
    board: BoardNames | None
    name: str
    fluents: NDArray[np.int32]  # [fluent] its image
    points: NDArray[np.int32]  # [point] its image
    roles: tuple[int, ...]  # [role] its image
    pieces: tuple[int, ...]  # [piece] its image; pieces count from 0
    board_map: LatticeMap  # the rotation or reflection of the board

    @classmethod
    def identity(cls, machine: GameMachine) -> Symmetry:
        """Return the way that leaves all names as they are."""
        geometry = geometry_of(machine)
        return cls(
            geometry=geometry,
            board=machine.board,
            name="",
            fluents=np.arange(len(geometry.fluents), dtype=np.int32),
            points=np.arange(geometry.n_points, dtype=np.int32),
            roles=tuple(range(len(geometry.roles))),
            pieces=tuple(range(len(geometry.pieces))),
            board_map=_identity_map(geometry.dimensions),
        )

    @property
    def keeps_roles(self) -> bool:
        """Whether every role is its own image."""
        return self.roles == tuple(range(len(self.roles)))

    def image(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the images of packed states [.., word]."""
        holds = unpack_states(states, len(self.fluents))
        images = np.zeros_like(holds)
        images[..., self.fluents] = holds
        return pack_states(images)

    def piece(self, name: str) -> str:
        """Return the image of a piece."""
        return self.geometry.pieces[self.pieces[self.geometry.piece_code[name] - 1]]

    @property
    def is_identity(self) -> bool:
        """Whether every fact is its own image."""
        return bool((self.fluents == np.arange(len(self.fluents))).all())

    @cached_property
    def moves(self) -> NDArray[np.int32]:
        """[row] image of each move: other coordinates, pieces and roles; NOWHERE if the game has no such move."""
        forms, words = forms_of_moves(self.geometry, self.board), _other_words(self.geometry, self.roles, self.pieces)
        renamed = forms.renamed(lambda form: _with_words(form, words))
        return forms.images(np.array(self.roles)[forms.groups], renamed, self.place)

    @property
    def keeps_axes(self) -> bool:
        """Whether the image of every axis of the board is an axis."""
        return keeps_axes(self.board_map.matrix)

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """[dimension] the dimension whose coordinate an image has there.

        Raises KnowledgeError where the image of an axis is none.
        """
        if not self.keeps_axes:
            raise KnowledgeError(
                f"the symmetry '{self.name}' makes other lines of rows, so features of rows, columns, borders and "
                "areas have no image; remove the symmetry or these features"
            )
        return tuple(np.abs(self.board_map.matrix).argmax(axis=1).tolist()) if self.geometry.dimensions else ()

    @cached_property
    def flips(self) -> tuple[bool, ...]:
        """[dimension] whether coordinates of images run the other way, where axes are kept."""
        return tuple(any(each < 0 for each in row) for row in self.board_map.matrix.tolist())

    def place(self, place: PartialPoint) -> PartialPoint | None:
        """Return the image of coordinates of which some may be unknown, None if the image is no point of the board.

        Where the image of an axis is none, an image needs all coordinates.
        """
        known = [each for each in place if each is not None]
        if len(known) == len(place):
            moved = tuple((self.board_map.matrix @ np.array(known, np.int32) + self.board_map.shift).tolist())
            return moved if moved in self.geometry.point_index else None
        if not self.keeps_axes:
            return None
        shown = [place[axis] for axis in self.axes]
        return tuple(None if each is None else self.coordinate(number, each) for number, each in enumerate(shown))

    def area(self, corner: tuple[float, ...], size: int) -> tuple[float, ...]:
        """Return the lowest corner of the image of an area."""
        lowest = (
            (self.coordinate(dimension, corner[axis]), self.coordinate(dimension, corner[axis] + size - 1))
            for dimension, axis in enumerate(self.axes)
        )
        return tuple(map(min, lowest))

    def coordinate(self, dimension: int, shown: _Number) -> _Number:
        """Return the coordinate that an image has in a dimension where it shows this coordinate of the original."""
        return int(self.board_map.shift[dimension]) - shown if self.flips[dimension] else shown

    def offsets(self, radius: int) -> tuple[int, ...]:
        """Return for each offset {-radius..radius}^dimensions from the image of a field the one that it shows there.

        Offsets are numbered lexicographically; NOWHERE stands for one beyond the radius.
        """
        if radius not in self._offsets:
            offsets = list(itertools.product(range(-radius, radius + 1), repeat=self.geometry.dimensions))
            number = {offset: place for place, offset in enumerate(offsets)}
            back = np.rint(np.linalg.inv(self.board_map.matrix)).astype(np.int32)
            shown = map(tuple, (np.array(offsets, np.int32) @ back.T).tolist())
            self._offsets[radius] = tuple(number.get(each, NOWHERE) for each in shown)
        return self._offsets[radius]

    @cached_property
    def _offsets(self) -> dict[int, tuple[int, ...]]:
        return {}


def candidate_symmetries(machine: GameMachine) -> Iterator[Symmetry]:
    """Find ways to rename facts that may be symmetries, the identity first; nothing is checked against the rules.

    On a board that the sheet does not describe, pieces named as roles also follow roles that change places in a ring.
    """
    geometry, turning = geometry_of(machine), machine.sheet.board is None
    board_maps, seen = list(_board_maps(geometry)), set()
    facts = _FactPlaces(geometry)
    for roles in itertools.permutations(range(len(geometry.roles))):
        for pieces in (*_piece_exchanges(geometry, roles), *(_pieces_of_roles(geometry, roles) if turning else ())):
            renaming = _Renaming(facts, roles, pieces)
            if not renaming.possible:
                continue
            for (board_map, points), elsewhere in itertools.product(board_maps, renaming.places):
                fluents = renaming.images(points, elsewhere=elsewhere)
                if fluents is not None and fluents.tobytes() not in seen:
                    seen.add(fluents.tobytes())
                    name = renaming.name(board_map, elsewhere=elsewhere)
                    yield Symmetry(geometry, machine.board, name, fluents, points, roles, pieces, board_map)


def symmetries_named(machine: GameMachine, names: Collection[str]) -> list[Symmetry]:
    """Return the candidates with these names, which were found to be symmetries before, in the order of the board."""
    return [each for each in candidate_symmetries(machine) if each.name in names]


def _board_maps(geometry: Geometry) -> Iterator[tuple[LatticeMap, NDArray[np.int32]]]:
    """Find the reflections and rotations of the board that map fields to fields, each with [point] its image."""
    if not geometry.n_points:
        yield _identity_map(geometry.dimensions), np.empty(0, np.int32)
        return
    for board_map in lattice_maps(geometry.points, geometry.hexagonal):
        moved = (geometry.points @ board_map.matrix.T + board_map.shift).tolist()
        images = [geometry.point_index.get(tuple(point), NOWHERE) for point in moved]
        if NOWHERE not in images:
            yield board_map, np.array(images, np.int32)


def _identity_map(dimensions: int) -> LatticeMap:
    return LatticeMap("board as it is", np.eye(dimensions, dtype=np.int32), np.zeros(dimensions, np.int32))


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


def _with_words(text: str, words: Mapping[str, str]) -> str:
    """Return a text with other words."""
    return _TOKEN.sub(lambda found: words.get(found[0], found[0]), text)


def _other_words(geometry: Geometry, roles: tuple[int, ...], pieces: tuple[int, ...]) -> dict[str, str]:
    """Return the images of the names of pieces and roles."""
    words = {geometry.pieces[kind]: geometry.pieces[image] for kind, image in enumerate(pieces)}
    return words | {geometry.roles[role]: geometry.roles[image] for role, image in enumerate(roles)}


class _FactPlaces:
    """The facts of a game on its board and off it, which all renamings share."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.on_board = np.flatnonzero(geometry.fluent_point != NOWHERE)
        self.point = geometry.fluent_point[self.on_board]  # [fact on the board]
        self.piece = geometry.fluent_piece[self.on_board]  # [fact on the board] occupant code
        self.number = np.full((geometry.n_points, len(geometry.pieces) + 1), NOWHERE, np.int32)  # [point, code] fluent
        self.number[self.point, self.piece] = self.on_board
        self.off_board = np.flatnonzero(geometry.fluent_point == NOWHERE)
        self.texts = [geometry.fluents[fluent] for fluent in self.off_board]  # [fact off the board]
        self.forms = forms_of_facts(geometry, self.texts)


class _Renaming:
    """A way to rename the roles and pieces of a game, which goes with each map of its board."""

    def __init__(self, facts: _FactPlaces, roles: tuple[int, ...], pieces: tuple[int, ...]) -> None:
        self._facts = facts
        self._geometry = facts.geometry
        self._roles = roles
        self._pieces = pieces

    @property
    def possible(self) -> bool:
        """Whether words of both a role and a piece have one image, and facts without numbers have images.

        No map of the board changes such facts.
        """
        roles, pieces = self._geometry.roles, self._geometry.pieces
        images = {roles[role]: roles[image] for role, image in enumerate(self._roles)}
        if any(images.get(pieces[kind], pieces[image]) != pieces[image] for kind, image in enumerate(self._pieces)):
            return False
        return all(fact in self._geometry.fluent_index for fact in self._named if not _DIGIT.search(fact))

    @property
    def places(self) -> tuple[bool, ...]:
        """The ways to rename the coordinates of facts off the board: not at all, and as those of the board."""
        return (False, True) if any(map(_DIGIT.search, self._named)) else (False,)

    def images(self, points: NDArray[np.int32], *, elsewhere: bool) -> NDArray[np.int32] | None:
        """Return [fluent] its image, None unless the images are all facts of the game.

        `points` are the images of the points of the board.
        With `elsewhere`, the coordinates in facts that put no piece on the board are renamed, too.
        """
        facts, images = self._facts, np.full(len(self._geometry.fluents), NOWHERE, np.int32)
        codes = np.array((0, *(image + 1 for image in self._pieces)), np.int32)
        images[facts.on_board] = facts.number[points[facts.point], codes[facts.piece]]
        images[facts.off_board] = self._with_points_moved(points) if elsewhere else self._with_points_kept
        return None if NOWHERE in images or len(np.unique(images)) < len(images) else images

    def name(self, board_map: LatticeMap, *, elsewhere: bool) -> str:
        """Return the name of the symmetry that renames the board so, too."""
        name, roles, pieces = board_map.name, self._geometry.roles, self._geometry.pieces
        if elsewhere:
            name += " everywhere"
        if self._roles != tuple(range(len(roles))):
            images_of_roles = " ".join(roles[image] for image in self._roles)
            name += ", roles exchanged" if len(roles) == 2 else f", roles as {images_of_roles}"
        if any(self._pieces[image] != kind for kind, image in enumerate(self._pieces)):
            return f"{name}, pieces as {' '.join(pieces[image] for image in self._pieces)}"
        exchanged = [(kind, image) for kind, image in enumerate(self._pieces) if kind < image]
        return name + "".join(f", {pieces[kind]} for {pieces[image]}" for kind, image in exchanged)

    @cached_property
    def _words(self) -> dict[str, str]:
        return _other_words(self._geometry, self._roles, self._pieces)

    @cached_property
    def _named(self) -> list[str]:
        """The facts off the board with other words."""
        return [_with_words(fact, self._words) for fact in self._facts.texts]

    @cached_property
    def _with_points_kept(self) -> NDArray[np.int32]:
        """[fact off the board] the fluent that is its image if only words are other ones."""
        index = self._geometry.fluent_index
        return np.array([index.get(fact, NOWHERE) for fact in self._named], np.int32)

    def _with_points_moved(self, points: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return [fact off the board] the fluent that is its image if the points that it names are moved, too."""
        fields, forms = self._geometry.points, self._facts.forms
        before, after = map(tuple, fields.tolist()), map(tuple, fields[points].tolist())
        place: dict[PartialPoint, PartialPoint] = dict(zip(before, after, strict=True))
        images = forms.images(forms.groups, self._renamed_forms, place.get)
        return np.where(images == NOWHERE, NOWHERE, self._facts.off_board[images])

    @cached_property
    def _renamed_forms(self) -> NDArray[np.int64]:
        return self._facts.forms.renamed(lambda form: _with_words(form, self._words))


class SymmetryGroup:
    """All symmetries that those which were added make, one after another; at first none."""

    def __init__(self) -> None:
        self._makers: list[NDArray[np.int64]] = []
        self._made: dict[bytes, NDArray[np.int64]] = {}

    def __contains__(self, symmetry: Symmetry) -> bool:
        return _images(symmetry).tobytes() in self._made

    def add(self, symmetry: Symmetry) -> None:
        """Add a symmetry and what it makes with the others."""
        if symmetry in self:
            return
        maker = _images(symmetry)
        self._makers.append(maker)
        new = [maker, *(each[maker] for each in self._made.values())]
        while new:
            self._made |= {each.tobytes(): each for each in new}
            after = {each.tobytes(): each for one in new for each in (one[other] for other in self._makers)}
            new = [each for key, each in after.items() if key not in self._made]


def _images(symmetry: Symmetry) -> NDArray[np.int64]:
    """Return the images of all facts, and after them of all roles, numbered on."""
    return np.concatenate((symmetry.fluents, len(symmetry.fluents) + np.array(symmetry.roles, np.int64)))
