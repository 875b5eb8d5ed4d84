"""Games that consist of names only: boards, fluents and moves without rules, and random states of them."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.gdl import Board
from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.geometry.geometry import build_geometry


@dataclass(frozen=True, eq=False)
class Names:
    fluents: tuple[str, ...]
    moves: tuple[str, ...]
    roles: tuple[str, ...]
    move_start: NDArray[np.int32]


@dataclass(frozen=True)
class Sheet:
    name: str
    digest: str
    board: Board | None
    roles: tuple[str, ...]

    def display(self, text: str) -> str:
        return text.upper()


@dataclass(frozen=True, eq=False)
class ImaginaryGame:
    """A replacement for a machine, with the same sheet, board and circuit attributes."""

    sheet: Sheet
    circuit: Names

    @property
    def board(self) -> Board | None:
        return self.sheet.board

    @cached_property
    def piece_owners(self) -> dict[str, int]:
        """The first pieces belong to the roles, one to each, and the others to nobody."""
        if self.sheet.board is None:
            return {}
        pieces = sorted({field[1] for each in self.circuit.fluents if (field := self.board_field(each)) and field[1]})
        return dict(zip(pieces, range(len(self.circuit.roles)), strict=False))

    def board_field(self, fluent: str) -> tuple[tuple[int, ...], str | None] | None:
        return None if self.sheet.board is None else self.sheet.board.field(fluent)

    @cached_property
    def geometry(self) -> Geometry:
        return build_geometry(self.sheet.board, self.circuit, lambda: self.piece_owners)

    def state(self, facts: Sequence[str]) -> NDArray[np.uint64]:
        words = [0] * ((len(self.circuit.fluents) + 63) // 64)
        for fact in facts:
            index = self.circuit.fluents.index(fact)
            words[index // 64] |= 1 << (index % 64)
        return np.array(words, dtype=np.uint64)

    def row(self, role: int, move: str) -> int:
        first, last = (int(x) for x in self.circuit.move_start[role : role + 2])
        return first + self.circuit.moves[first:last].index(move)

    def random_state(self, rng: random.Random) -> NDArray[np.uint64]:
        density = rng.choice([0.0, 0.05, 0.2, 0.5])
        return self.state([fluent for fluent in self.circuit.fluents if rng.random() < density])


def game(name: str, board: Board | None, fluents: Sequence[str], moves: dict[str, Sequence[str]]) -> ImaginaryGame:
    rows = tuple(move for role_moves in moves.values() for move in sorted(role_moves))
    start = np.cumsum([0, *(len(role_moves) for role_moves in moves.values())]).astype(np.int32)
    names = Names(tuple(sorted(fluents)), rows, tuple(moves), start)
    return ImaginaryGame(Sheet(name, f"digest of {name}", board, tuple(moves)), names)


def cube(
    *,
    name: str,
    low: int,
    high: int,
    dimensions: int,
    pieces: Sequence[str],
    roles: Sequence[str],
    periods: tuple[int, ...] = (),
    hexagonal: tuple[int, ...] = (),
    within: Callable[[tuple[int, ...]], bool] = lambda _: True,
) -> ImaginaryGame:
    """Return the fields of a hypercube that are `within`; every role may mark each with every piece, or wait."""
    board = Board(
        dimensions,
        float(low),
        float(high),
        "cell",
        ("dim",) * dimensions + ("piece",),
        "mark",
        ("dim",) * dimensions + ("piece",),
        periods=periods,
        hexagonal=hexagonal,
    )
    every = itertools.product(range(low, high + 1), repeat=dimensions)
    points = [" ".join(map(str, point)) for point in every if within(point)]
    fluents = [f"(cell {point} {piece})" for point in points for piece in pieces]
    fluents += [f"(control {role})" for role in roles]
    moves = [f"(mark {point} {piece})" for point in points for piece in pieces] + ["noop"]
    return game(name, board, fluents, dict.fromkeys(roles, moves))


SQUARE = cube(name="square", low=1, high=4, dimensions=2, pieces=("b", "w"), roles=("red", "black"))
BIG_SQUARE = cube(name="big square", low=1, high=8, dimensions=2, pieces=("b", "w", "x"), roles=("red", "black"))
CUBE = cube(name="cube", low=-1, high=1, dimensions=3, pieces=("blue", "red", "white"), roles=("one", "two", "three"))
TORUS = cube(name="torus", low=1, high=5, dimensions=2, pieces=("b", "w"), roles=("red", "black"), periods=(5, 5))
CYLINDER = cube(name="cylinder", low=0, high=3, dimensions=2, pieces=("b", "w"), roles=("red", "black"), periods=(0, 4))
RING = cube(name="ring", low=1, high=6, dimensions=1, pieces=("o", "x"), roles=("solo",), periods=(6,))
HEXAGON = cube(
    name="hexagon",
    low=1,
    high=5,
    dimensions=2,
    pieces=("b", "w"),
    roles=("red", "black"),
    hexagonal=(1, -1),
    within=lambda point: 4 <= sum(point) <= 8,
)
RHOMBUS = cube(name="rhombus", low=1, high=4, dimensions=2, pieces=("b", "w"), roles=("red", "black"), hexagonal=(1, 1))
LINE = cube(name="line", low=0, high=6, dimensions=1, pieces=("any", "empty", "off", "x"), roles=("solo",))

# Fields (x, y) with x + y <= 5 only; some moves name no piece; a field may carry several pieces at once.
TRIANGLE = game(
    "triangle",
    Board(2, 1.0, 4.0, "at", ("skip", "piece", "dim", "dim"), "go", ("skip", "skip", "dim", "dim")),
    [
        f"(at {layer} {piece} {x} {y})"
        for layer in (1, 2)
        for piece in ("p", "q")
        for x in range(1, 5)
        for y in range(1, 6 - x)
    ]
    + ["(step 1)", "(step 2)"],
    {
        "left": [f"(go {a} 1 {x} {y})" for a in (1, 2) for x in range(1, 5) for y in range(1, 6 - x)],
        "right": [f"(go 1 {b} {x} {y})" for b in (2, 3) for x in range(1, 5) for y in range(1, 6 - x)] + ["noop"],
    },
)

NO_BOARD = game("no board", None, ["(light on)", "(light off)", "done"], {"solo": ["flip", "wait"], "duo": ["wait"]})

LATTICES = (TORUS, CYLINDER, RING, HEXAGON, RHOMBUS)
GAMES = (SQUARE, BIG_SQUARE, CUBE, *LATTICES, LINE, TRIANGLE, NO_BOARD)
