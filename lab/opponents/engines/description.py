"""Engines by their descriptions: `uci:/path/to/fairy-stockfish?depth=6`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.reasoner.machine import Machine
from lab.opponents.engines.connect_four import ConnectFourSolver
from lab.opponents.engines.othello import OthelloEngine
from lab.opponents.engines.plugin import PluginOpponent
from lab.opponents.engines.process import EngineProcess, Opponent
from lab.opponents.engines.uci import UciEngine


class _Kind(NamedTuple):
    games: tuple[str, ...]  # the rule sheets whose moves the adapter knows
    adapter: Callable[[EngineProcess, Mapping[str, str]], Opponent]


_KINDS = {
    "uci": _Kind(("breakthrough.ext",), UciEngine),
    "othello": _Kind(("othello.ext",), OthelloEngine),
    "connect4": _Kind(("connectfour.ext", "connectfour7.ext"), ConnectFourSolver),
}


_PLUGIN = "plugin"  # an opponent or evaluator of another package, by its name


def open_engine(description: str, machine: Machine, answer_s: float) -> Opponent:
    """Start the engine of a description `KIND:COMMAND?word=value&word=value`.

    Args:
        description: the kind is `uci`, `othello` or `connect4`, and the command may have arguments; or `plugin:NAME`.
        machine: the game that the engine is to play.
        answer_s: longest time that the engine may be silent while it is asked, in seconds.

    Raises:
        ConfigError: there is no such kind, the kind does not play the game, or a word is impossible.
        EngineError: the engine cannot be started, or does not answer as its kind should.
    """
    kind, command, words = _read(description, machine)
    if kind == _PLUGIN:
        return PluginOpponent(command[0], machine)
    process = EngineProcess(command, answer_s)
    try:
        return _KINDS[kind].adapter(process, words)
    except BaseException:
        process.close()
        raise


def check_engine(description: str, machine: Machine) -> None:
    """Raise ConfigError where a description means no engine, or one that does not play the game; nothing is started."""
    _read(description, machine)


def _read(description: str, machine: Machine) -> tuple[str, list[str], dict[str, str]]:
    """Return the kind, the command, which is the name of a plug-in, and the words of a description."""
    kind, colon, rest = description.partition(":")
    if kind == _PLUGIN and rest:
        return kind, [rest], {}
    text, _, query = rest.partition("?")
    try:
        command = shlex.split(text)
        words = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=True)) if query else {}
    except ValueError as error:
        raise ConfigError(f"{description}: {error}; give KIND:COMMAND?word=value&word=value") from None
    if not colon or kind not in _KINDS or not command:
        kinds = ", ".join((*_KINDS, _PLUGIN))
        raise ConfigError(f"{description}: no engine; give {kinds}, as in uci:fairy-stockfish?depth=6")
    if machine.sheet.name not in _KINDS[kind].games:
        games = " and ".join(_KINDS[kind].games)
        raise ConfigError(f"{description}: {kind} engines play {games}, not {machine.sheet.name}")
    return kind, command, words
