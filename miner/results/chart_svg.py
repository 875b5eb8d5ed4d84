"""Charts of a report as inline SVG, coloured by the page's style sheet so that they suit light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Estimate", "draw_estimates", "draw_stack"]

_WIDTH, _HEIGHT = 720, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 14, 14, 34


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, at a place of the axis."""

    label: str
    value: float
    low: float
    high: float
    mean: float | None = None  # of the population
    special: bool = False  # the champion on fresh matches


def draw_estimates(estimates: Sequence[Estimate], middle: float, unit: str) -> str:
    """Values with error bars over their labels, the population's mean as a line, and `middle` as a reference."""
    low = min([middle - 10, *(each.low for each in estimates)])
    high = max([middle + 10, *(each.high for each in estimates)])
    scale = _Scale(low - 3, high + 3, len(estimates))
    parts = [scale.grid(unit), f'<line class="middle" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" {scale.level(middle)}/>']
    regular = [(number, each) for number, each in enumerate(estimates) if not each.special]
    means = [(scale.x(number), scale.y(each.mean)) for number, each in regular if each.mean is not None]
    parts.append(_line(means, "mean"))
    parts.append(_line([(scale.x(number), scale.y(each.value)) for number, each in regular], "best"))
    for number, each in enumerate(estimates):
        x, kind = scale.x(number), "champion" if each.special else "best"
        parts.append(
            f'<g class="{kind}"><title>{escape(each.label)}: {each.value:.1f} '
            f"({each.low:.1f} to {each.high:.1f})</title>"
            f'<line x1="{x:g}" x2="{x:g}" y1="{scale.y(each.low):g}" y2="{scale.y(each.high):g}"/>'
            f'<line x1="{x - 5:g}" x2="{x + 5:g}" {scale.level(each.low)}/>'
            f'<line x1="{x - 5:g}" x2="{x + 5:g}" {scale.level(each.high)}/>'
            f'<circle cx="{x:g}" cy="{scale.y(each.value):g}" r="5"/></g>'
        )
        parts.append(f'<text class="tick" x="{x:g}" y="{_HEIGHT - 12}">{escape(each.label)}</text>')
    return _svg(parts)


def draw_stack(labels: Sequence[str], series: Sequence[tuple[str, str, Sequence[int]]]) -> str:
    """Stacked bars over labels; `series` are (name, colour, values), from the bottom up."""
    totals = [sum(values[number] for _, _, values in series) for number in range(len(labels))]
    scale = _Scale(0, max([1, *totals]) * 1.05, len(labels))
    parts = [scale.grid("features")]
    width = min(64.0, 0.62 * (_WIDTH - _LEFT - _RIGHT) / max(1, len(labels)))
    for number, label in enumerate(labels):
        base = 0
        for name, colour, values in series:
            top = base + values[number]
            height = scale.y(base) - scale.y(top)
            parts.append(
                f'<rect x="{scale.x(number) - width / 2:g}" y="{scale.y(top):g}" width="{width:g}" height="{height:g}" '
                f'fill="{colour}"><title>{escape(name)}: {values[number]}</title></rect>'
            )
            base = top
        parts.append(f'<text class="tick" x="{scale.x(number):g}" y="{_HEIGHT - 12}">{escape(label)}</text>')
    return _svg(parts)


class _Scale:
    """From values and places to pixels."""

    def __init__(self, low: float, high: float, places: int) -> None:
        self._low, self._high, self._places = low, high, max(1, places)

    def x(self, place: int) -> float:
        return _LEFT + (place + 0.5) * (_WIDTH - _LEFT - _RIGHT) / self._places

    def y(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 2)

    def level(self, value: float) -> str:
        return f'y1="{self.y(value):g}" y2="{self.y(value):g}"'

    def grid(self, unit: str) -> str:
        span = self._high - self._low
        step = next(
            size * 10**power for power in range(6) for size in (1, 2, 5) if span / (size * 10**power) <= 6 or power == 5
        )
        value = step * -(-self._low // step)
        parts = [f'<text class="unit" x="6" y="{_TOP - 2}">{escape(unit)}</text>']
        while value <= self._high:
            parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" {self.level(value)}/>')
            parts.append(f'<text class="value" x="{_LEFT - 8}" y="{self.y(value) + 4:g}">{value:g}</text>')
            value += step
        return "".join(parts)


def _line(points: Sequence[tuple[float, float]], kind: str) -> str:
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline class="{kind}" points="{path}"/>' if len(points) > 1 else ""


def _svg(parts: Sequence[str]) -> str:
    return f'<svg class="chart" viewBox="0 -6 {_WIDTH} {_HEIGHT + 6}" role="img">{"".join(parts)}</svg>'
