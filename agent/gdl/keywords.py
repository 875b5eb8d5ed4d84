"""The words that GDL reserves: relations, the role of chance, and values of goals."""

KEYWORDS = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "legal": 2,
    "next": 1,
    "terminal": 0,
    "goal": 2,
    "base": 1,
    "input": 2,
}
"""Reserved relations and their arities; `base` and `input` are optional."""

CHANCE_ROLE = "random"
"""The role that makes its moves uniformly at random, as in GDL-II; its goals do not matter."""


def goal_value(text: str) -> int | None:
    """Return the integer from 0 to 100 that a text spells, None for any other text."""
    if not (text.isascii() and text.isdecimal()) or len(text.lstrip("0")) > 3:
        return None
    value = int(text)
    return value if value <= 100 else None
