"""Knowledge mining for General Game Playing: rules in, a small readable knowledge file out.

    import gdl_miner

    game = gdl_miner.load("connectfour.ext")
    state = game.initial_state()
    state.apply("(play 4 1 white)")
    print(state)

docs/library.md introduces the names below. They are stable; those of the subpackages may change. The subpackages are
the stages of the work: `agent` plays, `miner` learns, `cluster` spreads the work over machines, and `api` has what
is named here. Everything is loaded on first use, so that an import is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl_miner.agent.errors import RuleWarning, UserError
    from gdl_miner.agent.knowledge import Knowledge
    from gdl_miner.api.adapters import gymnasium_env, openspiel_bot, openspiel_game, pettingzoo_env
    from gdl_miner.api.analysis import Analysis, search
    from gdl_miner.api.evaluation import Evaluation, evaluate, fact_values, read_knowledge, write_knowledge
    from gdl_miner.api.game import Action, Game, State, games, load, loads
    from gdl_miner.api.learning import learn
    from gdl_miner.api.matches import play, score
    from gdl_miner.api.player import Player
    from gdl_miner.api.plugins import BatchEvaluator, EvaluatorPlugin, OpponentPlugin
    from gdl_miner.api.vector_env import VectorEnv

_PLACES = {
    "gdl_miner.agent.errors": ("RuleWarning", "UserError"),
    "gdl_miner.agent.knowledge": ("Knowledge",),
    "gdl_miner.api.adapters": ("gymnasium_env", "openspiel_bot", "openspiel_game", "pettingzoo_env"),
    "gdl_miner.api.analysis": ("Analysis", "search"),
    "gdl_miner.api.evaluation": ("Evaluation", "evaluate", "fact_values", "read_knowledge", "write_knowledge"),
    "gdl_miner.api.game": ("Action", "Game", "State", "games", "load", "loads"),
    "gdl_miner.api.learning": ("learn",),
    "gdl_miner.api.matches": ("play", "score"),
    "gdl_miner.api.player": ("Player",),
    "gdl_miner.api.plugins": ("BatchEvaluator", "EvaluatorPlugin", "OpponentPlugin"),
    "gdl_miner.api.vector_env": ("VectorEnv",),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Action",
    "Analysis",
    "BatchEvaluator",
    "Evaluation",
    "EvaluatorPlugin",
    "Game",
    "Knowledge",
    "OpponentPlugin",
    "Player",
    "RuleWarning",
    "State",
    "UserError",
    "VectorEnv",
    "evaluate",
    "fact_values",
    "games",
    "gymnasium_env",
    "learn",
    "load",
    "loads",
    "openspiel_bot",
    "openspiel_game",
    "pettingzoo_env",
    "play",
    "read_knowledge",
    "score",
    "search",
    "write_knowledge",
]


def __getattr__(name: str) -> object:
    """Load what the name stands for on its first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
