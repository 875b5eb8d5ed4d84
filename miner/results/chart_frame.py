"""The frame of an SVG chart: it turns values into pixels and draws grid lines and labels.

Colours and fonts come from the style sheet of the page. Text is sized in the units of the picture, so the style sheet
can enlarge it where the picture is small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

_LABELS = 11  # largest number of labels on an axis


class Frame:
    """A plotting area with `places` columns, or a continuous axis from 0 to 1, and a linear value axis."""

    def __init__(
        self,
        low: float,
        high: float,
        places: int = 1,
        *,
        size: tuple[int, int] = (720, 300),
        margins: tuple[int, int, int, int] = (58, 14, 28, 32),
    ) -> None:
        self.width, self.height = size
        self.left, self._right, self._top, self._bottom = margins  # left, right, top, bottom
        self._low, self._high = low, high if high > low else low + 1.0
        self._places = max(1, places)

    @property
    def right(self) -> int:
        """The right edge of the plotting area."""
        return self.width - self._right

    @property
    def column(self) -> float:
        """The width of a column."""
        return (self.right - self.left) / self._places

    def x(self, place: float) -> float:
        """Return the x of the middle of a column; columns are counted from 0."""
        return round(self.left + (place + 0.5) * self.column, 2)

    def along(self, share: float) -> float:
        """Return the x of a place on the continuous axis."""
        return round(self.left + share * (self.right - self.left), 2)

    def y(self, value: float) -> float:
        """Return the y of a value."""
        share = (value - self._low) / (self._high - self._low)
        return round(self.height - self._bottom - share * (self.height - self._top - self._bottom), 2)

    def level(self, value: float, kind: str) -> str:
        """Return a horizontal line across the chart."""
        y = f"{self.y(value):g}"
        return f'<line class="{kind}" x1="{self.left}" x2="{self.right}" y1="{y}" y2="{y}"/>'

    def upright(self, x: float, kind: str) -> str:
        """Return a vertical line from top to bottom."""
        return f'<line class="{kind}" x1="{x:g}" x2="{x:g}" y1="{self._top}" y2="{self.height - self._bottom}"/>'

    def grid(self, unit: str, lines: int = 6) -> str:
        """Return grid lines at round values with their labels, and the unit."""
        step = _round_step((self._high - self._low) / lines)
        first = math.ceil(self._low / step - 1e-9)
        last = math.floor(self._high / step + 1e-9)
        parts = [f'<text class="unit" x="4" y="14">{escape(unit)}</text>'] if unit else []
        for number in range(first, last + 1):
            value = number * step
            parts.append(self.level(value, "grid"))
            parts.append(
                f'<text class="value" x="{self.left - 8}" y="{self.y(value):g}" dy=".35em">{_short(value)}</text>'
            )
        return "".join(parts)

    def labels(self, names: Sequence[str]) -> str:
        """Return as many names under the columns as fit."""
        every = -(-len(names) // _LABELS)
        parts = [
            f'<text class="tick" x="{self.x(place):g}" y="{self.height - 10}">{escape(name)}</text>'
            for place, name in enumerate(names)
            if place % every == 0 or (not name.isdecimal())
        ]
        return "".join(parts)

    def picture(self, parts: Iterable[str], description: str, kind: str = "") -> str:
        """Return the whole `<svg>` element; `description` describes the picture in words."""
        return (
            f'<svg class="chart {kind}" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(description)}">{"".join(parts)}</svg>'
        )


def polyline(points: Sequence[tuple[float, float]], kind: str, title: str = "") -> str:
    """Return a line through the points; a dot where there is only one point."""
    named = f"<title>{escape(title)}</title>" if title else ""
    if len(points) == 1:
        x, y = points[0]
        return f'<circle class="{kind} dot" cx="{x:g}" cy="{y:g}" r="3">{named}</circle>'
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline class="{kind}" points="{path}">{named}</polyline>'


def _round_step(least: float) -> float:
    """Return the smallest number that is at least `least` and is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(size * power for size in (1.0, 2.0, 5.0, 10.0) if size * power >= least * (1 - 1e-9))


def _short(value: float) -> str:
    """Return a value in few characters, such as 0, 0.25, 1500 or 20 k."""
    if abs(value) >= 10_000:
        return f"{value / 1000:g} k"
    return f"{value:.6g}"
