"""Character plots for terminals: a value with its interval on a line, and a row of values as blocks."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"


def whisker(value: float, low: float, high: float, scale: tuple[float, float], width: int, middle: float) -> str:
    """Draw `├──●──┤` on a line of `width` characters that spans `scale`, with `┊` at `middle`."""
    if width < 1:
        return ""

    def place(each: float) -> int:
        share = (each - scale[0]) / (scale[1] - scale[0])
        return min(width - 1, max(0, round(share * (width - 1))))

    line = [" "] * width
    line[place(middle)] = "┊"
    left, right = place(low), place(high)
    line[left : right + 1] = "─" * (right + 1 - left)
    line[left], line[right] = "├", "┤"
    line[place(value)] = "●"
    return "".join(line)


def blocks(values: Sequence[float]) -> str:
    """Draw one block per value, from `▁` for the smallest to `█` for the largest; equal values give equal blocks."""
    if not values:
        return ""
    low, high = min(values), max(values)
    if high == low:
        return _BLOCKS[3] * len(values)
    return "".join(_BLOCKS[round((value - low) / (high - low) * (len(_BLOCKS) - 1))] for value in values)
