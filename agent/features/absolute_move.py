"""One particular move, whatever the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.features.picture import Picture
from gdl_miner.agent.files.elements import Display, Element, add_child, read_term
from gdl_miner.agent.geometry import NOWHERE, Geometry, Position, Symmetry

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class FeatureAbsMove(Feature):
    """The move is this very one (thesis 4.2.2, after MAST)."""

    element: ClassVar[str] = "FeatureAbsMove"
    children: ClassVar[Mapping[str, str]] = {"Move": "Term"}
    colour: ClassVar[str] = "#1f8a70"
    move: str

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        return position.geometry.moves[row] == self.move

    def write(self, element: Element, display: Display) -> None:
        """Append Move."""
        add_child(element, "Move", display(self.move))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Move."""
        return cls(read_term(element, "Move"))

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        return f"the move {display(self.move)}"

    def mark(self, picture: Picture) -> None:
        """Mark the fields and pieces that the feature concerns."""
        geometry = picture.geometry
        point = int(geometry.move_target[geometry.moves.index(self.move)])
        if point != NOWHERE:
            picture.target = picture.points[point]

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the role does not have the move."""
        if any(row in geometry.rows(role) for row in geometry.rows_named.get(self.move, [])):
            return None
        return f"{geometry.roles[role]} has no move {self.move}; write one of its moves"

    def image(self, symmetry: Symmetry) -> FeatureAbsMove:
        """Return the feature of the move's image. Raises ValueError where the symmetry does not rename all moves."""
        geometry = symmetry.geometry
        image = int(symmetry.moves[geometry.rows_named[self.move][0]])
        if image == NOWHERE:
            raise ValueError(f"the symmetry {symmetry.name} does not say what becomes of {self.move}")
        return FeatureAbsMove(geometry.moves[image])

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the move to the native tables."""
        plan.on_rows(plan.geometry.rows_named.get(self.move, []), hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find one move per sample; the same move of two roles is one feature."""
        moves = view.geometry.moves
        numbers = {move: number for number, move in enumerate(dict.fromkeys(moves))}
        names = tuple(numbers)
        keys = np.array([numbers[move] for move in moves], dtype=np.int64)[view.row]
        return number_keys([keys], enumeration.min_count, lambda _, key: cls(names[key]))
