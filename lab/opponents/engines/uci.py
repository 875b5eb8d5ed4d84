"""Engines that speak UCI, the Universal Chess Interface, with the variant `breakthrough` of Fairy-Stockfish."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from lab.opponents.engines.process import EngineError, EngineProcess

_FILES = "abcdefgh"
_LIMITS = ("depth", "nodes", "movetime")
_UCI_MOVE = re.compile(r"([a-h])([1-8])([a-h])([1-8])")
_SHEET_MOVE = re.compile(r"\(move (\d) (\d) (\d) (\d) \w+\)")


class UciEngine:
    """A UCI engine that plays breakthrough.ext, with a limit for each move."""

    def __init__(self, process: EngineProcess, words: Mapping[str, str]) -> None:
        """Greet the engine and set its options.

        Args:
            process: the engine.
            words: `depth`, `nodes` or `movetime` (ms), the limit of each move; all others are options of the engine.

        Raises:
            ConfigError: no limit is given, or the engine has no such option.
            EngineError: the engine does not speak UCI, or does not know the variant.
        """
        limits = {word: value for word, value in words.items() if word in _LIMITS}
        if not limits or not all(value.isdecimal() and int(value) > 0 for value in limits.values()):
            raise ConfigError(f"{process.name}: give the engine a limit, as in ?depth=6, ?nodes=5000 or ?movetime=100")
        self._process = process
        self._go = " ".join(["go", *(f"{word} {value}" for word, value in limits.items())])
        process.send("uci")
        known = _options(process.read_until("uciok", "uci"))
        if " var breakthrough" not in known.get("uci_variant", ""):
            raise EngineError(f"{process.name}: it does not know the variant breakthrough; take Fairy-Stockfish")
        process.send("setoption name UCI_Variant value breakthrough")
        for word, value in words.items():
            if word in limits:
                continue
            if word.lower() not in known:
                raise ConfigError(f"{process.name}: the engine has no option {word}")
            process.send(f"setoption name {word} value {value}")

    def begin(self, seed: int) -> None:
        """Let the engine forget the last match; what is random in it does not follow the seed."""
        self._process.send("ucinewgame")
        self._process.send("isready")
        self._process.read_until("readyok", "isready")

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the engine's move. Raises EngineError if there is no usable answer."""
        moves = [uci_move(move) for joint in match.joints for move in joint if move != "noop"]
        self._process.send(" ".join(["position startpos", *(["moves", *moves] if moves else [])]))
        self._process.send(self._go)
        answer = self._process.read_until("bestmove", self._go)[-1].split()
        if len(answer) < 2 or not _UCI_MOVE.fullmatch(answer[1]):
            raise EngineError(
                f"{self._process.name}: `{' '.join(answer)[:100]}` is no move, after {' '.join(moves) or 'no moves'}"
            )
        return sheet_move(answer[1], match.machine.roles[role])

    def close(self) -> None:
        """End the engine."""
        with suppress(EngineError):  # it may have ended already
            self._process.send("quit")
        self._process.close()


def uci_move(move: str) -> str:
    """Return a move of breakthrough.ext in the notation of UCI: `(move 1 2 1 3 white)` is `a2a3`.

    The columns 1 to 8 are the files a to h, and rows are ranks. Raises ValueError for any other text.
    """
    found = _SHEET_MOVE.fullmatch(move)
    if found is None:
        raise ValueError(f"{move} is no move of breakthrough.ext")
    x1, y1, x2, y2 = map(int, found.groups())
    return f"{_FILES[x1 - 1]}{y1}{_FILES[x2 - 1]}{y2}"


def sheet_move(move: str, role: str) -> str:
    """Return a UCI move of a role as breakthrough.ext spells it. Raises ValueError for any other text."""
    found = _UCI_MOVE.fullmatch(move)
    if found is None:
        raise ValueError(f"{move} is no UCI move")
    x1, y1, x2, y2 = found.groups()
    return f"(move {_FILES.index(x1) + 1} {y1} {_FILES.index(x2) + 1} {y2} {role})"


def _options(lines: list[str]) -> dict[str, str]:
    """Return the options that an engine announces: the name in lower case, and the rest of the line."""
    found = (re.fullmatch(r"option name (.+?)( type .*)", line) for line in lines)
    return {each[1].lower(): each[2] for each in found if each is not None}
