"""The learning methods, by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.learners.culture.method import CULTURE_LEARNING
from gdl_miner.miner.learners.evolution.method import EVOLUTION
from gdl_miner.miner.learners.expert_iteration.method import EXPERT_ITERATION
from gdl_miner.miner.learners.gifl.method import GIFL_LEARNING
from gdl_miner.miner.learners.method import LearningMethod
from gdl_miner.miner.learners.values.method import VALUES
from gdl_miner.miner.results.history import RunHistory
from gdl_miner.miner.results.store import RunStore

__all__ = ["METHODS", "method_named", "method_of", "read_run"]

METHODS: dict[str, LearningMethod[Any, Any]] = {
    each.name: each for each in (EVOLUTION, VALUES, CULTURE_LEARNING, EXPERT_ITERATION, GIFL_LEARNING)
}


def method_named(name: str) -> LearningMethod[Any, Any]:
    """Return the learning method with this name. Raises ConfigError where there is none."""
    method = METHODS.get(name)
    if method is None:
        near = difflib.get_close_matches(name, METHODS, 1)
        advice = f"did you mean {near[0]}?" if near else f"give one of {', '.join(METHODS)}"
        raise ConfigError(f"{name}: there is no such learning method; {advice}")
    return method


def method_of(content: Mapping[str, Any]) -> LearningMethod[Any, Any]:
    """Return the learning method of a run from the content of its config.json.

    Raises ConfigError where it is unknown.
    """
    return method_named(str(content.get("learner", EVOLUTION.name)))


def read_run(folder: Path) -> RunHistory:
    """Read a run of any learning method as far as it has come.

    Raises ConfigError where the folder holds no run, or damaged tables.
    """
    _, content = RunStore.open(folder)
    history: RunHistory = method_of(content).read_history(folder)
    return history
