"""Learning methods: each has a name, a configuration, a learner, and words on its runs.

The methods of this package are listed here. A package elsewhere adds its own by an entry point of the group
`gdl_miner.learners`, which names a `LearningMethod`:

    [project.entry-points."gdl_miner.learners"]
    climbing = "climbing:CLIMBING"
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Generic, TypeAlias, TypeVar

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.plugins import plugin_named, plugin_names
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.runs.entrant import KnowledgeMaker
from gdl_miner.miner.runs.settings import Settings
from gdl_miner.miner.runs.task import Learner

SettingsT = TypeVar("SettingsT", bound=Settings)
StartReader: TypeAlias = Callable[[Path, Machine], tuple[Knowledge, str]]
"""It reads a knowledge file from which a run is to start, and returns what the run takes of it, and a note for people.

It raises KnowledgeError where the file cannot be read, or names what its game does not have, and ConfigError where it
has nothing from which the run could start.
"""

OWN_METHODS = {
    "evolution": "gdl_miner.miner.learners.evolution:EVOLUTION",
    "values": "gdl_miner.miner.learners.values:VALUES",
    "culture": "gdl_miner.miner.learners.culture:CULTURE",
    "expert-iteration": "gdl_miner.miner.learners.expert_iteration:EXPERT_ITERATION",
    "gifl": "gdl_miner.miner.learners.gifl:GIFL",
}


def _accept(settings: object, game: PreparedGame, start: Knowledge | None) -> None:
    """Accept every game and start."""


def _unknown(settings: object) -> Sequence[tuple[int, float]]:
    """Return that nothing is known of the tasks."""
    return ()


@dataclass(frozen=True)
class LearningMethod(Generic[SettingsT]):
    """One learning method.

    Attributes:
        name: in `miner learn --with` and in config.json.
        summary: a short description for `--help`.
        settings: the model of its configurations.
        learn: it returns a learner at its beginning.
        unit: the name of a step, in the singular, such as `generation`.
        starts_from: it reads the knowledge that a run starts from; None where all runs begin without knowledge.
        check: it raises ConfigError where the settings do not fit the game, or a run cannot start from this knowledge,
            which `starts_from` has read. A new run asks before it makes its folder.
        trainings: it returns how many tasks of a step train side by side, and the predicted processor seconds of each,
            for every step that is known before.
    """

    name: str
    summary: str
    settings: type[SettingsT]
    learn: Callable[[SettingsT, KnowledgeMaker], Learner]
    unit: str = "step"
    starts_from: StartReader | None = None
    check: Callable[[SettingsT, PreparedGame, Knowledge | None], None] = _accept
    trainings: Callable[[SettingsT], Sequence[tuple[int, float]]] = _unknown


def method_names() -> tuple[str, ...]:
    """Return the names of all learning methods, those of other packages last."""
    return tuple(dict.fromkeys((*OWN_METHODS, *plugin_names("learner"))))


def method_named(name: str) -> LearningMethod[Any]:
    """Return the learning method with this name.

    Raises ConfigError where there is none, or the package that has it cannot be loaded.
    """
    if name in OWN_METHODS:
        own: LearningMethod[Any] = resolve_name(OWN_METHODS[name])
        return own
    if name not in plugin_names("learner"):
        near = difflib.get_close_matches(name, method_names(), 1)
        advice = f"did you mean {near[0]}?" if near else f"give one of {', '.join(method_names())}"
        raise ConfigError(f"{name}: there is no such learning method; {advice}")
    plugin = plugin_named("learner", name)
    method = plugin.load()
    if not isinstance(method, LearningMethod) or method.name != name:
        raise plugin.refused("is no LearningMethod of this name")
    return method


def method_of(content: Mapping[str, Any]) -> LearningMethod[Any]:
    """Return the learning method of a run from the content of its config.json.

    Raises ConfigError where it is unknown.
    """
    return method_named(str(content["learner"]))
