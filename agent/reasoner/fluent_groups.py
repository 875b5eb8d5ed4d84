"""Groups of fluents with the same relation and leading arguments; probably at most one fluent of a group holds.

The groups are only suggestions: the native module proves those that it uses
(`agent/native/program/mutual_exclusion.hpp`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


def fluent_groups(fluents: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the offsets and the members of the groups, for every number of leading arguments.

    Fluents are canonical texts, and members are their numbers. Groups of one fluent are left out.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, fluent in enumerate(fluents):
        words = _words(fluent)
        for leading in range(1, len(words)):
            groups.setdefault(tuple(words[:leading]), []).append(number)
    several = [members for _, members in sorted(groups.items()) if len(members) > 1]
    start = np.fromiter(accumulate(map(len, several), initial=0), np.int32)
    return start, np.fromiter((number for members in several for number in members), np.int32)


def _words(term: str) -> list[str]:
    """Return the functor and the arguments of a canonical term."""
    if not term.startswith("("):
        return [term]
    words: list[str] = []
    depth, begin = 0, 1
    for place, character in enumerate(term):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        if (character == " " and depth == 1) or depth == 0:
            words.append(term[begin:place])
            begin = place + 1
    return words
