"""A feature that always fires, meant to carry an itemset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from gdl_miner.agent.features.feature import Feature, Instances, number_keys
from gdl_miner.agent.files.elements import Display, Element
from gdl_miner.agent.geometry import Position

if TYPE_CHECKING:
    from gdl_miner.agent.features.batch import BatchView, Enumeration
    from gdl_miner.agent.features.plan import Hit, PlanBuilder


@dataclass(frozen=True)
class FeatureItemsetOnly(Feature):
    """Every move in every state; meant to carry an itemset (thesis 4.2.2)."""

    element: ClassVar[str] = "FeatureItemsetOnly"
    children: ClassVar[Mapping[str, str]] = {}
    colour: ClassVar[str] = "#8a8f99"

    def fires(self, position: Position, row: int) -> bool:
        """Return whether the feature fires; this is its plain definition."""
        return True

    def write(self, element: Element, display: Display) -> None:
        """Append nothing."""

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read nothing."""
        return cls()

    def words(self, display: Display) -> str:
        """Return what the feature requires of a move."""
        return "any move"

    def compile(self, plan: PlanBuilder, hit: Hit) -> None:
        """Add the feature to the native tables for every move."""
        plan.on_every_move(hit)

    @classmethod
    def instances(cls, view: BatchView, enumeration: Enumeration) -> Instances:
        """Find the one feature for all samples."""
        keys = np.zeros(view.n_samples, dtype=np.int64)
        return number_keys([keys], enumeration.min_count, lambda _, key: cls())
