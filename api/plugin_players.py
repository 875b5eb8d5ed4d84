"""Players of other packages by their names: opponents as in `minimax+depth=3`, evaluators as in `uct:material@200`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.plugins import Plugin, plugin_named, plugin_names
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.api.analysis import search
from gdl_miner.api.game import Game, State
from gdl_miner.api.plugins import DiceChooser, evaluator_named, opponent_named, prepared

_EVALUATED = "uct:"
_OWN = ("uct", "random")


@dataclass(frozen=True)
class PluginMover:
    """A player in plain Python."""

    choose: DiceChooser

    def __call__(self, state: State, role: int, seed: int) -> int:
        """Return the row of the move of a role. Raises MoveError where the plug-in returns no legal move."""
        name = state.game.roles[role]
        return state.legal_action(self.choose(state.clone(), name, Random(seed)), name).id


def plugin_of_player(name: str) -> Plugin | None:
    """Return the plug-in that a player's name means, None if it means none. Raises ConfigError where it is missing."""
    if name.startswith(_EVALUATED):
        return plugin_named("evaluator", _evaluated(name)[0].split("+")[0])
    base = name.split("+")[0]
    return plugin_named("opponent", base) if base not in _OWN and base in plugin_names("opponent") else None


def plugin_player(game: Game, name: str, playouts: int) -> PlayerSpec | PluginMover | None:
    """Return the player that a name means; None if it means no plug-in.

    An evaluator that judges by knowledge is a player like those of knowledge files.

    Args:
        game: the game.
        name: the opponent, or `uct:` and the evaluator, with its options; an evaluator may have playouts of its own.
        playouts: per move of an evaluator that has none of its own.

    Raises:
        ConfigError: the plug-in is missing or cannot be loaded, or has no such option.
    """
    if plugin_of_player(name) is None:
        return None
    if not name.startswith(_EVALUATED):
        return PluginMover(prepared(opponent_named(name), game))
    text, own = _evaluated(name)
    found, budget = prepared(evaluator_named(text), game), own or playouts
    if isinstance(found, Knowledge):
        return replace(PlayerSpec(playouts=budget).with_knowledge(found, game.machine), playouts=budget)

    def choose(state: State, role: str, dice: Random) -> int:
        return search(state, role=role, playouts=budget, evaluator=found, seed=dice.getrandbits(32)).best.id

    return PluginMover(choose)


def _evaluated(name: str) -> tuple[str, int | None]:
    """Return the evaluator of `uct:NAME@N` with its options, and the number of playouts, if there is one."""
    rest = name.removeprefix(_EVALUATED)
    text, at, end = rest.rpartition("@")
    return (text, int(end)) if at and end.isdecimal() and int(end) > 0 else (rest, None)
