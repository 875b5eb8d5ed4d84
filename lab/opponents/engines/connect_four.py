"""A perfect player of connect four: the solver of Pascal Pons, which scores every column of a position.

Started with `-a`, the solver reads the columns played so far (`4453`) and answers with the same text and a score for
each column: above 0 for a win, 0 for a draw, below 0 for a loss, and -1000 for a full column. A greater score is a
faster win or a slower loss; with `-w`, which is much faster, the score tells apart only wins, draws and losses, and
moves that end the match at once.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from lab.opponents.engines.process import EngineError, EngineProcess

_FULL = -1000
_MOVE = re.compile(r"\(play (\d) (\d) \w+\)")


class ConnectFourSolver:
    """The solver as a player of connect four; it chooses at random between the moves of the best score."""

    def __init__(self, process: EngineProcess, words: Mapping[str, str]) -> None:
        """Take the solver's process. Raises ConfigError for any words, because the solver takes none."""
        if words:
            raise ConfigError(f"{process.name}: the solver takes no {', '.join(words)}; options belong to its command")
        self._process = process
        self._choice = random.Random(0)
        self._known: dict[str, dict[int, int]] = {}  # answers of the solver, which thinks for minutes about openings

    def begin(self, seed: int) -> None:
        """Begin the random choices of a match."""
        self._choice = random.Random(seed)

    def scores(self, match: OngoingMatch) -> dict[int, int]:
        """Return the score of every column that is not full, for the player to move.

        Raises EngineError if there is no usable answer.
        """
        played = "".join(str(column_of(move)) for joint in match.joints for move in joint if move != "noop")
        if played not in self._known:
            self._known[played] = self._asked(match, played)
        return self._known[played]

    def _asked(self, match: OngoingMatch, played: str) -> dict[int, int]:
        self._process.send(played)
        answer = self._process.read(played)
        told = answer.rstrip().split(" ")
        columns = max(column_of(move) for moves in match.machine.moves for move in moves if move != "noop")
        if told[:1] != [played] or len(told) != columns + 1 or not all(map(_is_number, told[1:])):
            raise EngineError(
                f"{self._process.name}: the answer to `{played}` is `{answer[:100]}`, not `{played}` and "
                f"{columns} scores; build the solver with WIDTH {columns} and start it with -a"
            )
        return {column: int(score) for column, score in enumerate(told[1:], 1) if int(score) != _FULL}

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return a move of the best score. Raises EngineError if there is no usable answer."""
        scores = self.scores(match)
        by_column = {column_of(move): move for move in match.legal(role)}
        if scores.keys() != by_column.keys():
            raise EngineError(
                f"{self._process.name}: scores of the columns {sorted(scores)}, but {sorted(by_column)} can be played"
            )
        best = max(scores.values())
        return by_column[self._choice.choice([column for column, score in scores.items() if score == best])]

    def close(self) -> None:
        """End the solver."""
        self._process.close()


def column_of(move: str) -> int:
    """Return the column of a move of connect four. Raises ValueError for any other text."""
    found = _MOVE.fullmatch(move)
    if found is None:
        raise ValueError(f"{move} is no move of connect four")
    return int(found[1])


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+", text) is not None
