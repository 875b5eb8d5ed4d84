"""Values of goals: integers from 0 to 100."""

from __future__ import annotations

__all__ = ["goal_value"]


def goal_value(text: str) -> int | None:
    """Return the integer from 0 to 100 that a text spells, None for any other text."""
    if not (text.isascii() and text.isdecimal()) or len(text.lstrip("0")) > 3:
        return None
    value = int(text)
    return value if value <= 100 else None
