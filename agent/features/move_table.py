"""Features that a table defines: for which moves they fire, and with which facts of the state.

It is the short way to a feature class: a subclass says which features a game has and gives the table of each. What
fires, what mining counts and what the native scorer adds up follow from the table.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.files.elements import Display, Element, add_child, read_term
from gdl_miner.agent.geometry import Geometry, Position, Symmetry
from gdl_miner.agent.reasoner.circuit import pack_states

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class MoveTableFeature(Feature):
    """A feature of a class whose features a term tells apart, such as a piece or a number, and a table defines.

    A subclass has `element`, `colour`, `words`, `terms` and `table`.
    """

    children: ClassVar[Mapping[str, str]] = {"Of": "Term"}
    of: str

    @classmethod
    @abstractmethod
    def terms(cls, geometry: Geometry) -> Iterable[str]:
        """Return the terms of all features of the class that a game has; none where it has no such features."""

    @abstractmethod
    def table(self, geometry: Geometry) -> NDArray[np.bool_]:
        """Return the moves for which the feature fires, as [row] truth values, or as [row, fluent].

        In the latter case it fires for a move in states where at least one of the facts of its row holds.
        """

    @classmethod
    def every(cls, geometry: Geometry) -> list[Self]:
        """Return all features of the class that a game has."""
        return [cls(term) for term in cls.terms(geometry)]

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        of_row = _table_of(self, position.geometry)[row]
        return bool(of_row if of_row.ndim == 0 else of_row[list(position.facts)].any())

    def write(self, element: Element, display: Display) -> None:
        """Append Of."""
        add_child(element, "Of", display(self.of))

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read Of."""
        return cls(read_term(element, "Of"))

    def misfit(self, geometry: Geometry, role: int) -> str | None:
        """Say so if the game has no such feature."""
        return None if self in self.every(geometry) else "the game has no such feature; remove it"

    def image(self, symmetry: Symmetry) -> Feature:
        """Return the feature whose table is the image of this one's.

        Raises ConfigError where the class has none.
        """
        geometry = symmetry.geometry
        table, image = _table_of(self, geometry), np.zeros_like(_table_of(self, geometry))
        image[symmetry.moves] = table if table.ndim == 1 else table[:, np.argsort(symmetry.fluents)]
        for each in self.every(geometry):
            if np.array_equal(_table_of(each, geometry), image):
                return each
        raise ConfigError(f"{self.element} {self.of} has no image by {symmetry.name}; let terms() give all images")

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the table to the native ones; moves that look for the same facts share a condition."""
        table = _table_of(self, plan.geometry)
        if table.ndim == 1:
            plan.on_rows(np.flatnonzero(table), hit)
            return
        rows = np.flatnonzero(table.any(axis=1))
        distinct, which = np.unique(table[rows], axis=0, return_inverse=True)
        for number, facts in enumerate(distinct):
            plan.on_rows_with(rows[which.reshape(-1) == number], tuple(np.flatnonzero(facts).tolist()), hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find all features that fire for each sample; those that never fire together share a column."""
        every, columns, free = cls.every(view.geometry), list[NDArray[np.int64]](), list[NDArray[np.bool_]]()
        if not every:
            return Instances.none(view.n_samples)
        for number, each in enumerate(every):
            fired = _fired(_table_of(each, view.geometry), view)
            place = next((place for place, left in enumerate(free) if left[fired].all()), len(free))
            if place == len(free):
                columns.append(np.full(view.n_samples, -1, np.int64))
                free.append(np.ones(view.n_samples, np.bool_))
            columns[place][fired] = number
            free[place][fired] = False
        return number_keys(columns, enumeration.min_count, lambda _, key: every[key])


def _fired(table: NDArray[np.bool_], view: BatchView) -> NDArray[np.bool_]:
    """[sample] whether a table fires for the move and the state."""
    if table.ndim == 1:
        return np.asarray(table[view.row])
    fired = np.zeros(view.n_samples, np.bool_)
    masks = pack_states(_padded(table, view.geometry))
    for word in range(masks.shape[1]):
        fired |= (masks[view.row, word] & view.batch.states[view.state_index, word]) != 0
    return fired


def _padded(table: NDArray[np.bool_], geometry: Geometry) -> NDArray[np.bool_]:
    """Return [row, bit of a packed state]."""
    bits = np.zeros((len(table), geometry.state_words * 64), np.bool_)
    bits[:, : table.shape[1]] = table
    return bits


@lru_cache(maxsize=256)
def _table_of(feature: MoveTableFeature, geometry: Geometry) -> NDArray[np.bool_]:
    """Return the table of a feature. Raises ConfigError where it has the wrong shape or type."""
    table: Any = np.asarray(feature.table(geometry))
    shapes = ((len(geometry.moves),), (len(geometry.moves), len(geometry.fluents)))
    if table.dtype != np.bool_ or table.shape not in shapes:
        raise ConfigError(
            f"{feature.element}: its table is {table.dtype} {list(table.shape)}; it must be bool, {list(shapes[0])} "
            f"for moves or {list(shapes[1])} for moves and facts"
        )
    return np.asarray(table)
