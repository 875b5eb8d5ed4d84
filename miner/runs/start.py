"""The knowledge that a run starts from: a file that is copied into the run's folder, so that the run can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from agent.errors import ConfigError, why_unreadable
from agent.gdl import RuleSheet
from agent.knowledge import Knowledge, compile_knowledge, knowledge_text, read_knowledge
from agent.reasoner.machine import Machine
from agent.values import compile_values
from miner.learners.settings import RunSettings
from miner.results.store import RunStore

__all__ = ["RunStart", "kept_start", "read_start", "with_symmetries_of"]

SettingsT = TypeVar("SettingsT", bound=RunSettings)


@dataclass(frozen=True)
class RunStart:
    """The knowledge that a run starts from."""

    given: str  # name of the file that the user gave
    knowledge: Knowledge
    digest: str  # hash of start.xml in the run's folder, by which the run's configuration names it


def read_start(path: Path, machine: Machine) -> RunStart:
    """Read a knowledge file with values for a run to start from.

    Raises KnowledgeError where the file cannot be read or is not of the game, and ConfigError where it has no values.
    """
    knowledge = read_knowledge(path, machine.sheet)
    compile_knowledge(knowledge, machine)
    if knowledge.values is None:
        raise ConfigError(
            f"{path}: the file has no values of states (<Values>), from which a run could start; learn some with "
            f"`miner learn --with values --game {machine.sheet.name}`"
        )
    compile_values(knowledge.values, machine)
    return RunStart(str(path.resolve()), knowledge, sha256(knowledge_text(knowledge, machine.sheet)).hexdigest())


def with_symmetries_of(start: RunStart | None, settings: SettingsT) -> SettingsT:
    """Return the settings of a run in which the features of the start stand for the same images as in its file."""
    if start is None or not start.knowledge.n_features:
        return settings
    mining = replace(settings.mining, symmetries=start.knowledge.symmetries)
    return settings.model_copy(update={"mining": mining})


def kept_start(store: RunStore, content: Mapping[str, Any], sheet: RuleSheet) -> RunStart | None:
    """Return the knowledge that a run started from, by its folder and its config.json; None where there is none.

    Raises ConfigError where start.xml is missing or is not the file that the run began with.
    """
    described, path = content.get("start"), store.start_path
    if described is None:
        return None
    try:
        given, digest, text = str(described["given"]), str(described["digest"]), path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {why_unreadable(error)}; restore the file") from None
    except (KeyError, TypeError):
        raise ConfigError(f"{store.folder / 'config.json'}: the key start is damaged; restore the file") from None
    if sha256(text).hexdigest() != digest:
        raise ConfigError(f"{path}: not the knowledge that the run began with; restore the file")
    return RunStart(given, read_knowledge(path, sheet), digest)
