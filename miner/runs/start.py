"""The knowledge that a run starts from: a file that is copied into the run's folder, so that the run can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from gdl_miner.agent.errors import ConfigError, why_unreadable
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.knowledge import Knowledge, compile_knowledge, knowledge_text, read_knowledge
from gdl_miner.agent.reading import read_bounded
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.released import knowledge_file
from gdl_miner.agent.values import compile_values
from gdl_miner.miner.mining.candidates import candidates_of
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.runs.method import LearningMethod
from gdl_miner.miner.runs.settings import LearnerSettings

SettingsT = TypeVar("SettingsT", bound=LearnerSettings)


@dataclass(frozen=True)
class RunStart:
    """The knowledge that a run starts from."""

    given: str  # name of the file that the user gave
    knowledge: Knowledge  # of the run's game, whatever the game of the file was
    digest: str  # hash of start.xml in the run's folder, by which the run's configuration names it
    note: str = ""  # what a user should know of the reading of the file


def read_start(path: Path, machine: Machine, method: LearningMethod[Any]) -> RunStart:
    """Read a knowledge file, or released knowledge of the game by its level, for a run of a method to start from.

    Raises KnowledgeError where the file cannot be read, or names what its game does not have, and ConfigError where it
    has nothing from which the run could start.
    """
    if method.starts_from is None:
        raise ConfigError(f"--with {method.name}: its runs begin without knowledge; leave --start out")
    path = knowledge_file(path, machine.sheet)
    knowledge, note = method.starts_from(path, machine)
    digest = sha256(knowledge_text(knowledge, machine.sheet)).hexdigest()
    return RunStart(str(path.resolve()), knowledge, digest, note)


def read_values(path: Path, machine: Machine) -> tuple[Knowledge, str]:
    """Read a knowledge file of a game that has values of states. Raises as `read_start` does."""
    knowledge = _read_checked(path, machine)
    if knowledge.values is None:
        raise _nothing(path, machine, "no values of states (<Values>)", "values")
    return knowledge, ""


def read_values_or_candidates(path: Path, machine: Machine) -> tuple[Knowledge, str]:
    """Read a knowledge file of a game that has values of states, or features."""
    knowledge = _read_checked(path, machine)
    candidates = [itemset for role in candidates_of(knowledge) for _, itemset in role]
    if knowledge.values is None and not candidates:
        raise _nothing(path, machine, "no values of states (<Values>) and no features", "values|gifl|expert-iteration")
    if not candidates:
        return knowledge, ""
    conditions = sum(itemset is not None for itemset in candidates)
    said = f"{len(candidates)} features of the file are candidates where features evolve"
    return knowledge, f"{said}, {conditions} of them with conditions" if conditions else said


def _read_checked(path: Path, machine: Machine) -> Knowledge:
    knowledge = read_knowledge(path, machine.sheet)
    compile_knowledge(knowledge, machine)
    if knowledge.values is not None:
        compile_values(knowledge.values, machine)
    return knowledge


def _nothing(path: Path, machine: Machine, wanted: str, methods: str) -> ConfigError:
    return ConfigError(
        f"{path}: the file has {wanted}, from which a run could start; learn some with "
        f"`miner learn --with {methods} --game {machine.sheet.name}`"
    )


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
        given, digest, text = str(described["given"]), str(described["digest"]), read_bounded(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read: {why_unreadable(error)}; restore the file") from None
    except (KeyError, TypeError):
        raise ConfigError(f"{store.folder / 'config.json'}: the key start is damaged; restore the file") from None
    if sha256(text).hexdigest() != digest:
        raise ConfigError(f"{path}: not the knowledge that the run began with; restore the file")
    return RunStart(given, read_knowledge(path, sheet), digest)
