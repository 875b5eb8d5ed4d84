"""Features of moves for the page: each with its weight, its words and the ways in which it can fire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import feature_in_words
from gdl_miner.agent.features.plan import Hit, KeyLayouts, PlanBuilder
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Phase, check_names, written_out
from gdl_miner.agent.knowledge.scoring import EffectiveFeature, effective_features, quantise
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.table.offline.packing import Packing


class WaysToFire(PlanBuilder):
    """The conditions of one feature, as it gives them to the tables of the native scorer."""

    def __init__(self, geometry: Geometry, role: int) -> None:
        super().__init__(geometry, KeyLayouts(geometry), role, first_feature=False)
        self.ways: list[dict[str, Any]] = []

    def on_every_move(self, hit: Hit) -> None:
        """The feature fires for every move."""
        self.ways.append({"kind": "always"})

    def on_rows(self, rows: Sequence[int] | NDArray[np.intp], hit: Hit) -> None:
        """The feature fires for these moves in every state."""
        self.ways.append({"kind": "rows", "rows": [int(row) for row in rows]})

    def on_rows_with(self, rows: Sequence[int] | NDArray[np.intp], fluents: tuple[int, ...], hit: Hit) -> None:
        """The feature fires for these moves in states where at least one of these fluents holds."""
        self.ways.append({"kind": "rows", "rows": [int(row) for row in rows], "facts": list(fluents)})

    def on_distance(self, squared: int, hit: Hit) -> None:
        """The feature fires at this squared distance between the target and the nearest last target."""
        self.ways.append({"kind": "distance", "squared": int(squared)})

    def on_nearest(self, codes: tuple[int, ...], hit: Hit) -> None:
        """The feature fires where the nearest occupants are this multiset (sorted codes)."""
        self.ways.append({"kind": "nearest", "codes": list(codes)})

    def on_line(self, dimension: int, codes: tuple[int, ...], hit: Hit) -> None:
        """The feature fires where the nearest occupants along a dimension (0 is the first) are this list."""
        self.ways.append({"kind": "line", "dimension": dimension, "codes": list(codes)})

    def on_pattern(self, radius: int, codes: Sequence[int | None], hit: Hit, *, relative: bool = False) -> None:
        """The feature fires where the fields around the target hold these occupant codes, or what the role sees."""
        wanted = [None if code is None else int(code) for code in codes]
        self.ways.append({"kind": "pattern", "radius": radius, "codes": wanted, "relative": relative})


def features_of(knowledge: Knowledge, machine: Machine, packing: Packing) -> dict[str, Any] | None:
    """Return the features of a knowledge file as `features.js` reads them, None if there are none.

    Raises KnowledgeError where the features do not fit the game.
    """
    if not knowledge.n_features:
        return None
    geometry = geometry_of(machine)
    check_names(knowledge, geometry)
    known, parameters = written_out(knowledge, machine), knowledge.parameters
    number_of: dict[tuple[int, EffectiveFeature], int] = {}
    lists = [
        [
            [
                number_of.setdefault((role, each), len(number_of))
                for each in effective_features(known, role, phase)
                if each.weight
            ]
            for role in range(len(machine.roles))
        ]
        for phase in Phase
    ]
    features = [_feature(each, role, geometry, machine) for role, each in number_of]
    ways = [way for each in features for way in each["ways"]]
    kinds = {way["kind"] for way in ways}
    radii = sorted({way["radius"] for way in ways if way["kind"] == "pattern"})
    return {
        "features": features,
        "lists": lists,
        "firstFeature": parameters.first_feature,
        "exponential": parameters.scoring == "exponential",
        "base": quantise(parameters.base_value),
        "pointCount": geometry.n_points,
        "fluentPoint": packing.add(geometry.fluent_point),
        "fluentPiece": packing.add(geometry.fluent_piece),
        "rowTarget": packing.add(geometry.move_target),
        "squaredDistance": packing.add(geometry.squared_distance if "distance" in kinds else []),
        "nearest": packing.add(geometry.nearest if "nearest" in kinds else []),
        "lines": packing.add(geometry.lines if "line" in kinds else []),
        "lineLength": geometry.lines.shape[-1] if "line" in kinds else 0,
        "neighbours": {str(radius): packing.add(geometry.neighbours(radius)) for radius in radii},
        "seen": [packing.add(geometry.seen_by(role)) for role in range(len(machine.roles))],
    }


def _feature(each: EffectiveFeature, role: int, geometry: Geometry, machine: Machine) -> dict[str, Any]:
    plan = WaysToFire(geometry, role)
    each.feature.compile(plan, Hit(each.weight))
    items = each.itemset.items if each.itemset is not None else ()
    return {
        "weight": each.weight,
        "words": feature_in_words(each.feature, each.itemset, machine.sheet.display),
        "ways": plan.ways,
        "items": [item.fluents(geometry).tolist() for item in items],
    }
