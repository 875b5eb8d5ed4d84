"""Charts of a report as inline SVG; the page's style sheet colours them for light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gdl_miner.miner.results.chart_frame import Frame, polyline


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, at a place of the axis."""

    label: str
    value: float
    low: float
    high: float
    mean: float | None = None  # mean of the population
    others: tuple[float, ...] = ()  # values of the individuals
    special: bool = False  # whether this is the champion on fresh matches


@dataclass(frozen=True)
class Series:
    """Values over the places of an axis, drawn in one colour."""

    name: str
    colour: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Curve:
    """A line over a continuous axis."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    strong: bool = False


@dataclass(frozen=True)
class Bar:
    """A labelled value of a logarithmic bar chart."""

    name: str
    colour: str
    value: int
    remark: str


def draw_estimates(
    estimates: Sequence[Estimate],
    middle: float,
    unit: str,
    lines: Sequence[Series] = (),
    step: str = "generation",
    level: str = "as good as bare UCT",
    limits: tuple[float, float] = (0.0, 103.0),
) -> str:
    """Draw values with error bars over their labels, the population's mean as a line, and `middle` as a reference.

    `lines` are drawn over the same labels; there is no point where a value is NaN. `step` is the name of a label, and
    `level` says what `middle` means. No value lies outside of `limits`.
    """
    drawn = [value for each in estimates for value in (each.low, each.high, *each.others)]
    drawn += [value for each in lines for value in each.values if not math.isnan(value)]
    low, high = max(limits[0], min([middle - 10, *drawn]) - 3), min(limits[1], max([middle + 10, *drawn]) + 3)
    frame = Frame(low, high, len(estimates))
    parts = [frame.grid(unit), frame.level(middle, "middle")]
    parts.append(f'<text class="axis" x="{frame.right}" y="{frame.y(middle):g}" dy="-.45em">{escape(level)}</text>')
    regular = [(place, each) for place, each in enumerate(estimates) if not each.special]
    for place, each in regular:
        parts += [
            f'<circle class="other" cx="{frame.x(place) + 11:g}" cy="{frame.y(value):g}" r="2.6"/>'
            for value in each.others
        ]
    means = [(frame.x(place), frame.y(each.mean)) for place, each in regular if each.mean is not None]
    parts.append(polyline(means, "mean", "mean of the population") if means else "")
    for line in lines:
        points = [(frame.x(place), frame.y(v)) for place, v in enumerate(line.values) if not math.isnan(v)]
        parts.append(f'<g style="color:{line.colour}">{polyline(points, "line", line.name)}</g>' if points else "")
    parts.append(polyline([(frame.x(place), frame.y(each.value)) for place, each in regular], "best"))
    parts += [_whisker(frame, place, each) for place, each in enumerate(estimates)]
    parts.append(frame.labels([each.label for each in estimates]))
    said = "; ".join(f"{each.label}: {each.value:.1f}" for each in estimates)
    return frame.picture(parts, f"{unit} by {step}: {said}")


def draw_stack(labels: Sequence[str], series: Sequence[Series], unit: str, lines: Sequence[Series] = ()) -> str:
    """Draw stacked bars over labels, the first series at the bottom, and lines across them."""
    totals = [sum(each.values[place] for each in series) for place in range(len(labels))]
    highest = max([1e-9, *totals, *(value for each in lines for value in each.values)])
    frame = Frame(0, highest * 1.05, len(labels))
    parts = [frame.grid(unit)]
    width = min(58.0, 0.66 * frame.column)
    for place in range(len(labels)):
        base = 0.0
        for each in series:
            top = base + each.values[place]
            parts.append(
                f'<rect class="part" x="{frame.x(place) - width / 2:.2f}" y="{frame.y(top):g}" width="{width:.2f}" '
                f'height="{frame.y(base) - frame.y(top):.2f}" fill="{each.colour}">'
                f"<title>{escape(each.name)}: {each.values[place]:.4g}</title></rect>"
            )
            base = top
    for each in lines:
        points = [(frame.x(place), frame.y(value)) for place, value in enumerate(each.values)]
        parts.append(f'<g style="color:{each.colour}">{polyline(points, "line", each.name)}</g>')
    parts.append(frame.labels(labels))
    return frame.picture(parts, f"{unit}: {', '.join(each.name for each in (*series, *lines))}")


def draw_curves(curves: Sequence[Curve], uprights: Sequence[float], middle: float, unit: str) -> str:
    """Draw lines over a continuous axis, with vertical lines at the ends of its sections (rounds)."""
    longest = max(max(curve.x) for curve in curves)
    values = [value for curve in curves for value in curve.y]
    low, high = min([middle - 10, *values]), max([middle + 10, *values])
    frame = Frame(max(0.0, low - 3), min(103.0, high + 3))
    parts = [frame.grid(unit), frame.level(middle, "middle")]
    for number, end in enumerate(uprights, 1):
        x = frame.along(end / longest)
        parts.append(frame.upright(x, "section"))
        parts.append(f'<text class="axis" x="{x - 6:g}" y="{frame.height - 10}">round {number}: {end:g}</text>')
    for curve in sorted(curves, key=lambda each: each.strong):
        points = [(frame.along(x / longest), frame.y(y)) for x, y in zip(curve.x, curve.y, strict=True)]
        parts.append(polyline(points, "curve strong" if curve.strong else "curve", curve.name))
    return frame.picture(parts, f"{unit} of {len(curves)} individuals while the tournament went on")


def draw_range(main: Sequence[float], low: Sequence[float], high: Sequence[float], name: str, step: str) -> str:
    """Draw a small chart of the value of each step's player over the range of all its players."""
    least, most = min([*low, *main]), max([*high, *main])
    margin = 0.08 * (most - least) or max(abs(most) * 0.1, 0.5)
    frame = Frame(least - margin, most + margin, len(main), size=(240, 92), margins=(40, 8, 8, 8))
    outline = [(frame.x(place), frame.y(value)) for place, value in enumerate(high)]
    outline += [(frame.x(place), frame.y(value)) for place, value in reversed(list(enumerate(low)))]
    path = " ".join(f"{x:g},{y:g}" for x, y in outline)
    line = [(frame.x(place), frame.y(value)) for place, value in enumerate(main)]
    x, y = line[-1]
    parts = [
        frame.grid("", lines=3),
        f'<polygon class="range" points="{path}"/>' if len(main) > 1 else "",
        polyline(line, "best"),
        f'<circle class="best dot" cx="{x:g}" cy="{y:g}" r="3.4"/>',
    ]
    return frame.picture(parts, f"{name} by {step}, last {main[-1]:.4g}", "small")


def draw_bars(bars: Sequence[Bar]) -> str:
    """Draw horizontal bars with their values on a logarithmic axis that begins at 1 (thesis figure 6.7)."""
    left, row, width = 186, 26, 720
    most = math.log10(max([10, *(bar.value for bar in bars)]))
    scale = (width - left - 96) / most
    parts = []
    for power in range(math.floor(most) + 1):
        x = left + power * scale
        parts.append(f'<line class="grid" x1="{x:g}" x2="{x:g}" y1="0" y2="{row * len(bars)}"/>')
        parts.append(f'<text class="tick" x="{x:g}" y="{row * len(bars) + 18}">{10**power}</text>')
    for number, bar in enumerate(bars):
        y, length = number * row, math.log10(bar.value) * scale if bar.value > 0 else 0.0
        middle = y + row / 2
        parts.append(f'<text class="value" x="{left - 10}" y="{middle:g}" dy=".35em">{escape(bar.name)}</text>')
        parts.append(
            f'<rect x="{left}" y="{y + 5}" width="{max(1.5, length):.2f}" height="{row - 10}" rx="2" '
            f'fill="{bar.colour}"/>'
        )
        parts.append(
            f'<text class="unit" x="{left + length + 10:.2f}" y="{middle:g}" dy=".35em">{bar.value}'
            f'<tspan class="remark"> {escape(bar.remark)}</tspan></text>'
        )
    said = ", ".join(f"{bar.name} {bar.value}" for bar in bars)
    height = row * len(bars) + 26
    return (
        f'<svg class="chart bars" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(said)}">'
        f"{''.join(parts)}</svg>"
    )


def _whisker(frame: Frame, place: int, each: Estimate) -> str:
    x, kind = frame.x(place), "champion" if each.special else "best"
    low, high = f"{frame.y(each.low):g}", f"{frame.y(each.high):g}"
    return (
        f'<g class="{kind}"><title>{escape(each.label)}: {each.value:.1f} ({each.low:.1f} to {each.high:.1f})</title>'
        f'<line x1="{x:g}" x2="{x:g}" y1="{low}" y2="{high}"/>'
        f'<line x1="{x - 5:g}" x2="{x + 5:g}" y1="{low}" y2="{low}"/>'
        f'<line x1="{x - 5:g}" x2="{x + 5:g}" y1="{high}" y2="{high}"/>'
        f'<circle cx="{x:g}" cy="{frame.y(each.value):g}" r="5"/></g>'
    )
