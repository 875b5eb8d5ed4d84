"""The K nearest pieces around the target, in any direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from gdl_miner.agent.features.feature import (
    Feature,
    Instances,
    decode_pieces,
    encode_pieces,
    first_pieces,
    number_keys,
    pieces_misfit,
    read_pieces,
)
from gdl_miner.agent.features.itemset import Itemset
from gdl_miner.agent.features.picture import draw_row
from gdl_miner.agent.files.elements import Display, Element, add_child
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Geometry, Position, Symmetry

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class FeatureRelEuclidKNearest(Feature):
    """The K occupied fields nearest to the target, itself left out, hold exactly these pieces.

    Ties of distance are broken by coordinates, smallest first. With fewer than K pieces around it never fires.
    """

    element: ClassVar[str] = "FeatureRelEuclidKNearest"
    children: ClassVar[Mapping[str, str]] = {"K": "NumberOfPieces", "Pieces": "Term"}
    colour: ClassVar[str] = "#8e63b8"
    pieces: tuple[str, ...]  # sorted; K of them

    def __post_init__(self) -> None:
        object.__setattr__(self, "pieces", tuple(sorted(self.pieces)))

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        target = position.target(row)
        if target == NOWHERE:
            return False
        around = [position.occupants[point] for point in position.others_by_distance(target)]
        found = [position.geometry.pieces[code - 1] for code in around if code != EMPTY][: len(self.pieces)]
        return tuple(sorted(found)) == self.pieces

    def write(self, element: Element, display: Display) -> None:
        """Append K and Pieces."""
        add_child(element, "K", str(len(self.pieces)))
        add_child(element, "Pieces", " ".join(display(piece) for piece in self.pieces))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read K and Pieces."""
        return cls(read_pieces(element))

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        return f"nearest around it: {', '.join(map(display, self.pieces))}"

    def draw(self, itemset: Itemset | None, geometry: Geometry) -> str:
        """Draw the target and the pieces in a row; with an itemset, the board of the itemset."""
        return draw_row(self.pieces, geometry) if itemset is None else super().draw(itemset, geometry)

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the board does not have a piece."""
        return pieces_misfit(geometry, self.pieces)

    def image(self, symmetry: Symmetry) -> FeatureRelEuclidKNearest:
        """Return the images of the pieces; of equally near fields, the same ones come first."""
        return FeatureRelEuclidKNearest(tuple(map(symmetry.piece, self.pieces)))

    def renamed(self, pieces: Mapping[str, str]) -> FeatureRelEuclidKNearest:
        """Return the feature with other pieces."""
        return FeatureRelEuclidKNearest(tuple(pieces[each] for each in self.pieces))

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the multiset to the native tables."""
        codes = sorted(plan.geometry.piece_code[piece] for piece in self.pieces)
        plan.on_nearest(tuple(codes), hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find one multiset for each K per sample."""
        geometry = view.geometry
        sizes = enumeration.nearest_k
        found = first_pieces(view, geometry.nearest, max(sizes, default=0))
        columns = [encode_pieces(np.sort(found[:, :k], axis=1), len(geometry.pieces)) for k in sizes]
        if not columns:
            return Instances.none(view.n_samples)
        return number_keys(
            columns, enumeration.min_count, lambda column, key: cls(decode_pieces(geometry, key, sizes[column]))
        )
