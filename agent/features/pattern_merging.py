"""Patterns that compare different fields, brought together in one table.

A table is looked up once for each target, however many patterns are in it. A table of patterns with different wildcards
has a key for all contents of the fields that any of them compares, and what it adds there is the sum of what the
patterns add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ContentsSums", "fits", "merge_sums"]

_MOST_KEYS = 1024  # of a table, so that it stays in the cache beside others


@dataclass(frozen=True, eq=False)
class ContentsSums:
    """The sums that patterns add, by the contents of the fields that they compare."""

    fields: tuple[int, ...]  # places in the neighbourhood, ascending
    sums: NDArray[np.int64]  # [content of the first field, of the second, …]

    @classmethod
    def of(cls, fields: tuple[int, ...], patterns: Mapping[tuple[int, ...], int], contents: int) -> ContentsSums:
        """Return the sums of patterns that compare the same fields.

        Args:
            fields: the places that they compare, ascending.
            patterns: what each pattern adds, by the contents that it wants on these places.
            contents: the number of contents that a field can have.
        """
        sums = np.zeros((contents,) * len(fields), np.int64)
        for wanted, adds in patterns.items():
            sums[wanted] += adds
        return cls(fields, sums)

    def over(self, fields: Sequence[int]) -> NDArray[np.int64]:
        """Return the sums by the contents of further fields, too; they are broadcast over those."""
        sizes = dict(zip(self.fields, self.sums.shape, strict=True))
        return self.sums.reshape([sizes.get(field, 1) for field in fields])


def fits(fields: int, contents: int) -> bool:
    """Whether a table of so many fields is small enough."""
    return bool(contents**fields <= _MOST_KEYS)


def merge_sums(groups: Sequence[ContentsSums], contents: int) -> list[ContentsSums]:
    """Return fewer groups that add the same.

    The largest groups come first. Each joins the table that grows least by it, if one is small enough then.
    """
    tables: list[list[ContentsSums]] = []
    unions: list[set[int]] = []
    for group in sorted(groups, key=lambda each: (-len(each.fields), each.fields)):
        growth = [len(set(group.fields) - union) for union in unions]
        room = [place for place, union in enumerate(unions) if fits(len(union) + growth[place], contents)]
        if room:
            place = min(room, key=lambda place: growth[place])
            tables[place].append(group)
            unions[place] |= set(group.fields)
        else:
            tables.append([group])
            unions.append(set(group.fields))
    return [_together(tuple(sorted(union)), table) for union, table in zip(unions, tables, strict=True)]


def _together(fields: tuple[int, ...], groups: Sequence[ContentsSums]) -> ContentsSums:
    parts = [group.over(fields) for group in groups]
    sums = np.zeros(np.broadcast_shapes(*(part.shape for part in parts)), np.int64)
    for part in parts:
        sums += part
    return ContentsSums(fields, sums)
