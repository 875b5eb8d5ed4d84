"""Bundled games on smaller boards."""

from __future__ import annotations

import re

from gdl_miner.agent.errors import ConfigError

_FACT = re.compile(r"\([a-z]+[^()]*\)")
_LINES = ("index", "column", "row", "succ")  # relations that list the coordinates


def smaller(text: str, size: int) -> str:
    """Return the sheet of a game on a square board with sides from 1, in which the sides have `size` fields.

    Facts that list coordinates beyond the size are left out. Other coordinates in the far half of the board, such as
    those of goal rows, keep their distance from the far side.

    Raises ConfigError where the sheet does not have a larger board.
    """
    bounds = re.search(r"\(boardboundaries 1 (\d+)\)", text)
    if bounds is None or not 1 < size < int(bounds[1]):
        raise ConfigError(f"a board of size {size}: the sheet has no larger board; give a smaller size")
    large = int(bounds[1])

    def moved(word: str) -> str:
        far = word.isdecimal() and large // 2 < int(word) <= large
        return str(int(word) - large + size) if far else word

    def changed(found: re.Match[str]) -> str:
        name, *words = found[0][1:-1].split()
        if name in _LINES:
            return found[0] if all(not word.isdecimal() or int(word) <= size for word in words) else ""
        return f"({' '.join([name, *map(moved, words)])})"

    lines = (line.split(";", 1)[0] for line in text.splitlines())
    return "\n".join(_FACT.sub(changed, line).rstrip() for line in lines) + "\n"
