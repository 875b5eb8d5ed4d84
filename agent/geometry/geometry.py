"""The board of a game as arrays: its fields, its pieces, and the ones fluents and moves name (thesis 4.2.1, 4.2.3)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry.lattice import keeps_axes, lattice_maps, squared_lengths, within_period

if TYPE_CHECKING:
    from gdl_miner.agent.gdl.board import PartialPoint

EMPTY = 0  # occupant code of a field without a piece
OFF_BOARD = 255  # occupant code of a place outside the board
NOWHERE = -1  # point of a fluent or move that names no field
NOBODY = -1  # owner of a piece that belongs to no role
OWN, ENEMY = "own", "enemy"  # whose a piece is, seen by a role
SEEN_OWN, SEEN_ENEMY, SEEN_OFF, FIRST_SEEN_PIECE = 1, 2, 3, 4  # codes of what a role sees

Array32 = NDArray[np.int32]
Points = tuple[int, ...]  # indices of points of a board


class BoardNames(Protocol):
    """A reader of terms that name fields and pieces of a board; `agent.gdl.Board` is one."""

    @property
    def dimensions(self) -> int: ...  # noqa: D102 - the names are those of thesis 4.2.1
    @property
    def low(self) -> float: ...  # noqa: D102
    @property
    def high(self) -> float: ...  # noqa: D102
    @property
    def board_functor(self) -> str: ...  # noqa: D102
    @property
    def hexagonal(self) -> tuple[int, ...]:
        """On a board of hexagons, the step to the neighbours beside those along the dimensions; empty elsewhere."""

    @property
    def periods(self) -> tuple[int, ...]:
        """By dimension, the number of coordinates of one whose ends are joined, else 0; empty where none is joined."""

    def field(self, fluent: str) -> tuple[tuple[int, ...], str | None] | None:
        """Return the point and the piece of a board fluent, None for another fluent."""

    def target(self, move: str) -> tuple[tuple[int, ...] | None, str | None]:
        """Return the target point and the piece of a move; each is None if the move names none."""

    def with_points(self, move: str, image: Callable[[PartialPoint], PartialPoint | None]) -> str | None:
        """Return a move with its points replaced by their images, None if one of them has none."""


class GameNames(Protocol):
    """The names of a game's fluents and moves; `agent.reasoner.circuit.Circuit` provides them."""

    @property
    def fluents(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def moves(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def roles(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def move_start(self) -> Array32: ...  # noqa: D102


class _BoardSheet(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def board(self) -> BoardNames | None: ...


class GameMachine(Protocol):
    """The part of `agent.reasoner.Machine` that knowledge needs."""

    @property
    def sheet(self) -> _BoardSheet:
        """The rule sheet."""

    @property
    def board(self) -> BoardNames | None:
        """The board that the sheet describes or the rules show."""

    @property
    def piece_owners(self) -> Mapping[str, int]:
        """The role of each piece that belongs to one."""

    @property
    def circuit(self) -> GameNames:
        """The names of fluents and moves."""


_GEOMETRIES: WeakKeyDictionary[GameMachine, Geometry] = WeakKeyDictionary()


def area_size(low: float, high: float) -> int:
    """Return the side of the board areas of thesis 4.2.3, at least 1; it is 2 on an 8×8 board."""
    length = abs(high - low) + 1
    return max(1, math.floor(length / (math.log2(length) + 1)))


@dataclass(frozen=True, eq=False)
class Geometry:
    """The fields and pieces of a board, and the field and piece that each fluent and each move row names.

    A field is a point that some board fluent or some move names; other points of the hypercube are off the board.
    A game without board metadata has a geometry without points, pieces or dimensions.
    """

    dimensions: int
    low: float
    high: float
    points: Array32  # [point, dimension] coordinates, lexicographic
    pieces: tuple[str, ...]  # sorted; the occupant code of pieces[i] is i + 1
    fluents: tuple[str, ...]
    fluent_point: Array32  # [fluent] index into points, NOWHERE if it is no board fluent
    fluent_piece: NDArray[np.uint8]  # [fluent] occupant code, EMPTY if it is no board fluent
    roles: tuple[str, ...]
    moves: tuple[str, ...]  # [row]
    move_start: Array32  # [role + 1] rows of a role
    move_target: Array32  # [row] index into points, NOWHERE if the move has no target
    move_piece: NDArray[np.int16]  # [row] occupant code, -1 if the move names no piece
    hexagonal: tuple[int, ...] = ()  # on a board of hexagons, the step to a neighbour beside those along the dimensions
    periods: tuple[int, ...] = ()  # [dimension] coordinates after which they return, 0 for never; empty: never at all
    find_owners: Callable[[], Mapping[str, int]] = dict  # gives the roles of pieces, when they are asked for

    @property
    def n_points(self) -> int:
        """Number of fields."""
        return len(self.points)

    @property
    def state_words(self) -> int:
        """Words of a packed state: fluent f is bit f % 64 of word f // 64."""
        return (len(self.fluents) + 63) // 64

    @cached_property
    def point_index(self) -> dict[tuple[int, ...], int]:
        """Index of each field."""
        return {tuple(point): index for index, point in enumerate(self.points.tolist())}

    @cached_property
    def piece_code(self) -> dict[str, int]:
        """Occupant code of each piece."""
        return {piece: index + 1 for index, piece in enumerate(self.pieces)}

    @cached_property
    def fluent_index(self) -> dict[str, int]:
        """Index of each fluent."""
        return {fluent: index for index, fluent in enumerate(self.fluents)}

    @cached_property
    def rows_named(self) -> dict[str, list[int]]:
        """Rows of each move, for all roles together."""
        found: dict[str, list[int]] = {}
        for row, move in enumerate(self.moves):
            found.setdefault(move, []).append(row)
        return found

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """[piece] the role that it belongs to, NOBODY if it belongs to none.

        Pieces belong to nobody in a game with pieces called `own` or `enemy`, whose names then mean these pieces.
        """
        if not {OWN, ENEMY}.isdisjoint(self.pieces):
            return (NOBODY,) * len(self.pieces)
        found = self.find_owners()
        return tuple(found.get(piece, NOBODY) for piece in self.pieces)

    @cached_property
    def row_role(self) -> Array32:
        """[row] the role whose move it is."""
        return np.repeat(np.arange(len(self.roles), dtype=np.int32), np.diff(self.move_start))

    def seen_by(self, role: int) -> NDArray[np.uint8]:
        """[occupant code] what a role sees: EMPTY, SEEN_OWN, SEEN_ENEMY, SEEN_OFF, or a piece that belongs to nobody.

        The last entry is that of OFF_BOARD. Pieces of nobody have codes from FIRST_SEEN_PIECE on, in their order.
        """
        seen = np.zeros(OFF_BOARD + 1, dtype=np.uint8)
        seen[OFF_BOARD] = SEEN_OFF
        free = FIRST_SEEN_PIECE
        for code, owner in enumerate(self.owners, 1):
            seen[code] = free if owner == NOBODY else SEEN_OWN if owner == role else SEEN_ENEMY
            free += owner == NOBODY
        return seen

    def rows(self, role: int) -> range:
        """Move rows of a role."""
        return range(int(self.move_start[role]), int(self.move_start[role + 1]))

    @cached_property
    def squared_distance(self) -> NDArray[np.int64]:
        """[point, point] squared Euclidean distance, exact; the shortest where the ends of the board are joined."""
        difference = self.points[:, None, :].astype(np.int64) - self.points[None, :, :]
        return squared_lengths(within_period(difference, self.periods), self.hexagonal)

    @cached_property
    def borders(self) -> tuple[int, ...]:
        """Dimensions whose smallest and largest coordinates are borders that features can tell apart."""
        joined = self.periods or (0,) * self.dimensions
        return tuple(each for each in range(self.dimensions) if self.has_rows and not joined[each])

    @cached_property
    def has_rows(self) -> bool:
        """Whether lines along the dimensions differ from other lines.

        They do not where a board of hexagons can be turned so that its axes become other lines.
        """
        if not self.hexagonal:
            return True
        own = set(self.point_index)
        turned = (each for each in lattice_maps(self.points, self.hexagonal) if not keeps_axes(each.matrix))
        return all({tuple(p) for p in (self.points @ m.matrix.T + m.shift).tolist()} != own for m in turned)

    @cached_property
    def nearest(self) -> Array32:
        """[point, n_points - 1] the other points by distance, nearest first; ties go by coordinates, smallest first."""
        order = np.argsort(self.squared_distance, axis=1, kind="stable")
        others = order != np.arange(self.n_points)[:, None]
        return np.asarray(order[others].reshape(self.n_points, max(0, self.n_points - 1)), dtype=np.int32)

    @cached_property
    def lines(self) -> Array32:
        """[dimension, point, step] the other points on the line along a dimension, by distance, smaller index first.

        Lines shorter than the longest one are padded with NOWHERE.
        """
        points = range(self.n_points)
        found = [[self._line(point, dimension) for point in points] for dimension in range(self.dimensions)]
        longest = max((len(line) for lines in found for line in lines), default=0)
        table = np.full((self.dimensions, self.n_points, longest), NOWHERE, dtype=np.int32)
        for dimension, lines in enumerate(found):
            for point, line in enumerate(lines):
                table[dimension, point, : len(line)] = line
        return table

    def _line(self, point: int, dimension: int) -> list[int]:
        same = self.points == self.points[point]
        same[:, dimension] = True
        on_line = [other for other in np.flatnonzero(same.all(axis=1)).tolist() if other != point]
        return sorted(on_line, key=lambda other: (int(self.squared_distance[point, other]), other))

    def neighbours(self, radius: int) -> Array32:
        """[point, offset] fields around each point, the centre included; n_points means off the board.

        Offsets run lexicographically over {-radius..radius}^dimensions.
        """
        if radius not in self._neighbours:
            self._neighbours[radius] = self._find_neighbours(radius)
        return self._neighbours[radius]

    @cached_property
    def _neighbours(self) -> dict[int, Array32]:
        return {}

    def _find_neighbours(self, radius: int) -> Array32:
        table = np.empty((self.n_points, (2 * radius + 1) ** self.dimensions), dtype=np.int32)
        offsets = itertools.product(range(-radius, radius + 1), repeat=self.dimensions)
        for column, offset in enumerate(offsets):
            moved = self.returned(self.points + np.array(offset, dtype=np.int32)).tolist()
            table[:, column] = [self.point_index.get(tuple(point), self.n_points) for point in moved]
        return table

    def returned(self, points: Array32) -> Array32:
        """Return points [.., dimension] with coordinates beyond joined ends of the board continued at the other end."""
        moved = points.copy()
        lowest = self.points.min(axis=0)
        for dimension, period in enumerate(self.periods):
            if period:
                moved[..., dimension] = (points[..., dimension] - lowest[dimension]) % period + lowest[dimension]
        return moved

    def points_at(self, cells: Iterable[Sequence[int]]) -> Points | None:
        """Return the points of cells, over joined ends of the board; None if one is off it or two are the same."""
        found = self.returned(np.array(list(cells), np.int32)).tolist()
        points = [self.point_index.get(tuple(cell)) for cell in found]
        if None in points or len(set(points)) < len(points):
            return None
        return tuple(point for point in points if point is not None)

    @cached_property
    def area_size(self) -> int:
        """Side of the board's areas."""
        return area_size(self.low, self.high)

    def area_of(self, point: int) -> tuple[float, ...]:
        """Lowest corner of the area that contains a field."""
        size = self.area_size
        return tuple(self.low + size * math.floor((x - self.low) / size) for x in self.points[point].tolist())

    def points_in_area(self, corner: tuple[float, ...], size: int) -> list[int]:
        """Indices of the fields in an area."""
        return [index for point, index in self.point_index.items() if in_area(point, corner, size)]

    def area_misfit(self, corner: tuple[float, ...], size: int, piece: str | None) -> str | None:
        """Return the reason why an area or a piece cannot belong to the board, None if both can."""
        if len(corner) != self.dimensions:
            return f"<AreaDimensions> has {len(corner)} numbers on a board of {self.dimensions} dimensions; match them"
        if size < 1 or not self.points_in_area(corner, size):
            shown = " ".join(f"{x:g}" for x in corner)
            return f"no field lies in the area of size {size} at {shown}; give its lowest corner"
        if piece is not None and piece not in self.piece_code:
            return f"the board has no piece {piece}; write one of {', '.join(self.pieces)}"
        return None

    @cached_property
    def areas(self) -> tuple[tuple[float, ...], ...]:
        """Lowest corners of all areas that contain a field, in lexicographic order."""
        return tuple(sorted({self.area_of(point) for point in range(self.n_points)}))

    @cached_property
    def point_area(self) -> Array32:
        """[point] index into areas."""
        index = {area: number for number, area in enumerate(self.areas)}
        return np.array([index[self.area_of(point)] for point in range(self.n_points)], dtype=np.int32)


def geometry_of(machine: GameMachine) -> Geometry:
    """Return the board of a game. It is built once per machine, since building it reads the name of every move."""
    geometry = _GEOMETRIES.get(machine)
    if geometry is None:
        known = ref(machine)  # a geometry does not keep its machine alive
        geometry = build_geometry(machine.board, machine.circuit, lambda: _owners(known()))
        _GEOMETRIES[machine] = geometry
    return geometry


def _owners(machine: GameMachine | None) -> Mapping[str, int]:
    return {} if machine is None else machine.piece_owners


def build_geometry(
    board: BoardNames | None, names: GameNames, find_owners: Callable[[], Mapping[str, int]] = dict
) -> Geometry:
    """Read fields and pieces from the names of fluents and moves.

    `find_owners` gives the roles of pieces; it is called when a feature asks for them.

    A board fluent without a piece argument means a piece that has the name of the board relation.

    Raises:
        ValueError: the board has more than 253 pieces.
    """
    if board is None:
        return _without_board(names)
    fields = [board.field(fluent) for fluent in names.fluents]
    targets = [board.target(move) for move in names.moves]
    named = {field[0] for field in fields if field} | {point for point, _ in targets if point is not None}
    points = sorted(named)
    on_fields = {field[1] or board.board_functor for field in fields if field}
    pieces = sorted(on_fields | {piece for _, piece in targets if piece})
    if len(pieces) > OFF_BOARD - 2:
        raise ValueError(f"{len(pieces)} kinds of pieces on the board; at most {OFF_BOARD - 2} are supported")
    point_index: dict[tuple[int, ...] | None, int] = {point: index for index, point in enumerate(points)}
    codes = {piece: index + 1 for index, piece in enumerate(pieces)}
    return Geometry(
        dimensions=board.dimensions,
        low=board.low,
        high=board.high,
        points=np.array(points, dtype=np.int32).reshape(len(points), board.dimensions),
        pieces=tuple(pieces),
        fluents=tuple(names.fluents),
        fluent_point=_int32([point_index[field[0]] if field else NOWHERE for field in fields]),
        fluent_piece=np.array(
            [codes[field[1] or board.board_functor] if field else EMPTY for field in fields], dtype=np.uint8
        ),
        roles=tuple(names.roles),
        moves=tuple(names.moves),
        move_start=_int32(names.move_start),
        move_target=_int32([point_index.get(point, NOWHERE) for point, _ in targets]),
        move_piece=np.array([codes[piece] if piece else -1 for _, piece in targets], dtype=np.int16),
        hexagonal=board.hexagonal,
        periods=board.periods,
        find_owners=find_owners,
    )


def _without_board(names: GameNames) -> Geometry:
    return Geometry(
        dimensions=0,
        low=0.0,
        high=0.0,
        points=np.empty((0, 0), dtype=np.int32),
        pieces=(),
        fluents=tuple(names.fluents),
        fluent_point=np.full(len(names.fluents), NOWHERE, dtype=np.int32),
        fluent_piece=np.full(len(names.fluents), EMPTY, dtype=np.uint8),
        roles=tuple(names.roles),
        moves=tuple(names.moves),
        move_start=_int32(names.move_start),
        move_target=np.full(len(names.moves), NOWHERE, dtype=np.int32),
        move_piece=np.full(len(names.moves), -1, dtype=np.int16),
    )


def _int32(values: Sequence[int] | Array32) -> Array32:
    return np.array(values, dtype=np.int32)


def in_area(point: tuple[int, ...], corner: tuple[float, ...], size: int) -> bool:
    """Whether a point lies in an area, a hypercube of fields that share features (thesis 4.2.3).

    An area does not contain its upper borders.
    """
    return len(point) == len(corner) and all(low <= x < low + size for x, low in zip(point, corner, strict=True))
