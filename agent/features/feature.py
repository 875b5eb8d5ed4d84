"""The methods of every feature class, and what several share; each class has a file beside this one (thesis 4.2.2)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features.picture import Picture
from gdl_miner.agent.files.elements import Element, ElementError, FileElement, read_integer, read_terms
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Geometry, Position, Symmetry

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.itemset import Itemset
    from gdl_miner.agent.features.plan import Hit, PlanBuilder

NO_FEATURE = -1
MAX_PIECES = 8  # longest list of pieces in a nearest-neighbour feature


@dataclass(frozen=True, eq=False)
class Instances:
    """The features of one class that fire for the samples of a batch."""

    features: tuple[Feature, ...]
    ids: NDArray[np.int32]  # [sample, column] index into features, NO_FEATURE where a column has none

    @classmethod
    def none(cls, n_samples: int) -> Self:
        """Return that no feature fires for any sample."""
        return cls((), np.empty((n_samples, 0), np.int32))


@dataclass(frozen=True)
class Feature(FileElement):
    """A yes-or-no property of a move in a state: a small value, independent of any file or search."""

    colour: ClassVar[str]  # of the class in diagrams

    @abstractmethod
    def fires(self, position: Position, row: int) -> bool:
        """Return whether the move `row` has the property in `position`; this is the plain definition."""

    def draw(self, itemset: Itemset | None, geometry: Geometry) -> str:
        """Return an `<svg>` element, an empty text if the feature has no picture on this board."""
        if geometry.dimensions not in (2, 3):
            return ""
        picture = Picture(geometry)
        self.mark(picture)
        for item in itemset.items if itemset else ():
            item.mark(picture)
        return "" if picture.empty else picture.svg()

    def mark(self, picture: Picture) -> None:
        """Mark the fields and pieces that the feature concerns."""

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Return why the feature cannot belong to this game and role (`what; what to do`), None if it can."""
        return None

    def image(self, symmetry: Symmetry) -> Feature:
        """Return the feature that means of the images of boards, pieces and moves what this one means of them."""
        return self

    def renamed(self, pieces: Mapping[str, str]) -> Feature | None:
        """Return the feature with other names of pieces, as it is on the board of another game.

        It is None where the feature is about moves or places of its own game. Raises KeyError where a piece has no
        other name.
        """
        return None

    @abstractmethod
    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add to the native tables what a match of the feature is worth."""

    @classmethod
    @abstractmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find all features of this class that fire somewhere in a batch, vectorised."""


def number_keys(columns: list[NDArray[np.int64]], min_count: int, make: Callable[[int, int], Feature]) -> Instances:
    """Turn integer keys into features and their numbers.

    Args:
        columns: keys per sample, negative where nothing fires; one column of the result each. Columns are numbered
            apart, so keys of different columns never mean the same feature.
        min_count: features that fire for fewer samples are left out.
        make: builds the feature of (column, key).
    """
    features: list[Feature] = []
    ids = np.full((len(columns[0]) if columns else 0, len(columns)), NO_FEATURE, dtype=np.int32)
    for column, keys in enumerate(columns):
        present = keys >= 0
        distinct, inverse, counts = np.unique(keys[present], return_inverse=True, return_counts=True)
        kept = counts >= min_count
        numbers = np.full(len(distinct), NO_FEATURE, dtype=np.int32)
        numbers[kept] = np.arange(int(kept.sum()), dtype=np.int32) + len(features)
        ids[present, column] = numbers[inverse]
        features.extend(make(column, key) for key in distinct[kept].tolist())
    return Instances(tuple(features), ids)


def first_pieces(view: BatchView, order: NDArray[np.int32], k: int) -> NDArray[np.uint8]:
    """[sample, k] occupants met first along `order` [point, step] from each target, EMPTY where there are fewer.

    Steps may end in NOWHERE.
    """
    found = np.full((view.n_samples, k), EMPTY, dtype=np.uint8)
    samples = np.flatnonzero(view.target != NOWHERE)
    seen = np.zeros(len(samples), dtype=np.int64)
    for step in range(order.shape[1] if order.ndim == 2 and k else 0):
        points = order[view.target[samples], step]
        codes = view.occupants[view.state_index[samples], points]
        hits = np.flatnonzero((points != NOWHERE) & (codes != EMPTY))
        found[samples[hits], seen[hits]] = codes[hits]
        seen[hits] += 1
        lacking = seen < k
        samples, seen = samples[lacking], seen[lacking]
    return found


def encode_pieces(codes: NDArray[np.uint8], n_pieces: int) -> NDArray[np.int64]:
    """[sample] one number for each row of occupant codes, -1 where one of them is EMPTY."""
    keys = np.zeros(len(codes), dtype=np.int64)
    for column in range(codes.shape[1]):
        keys = keys * (n_pieces + 1) + codes[:, column]
    return np.where((codes == EMPTY).any(axis=1), -1, keys)


def decode_pieces(geometry: Geometry, key: int, k: int) -> tuple[str, ...]:
    """The pieces that `encode_pieces` encoded."""
    codes = []
    for _ in range(k):
        key, code = divmod(key, len(geometry.pieces) + 1)
        codes.append(code)
    return tuple(geometry.pieces[code - 1] for code in reversed(codes))


def read_pieces(element: Element) -> tuple[str, ...]:
    """Read K and as many Pieces."""
    k, pieces = read_integer(element, "K"), read_terms(element, "Pieces")
    if k != len(pieces):
        raise ElementError(element, f"<K> is {k} but <Pieces> holds {len(pieces)}", "make them agree")
    if not 1 <= k <= MAX_PIECES:
        raise ElementError(element, f"<K> is {k}", f"write 1 to {MAX_PIECES}")
    return pieces


def pieces_misfit(geometry: Geometry, pieces: tuple[str, ...]) -> str | None:
    """Return why pieces cannot belong to a board, None if they can."""
    if not geometry.n_points:
        return "the game has no board; remove the feature"
    for piece in pieces:
        if piece not in geometry.piece_code:
            return f"the board has no piece {piece}; write one of {', '.join(geometry.pieces)}"
    return None
