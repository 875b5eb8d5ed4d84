"""The part of a clock that a player keeps back: a fixed part, and more if answers have lately been late."""

from __future__ import annotations

__all__ = ["BEAT_S", "Margin"]

LARGEST_PART = 0.25  # largest share of a clock that is kept back for lateness
FORGETTING = 0.995  # factor of the remembered lateness at each new measurement, which comes at least every BEAT_S
SHARE = 4.0  # the margin is at least this many times the remembered lateness
BEAT_S = 0.05


class Margin:
    """The safety margin of a player, which covers the network and a machine that has other work."""

    def __init__(self, least: float | None = None) -> None:
        """Keep back `least` seconds of every clock, by default 0.2 s and a twentieth of it, but at most half of it."""
        self._least = least
        self._lateness = 0.0

    def __call__(self, clock: float) -> float:
        """Return the seconds of a clock to keep back."""
        least = 0.2 + clock / 20 if self._least is None else self._least
        return max(min(clock / 2, least), min(LARGEST_PART * clock, SHARE * self._lateness))

    def note(self, seconds: float) -> None:
        """Take a measurement: how many seconds after its due time something was ready; early counts as 0."""
        self._lateness = max(seconds, 0.0, FORGETTING * self._lateness)
