"""Boards whose ends are joined and boards of hexagons: neighbours, distances, and the turns of such boards."""

import math
from collections import deque

import numpy as np
import pytest

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import FeatureAbsEuclidBorderDist, FeatureRelPattern
from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.geometry.lattice import hexagonal_distance, keeps_axes, lattice_maps, squared_lengths
from gdl_miner.agent.geometry.symmetry import candidate_symmetries
from gdl_miner.agent.values import read_shape
from tests.geometry.imaginary_games import CYLINDER, HEXAGON, LATTICES, RHOMBUS, RING, SQUARE, TORUS, ImaginaryGame

HEXAGONAL = [(1, -1), (1, 1)]


def steps_of(hexagonal: tuple[int, int]) -> list[tuple[int, int]]:
    forward = [(1, 0), (0, 1), hexagonal]
    return forward + [(-x, -y) for x, y in forward]


def shown(geometry: Geometry, point: tuple[int, ...], radius: int) -> list[tuple[int, ...] | None]:
    around = geometry.neighbours(radius)[geometry.point_index[point]].tolist()
    points = [*map(tuple, geometry.points.tolist()), None]
    return [points[each] for each in around]


def test_a_walk_over_joined_ends_comes_back_at_the_other_end() -> None:
    assert shown(TORUS.geometry, (1, 1), 1)[:3] == [(5, 5), (5, 1), (5, 2)]
    assert shown(RING.geometry, (6,), 3) == [(3,), (4,), (5,), (6,), (1,), (2,), (3,)]


def test_a_cylinder_has_ends_in_one_dimension() -> None:
    assert shown(CYLINDER.geometry, (0, 0), 1) == [None, None, None, (0, 3), (0, 0), (0, 1), (1, 3), (1, 0), (1, 1)]
    assert CYLINDER.geometry.borders == (0,)
    assert TORUS.geometry.borders == ()
    assert SQUARE.geometry.borders == (0, 1)


def test_distances_go_the_shorter_way_around() -> None:
    geometry = TORUS.geometry
    row = geometry.squared_distance[geometry.point_index[1, 1]]
    assert row[geometry.point_index[5, 5]] == 2
    assert row[geometry.point_index[3, 4]] == 8
    assert row.max() == 8


@pytest.mark.parametrize("hexagonal", HEXAGONAL)
def test_hexagonal_distance_is_the_length_of_the_shortest_walk(hexagonal: tuple[int, int]) -> None:
    walked, queue = {(0, 0): 0}, deque([(0, 0)])
    while queue:
        x, y = queue.popleft()
        for dx, dy in steps_of(hexagonal):
            if walked[x, y] < 5 and (x + dx, y + dy) not in walked:
                walked[x + dx, y + dy] = walked[x, y] + 1
                queue.append((x + dx, y + dy))
    assert len(walked) == 1 + 6 * (1 + 2 + 3 + 4 + 5)
    points = np.array(list(walked), np.int64)
    assert hexagonal_distance(points, hexagonal).tolist() == list(walked.values())


@pytest.mark.parametrize("hexagonal", HEXAGONAL)
def test_lengths_are_those_of_the_centres_of_hexagons(hexagonal: tuple[int, int]) -> None:
    lean = -hexagonal[0] * hexagonal[1] / 2
    for x in range(-3, 4):
        for y in range(-3, 4):
            drawn = (x + lean * y) ** 2 + (math.sqrt(0.75) * y) ** 2
            assert squared_lengths(np.array([x, y], np.int64), hexagonal) == pytest.approx(drawn)


@pytest.mark.parametrize("hexagonal", HEXAGONAL)
def test_hexagons_have_twelve_turns_which_keep_neighbours(hexagonal: tuple[int, int]) -> None:
    x, y = np.indices((5, 5)).reshape(2, -1)
    points = np.stack([x, y], axis=1).astype(np.int32)
    found = list(lattice_maps(points, hexagonal))
    assert len({each.matrix.tobytes() for each in found}) == len({each.name for each in found}) == 12
    steps = steps_of(hexagonal)
    for each in found:
        assert sorted(map(tuple, (np.array(steps) @ each.matrix.T).tolist())) == sorted(steps)
    assert sum(keeps_axes(each.matrix) for each in found) == 4


@pytest.mark.parametrize(("game", "number"), [(HEXAGON, 12), (RHOMBUS, 4), (SQUARE, 8)], ids=lambda each: str(each))
def test_candidates_are_the_turns_that_keep_the_fields(game: ImaginaryGame, number: int) -> None:
    boards = {each.name for each in candidate_symmetries(game) if each.keeps_roles and "for" not in each.name}
    assert len({name for name in boards if "everywhere" not in name}) == number


def test_a_turned_pattern_shows_the_turned_neighbours() -> None:
    geometry = HEXAGON.geometry
    entries = ["any"] * 9
    offsets = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    entries[offsets.index((1, 0))] = "b"
    pattern = FeatureRelPattern(1, tuple(entries))
    images = {pattern.image(each) for each in candidate_symmetries(HEXAGON) if "for" not in each.name}
    places = [[offset for offset, entry in zip(offsets, each.entries, strict=True) if entry == "b"] for each in images]
    assert sorted(place for [place] in places) == sorted(steps_of((1, -1)))
    assert all(each.misfit(geometry, 0) is None for each in images)


def test_what_has_no_image_says_so() -> None:
    turn = next(each for each in candidate_symmetries(HEXAGON) if not each.keeps_axes)
    with pytest.raises(KnowledgeError, match="out of the radius"):
        FeatureRelPattern(1, ("any",) * 8 + ("b",)).image(turn)
    with pytest.raises(KnowledgeError, match="no image"):
        FeatureAbsEuclidBorderDist(1.0, True, 1).image(turn)


@pytest.mark.parametrize("game", LATTICES, ids=lambda game: game.sheet.name)
def test_distances_and_nearest_points_agree_with_a_search_of_all_copies(game: ImaginaryGame) -> None:
    geometry = game.geometry
    periods = geometry.periods or (0,) * geometry.dimensions
    for one, point in enumerate(geometry.points.tolist()):
        for other, target in enumerate(geometry.points.tolist()):
            copies = [[0] if not period else [-period, 0, period] for period in periods]
            grids = np.stack(np.meshgrid(*copies, indexing="ij"), axis=-1).reshape(-1, geometry.dimensions)
            steps = np.array(target) - np.array(point) + grids
            assert geometry.squared_distance[one, other] == squared_lengths(steps, geometry.hexagonal).min()


@pytest.mark.parametrize(
    ("game", "shape", "count"),
    [
        (HEXAGON, "line 2", 42),
        (HEXAGON, "line 3", 27),
        (RHOMBUS, "line 4", 9),
        (TORUS, "line 2", 100),
        (TORUS, "line 5", 20),
        (TORUS, "line 6", 0),
        (CYLINDER, "line 4", 16),
        (TORUS, "block 2x2", 25),
    ],
    ids=str,
)
def test_lines_go_to_neighbours_and_over_joined_ends(game: ImaginaryGame, shape: str, count: int) -> None:
    assert len(read_shape(shape).on(game.geometry)) == count
