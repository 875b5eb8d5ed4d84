"""Othello engines that answer lines `board side level` with a square, such as a small program around Egaroucid."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from lab.opponents.engines.process import EngineError, EngineProcess

_FILES = "abcdefgh"
_DISCS = {"black": "X", "white": "O"}
_CELL = re.compile(r"\(cell (\d) (\d) (black|white)\)")


class OthelloEngine:
    """An engine that plays othello.ext at a level; it is asked only where a disc can be placed."""

    def __init__(self, process: EngineProcess, words: Mapping[str, str]) -> None:
        """Take the engine's process; `words` holds the level alone.

        Raises ConfigError for other words, or without a level.
        """
        if set(words) != {"level"} or not words["level"].isdecimal():
            raise ConfigError(f"{process.name}: give an othello engine its level and nothing else, as in ?level=3")
        self._process = process
        self._level = words["level"]

    def begin(self, seed: int) -> None:
        """Do nothing: every question holds the whole position, and what is random in it does not follow the seed."""

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the engine's move. Raises EngineError if there is no usable answer."""
        name = match.machine.roles[role]
        asked = f"{board_text(match)} {_DISCS[name]} {self._level}"
        self._process.send(asked)
        answer = self._process.read(asked).strip()
        if not re.fullmatch(r"[a-hA-H][1-8]", answer):
            raise EngineError(f"{self._process.name}: the answer `{answer[:100]}` to `{asked}` is no square")
        return f"(place {_FILES.index(answer[0].lower()) + 1} {answer[1]} {name})"

    def close(self) -> None:
        """End the engine."""
        self._process.close()


def board_text(match: OngoingMatch) -> str:
    """Return the 64 squares of othello.ext, row 1 first and column 1 (file a) first: X black, O white, - empty."""
    cells = ["-"] * 64
    for found in map(_CELL.fullmatch, match.facts):
        if found is not None:
            cells[8 * (int(found[2]) - 1) + int(found[1]) - 1] = _DISCS[found[3]]
    return "".join(cells)
