"""Opponents and leaf evaluators of other packages: what they are, and their names with options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.plugins import Plugin, PluginKind, plugin_named
from gdl_miner.api.game import ActionLike, Game, State

Evaluator: TypeAlias = Callable[[State], Sequence[float]]
"""It takes a state that is not terminal, and returns [role] the goal that each role may expect, 0 to 100."""
StatesJudge: TypeAlias = Callable[[Sequence[State]], Any]
"""It takes states that are not terminal, and returns an array or lists [state, role] of values, 0 to 100."""
DiceChooser: TypeAlias = Callable[[State, str, Random], ActionLike]
"""It takes a state, which is its own to change, the name of a role that has a choice, and the dice of this move.

It returns a legal move, the same for the same arguments.
"""


@dataclass(frozen=True)
class BatchEvaluator:
    """An evaluator that judges many states in one call, as neural networks like it.

    So many playouts of a search are then under way at once, which search a little less well than one after the other.
    """

    judge: StatesJudge
    size: int = 64
    """Most states of a call, at least 1."""


class _Options(BaseModel):
    """The fields of a subclass are its options, as in `minimax+depth=3`, and its validators check them."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class OpponentPlugin(_Options, ABC):
    """A player of another package; entry points of the group `gdl_miner.opponents` name subclasses."""

    @abstractmethod
    def prepare(self, game: Game) -> DiceChooser:
        """Return the player of a game. Every process prepares it once for itself."""


class EvaluatorPlugin(_Options, ABC):
    """A leaf evaluator of another package; entry points of the group `gdl_miner.evaluators` name subclasses."""

    @abstractmethod
    def prepare(self, game: Game) -> Evaluator | BatchEvaluator | Knowledge:
        """Return what judges the states of a game.

        A function is called for every new state of a search in plain Python, and a batch evaluator for many of them at
        once. Knowledge with values of states is searched with natively.
        """


def opponent_class(name: str) -> type[OpponentPlugin]:
    """Return the opponent with this name. Raises ConfigError where there is none, or it cannot be loaded."""
    found: type[OpponentPlugin] = _class_of("opponent", name, OpponentPlugin)[0]
    return found


def evaluator_class(name: str) -> type[EvaluatorPlugin]:
    """Return the evaluator with this name. Raises ConfigError where there is none, or it cannot be loaded."""
    found: type[EvaluatorPlugin] = _class_of("evaluator", name, EvaluatorPlugin)[0]
    return found


def opponent_named(text: str) -> OpponentPlugin:
    """Return the opponent of a name with options. Raises ConfigError as `opponent_class` does, and for options."""
    found: OpponentPlugin = _named("opponent", text, OpponentPlugin)
    return found


def evaluator_named(text: str) -> EvaluatorPlugin:
    """Return the evaluator of a name with options. Raises ConfigError as `evaluator_class` does, and for options."""
    found: EvaluatorPlugin = _named("evaluator", text, EvaluatorPlugin)
    return found


@lru_cache(maxsize=16)
def prepared(plugin: OpponentPlugin | EvaluatorPlugin, game: Game) -> Any:
    """Return what a plug-in has prepared for a game, which it does once."""
    return plugin.prepare(game)


def _class_of(kind: PluginKind, name: str, base: Any) -> tuple[Any, Plugin]:
    plugin = plugin_named(kind, name)
    loaded: Any = plugin.load()
    if not (isinstance(loaded, type) and issubclass(loaded, base)):
        raise plugin.refused(f"is no subclass of {base.__name__}")
    return loaded, plugin


def _named(kind: PluginKind, text: str, base: Any) -> Any:
    name, *options = text.split("+")
    found, plugin = _class_of(kind, name, base)
    given = dict[str, str]()
    for option in options:
        key, _, value = option.partition("=")
        given[key] = value or "true"
    try:
        return found.model_validate_strings(given)
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(found.model_fields) or "none"
        key, what = ".".join(map(str, first["loc"])), str(first["msg"]).removeprefix("Value error, ")
        said = "there is no such option" if first["type"] == "extra_forbidden" else what[:1].lower() + what[1:]
        raise ConfigError(f"{text}: {key}: {said}; the options of the {plugin} are: {known}") from None
    except TypeError as error:  # a class that lacks a method
        raise plugin.refused(f"cannot be made ({error})") from None
