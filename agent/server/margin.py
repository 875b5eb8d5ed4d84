"""How much of a clock to keep back: a part that is always kept, more where answers have lately been late."""

from __future__ import annotations

__all__ = ["BEAT_S", "Margin"]

LARGEST_PART = 0.75  # of a clock
FORGETTING = 0.995  # what a lateness counts for, each time that another is noted, which is every BEAT_S at least
SHARE = 4.0  # the lateness seen fits in so many times
BEAT_S = 0.05


class Margin:
    """The safety margin of a player: for the network, and for a machine that has other work."""

    def __init__(self, least: float | None = None) -> None:
        """Keep back `least` seconds of every clock; by default 0.2 s and a twentieth; at most half of it."""
        self._least = least
        self._lateness = 0.0

    def __call__(self, clock: float) -> float:
        """Seconds of a clock to keep back."""
        least = 0.2 + clock / 20 if self._least is None else self._least
        return min(LARGEST_PART * clock, max(min(clock / 2, least), SHARE * self._lateness))

    def note(self, seconds: float) -> None:
        """Tell how late something was ready that had a time; early is 0."""
        self._lateness = max(seconds, 0.0, FORGETTING * self._lateness)
