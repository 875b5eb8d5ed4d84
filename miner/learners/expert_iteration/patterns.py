"""Patterns as fields with what is on them: the way in which they are made, merged and compared."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from gdl_miner.agent.features import FeatureRelPattern
from gdl_miner.agent.features.pattern import ANY
from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.geometry.lattice import hexagonal_distance

Offset = tuple[int, ...]  # from the target of the move to a field


def fields_of(pattern: FeatureRelPattern, dimensions: int) -> dict[Offset, str]:
    """Return the fields that a pattern compares, with their entries."""
    offsets = itertools.product(range(-pattern.radius, pattern.radius + 1), repeat=dimensions)
    return {offset: entry for offset, entry in zip(offsets, pattern.entries, strict=True) if entry != ANY}


def steps_to(offset: Offset, geometry: Geometry) -> int:
    """Return the number of neighbours to go along to a field, along the axes of a board of squares or hexagons."""
    if geometry.hexagonal:
        return int(hexagonal_distance(np.array(offset), geometry.hexagonal))
    return sum(map(abs, offset))


def pattern_of(fields: Mapping[Offset, str], geometry: Geometry) -> FeatureRelPattern:
    """Return the pattern of the least radius that compares these fields, so that equal patterns are equal values.

    On a board of hexagons all images of the pattern have this radius, too.
    """
    radii = (steps_to(offset, geometry) if geometry.hexagonal else max(map(abs, offset)) for offset in fields)
    radius = max((1, *radii))
    offsets = itertools.product(range(-radius, radius + 1), repeat=geometry.dimensions)
    return FeatureRelPattern(radius, tuple(fields.get(offset, ANY) for offset in offsets))


def merge(one: FeatureRelPattern, other: FeatureRelPattern, geometry: Geometry) -> FeatureRelPattern:
    """Return the pattern that fires where both do. Raises ValueError where they contradict each other."""
    fields = fields_of(one, geometry.dimensions)
    for offset, entry in fields_of(other, geometry.dimensions).items():
        if fields.setdefault(offset, entry) != entry:
            raise ValueError(f"at {offset} one pattern has {fields[offset]}, the other {entry}")
    return pattern_of(fields, geometry)
