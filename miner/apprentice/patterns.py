"""Patterns as fields with what is on them: the way in which they are made, merged and compared."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from agent.knowledge.features import FeatureRelPattern
from agent.knowledge.features.pattern import ANY

__all__ = ["Offset", "fields_of", "merge", "pattern_of"]

Offset = tuple[int, ...]  # from the target of the move to a field


def fields_of(pattern: FeatureRelPattern, dimensions: int) -> dict[Offset, str]:
    """Return the fields that a pattern compares, with their entries."""
    offsets = itertools.product(range(-pattern.radius, pattern.radius + 1), repeat=dimensions)
    return {offset: entry for offset, entry in zip(offsets, pattern.entries, strict=True) if entry != ANY}


def pattern_of(fields: Mapping[Offset, str], dimensions: int) -> FeatureRelPattern:
    """Return the pattern of the least radius that compares these fields, so that equal patterns are equal values."""
    radius = max((1, *(abs(step) for offset in fields for step in offset)))
    offsets = itertools.product(range(-radius, radius + 1), repeat=dimensions)
    return FeatureRelPattern(radius, tuple(fields.get(offset, ANY) for offset in offsets))


def merge(one: FeatureRelPattern, other: FeatureRelPattern, dimensions: int) -> FeatureRelPattern:
    """Return the pattern that fires where both do. Raises ValueError where they contradict each other."""
    fields = fields_of(one, dimensions)
    for offset, entry in fields_of(other, dimensions).items():
        if fields.setdefault(offset, entry) != entry:
            raise ValueError(f"at {offset} one pattern has {fields[offset]}, the other {entry}")
    return pattern_of(fields, dimensions)
