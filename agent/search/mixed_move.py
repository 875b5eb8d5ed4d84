"""The move to make where several roles choose at once: drawn in proportion to the visits of the search.

The visits of decoupled UCT are a mixed strategy, and the most visited move alone can be exploited by an opponent who
foresees it. Moves that were visited rarely come from exploration, and are left out (Perick et al. 2012; Lanctot, Lisý &
Winands 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence


def mixed_move(visits: Sequence[int], share: float, below: Callable[[int], int]) -> int | None:
    """Return the place of a move drawn in proportion to its visits, None if `share` is 1 or no move was visited.

    Args:
        visits: [move] in the order of the rows.
        share: least visits of a move that may be drawn, as a share of the visits of the most visited one.
        below: gives a random whole number from 0 to below its argument; it is called once.
    """
    most = max(visits, default=0)
    if share >= 1 or most == 0:
        return None
    drawn = [(place, count) for place, count in enumerate(visits) if count and count >= share * most]
    left = below(sum(count for _, count in drawn))
    for place, count in drawn:
        if left < count:
            return place
        left -= count
    raise AssertionError("a number beyond the visits was drawn")
