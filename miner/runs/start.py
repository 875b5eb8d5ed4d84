"""The knowledge that a run starts from: a file that is copied into the run's folder, so that the run can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from gdl_miner.agent.errors import ConfigError, KnowledgeError, why_unreadable
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.knowledge import Knowledge, compile_knowledge, knowledge_text, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import compile_values
from gdl_miner.miner.apprentice import carry_over
from gdl_miner.miner.learners.method import LearningMethod
from gdl_miner.miner.learners.settings import RunSettings
from gdl_miner.miner.mining.candidates import candidates_of
from gdl_miner.miner.results.store import RunStore

__all__ = ["RunStart", "kept_start", "read_start", "with_symmetries_of"]

SettingsT = TypeVar("SettingsT", bound=RunSettings)


@dataclass(frozen=True)
class RunStart:
    """The knowledge that a run starts from."""

    given: str  # name of the file that the user gave
    knowledge: Knowledge  # of the run's game, whatever the game of the file was
    digest: str  # hash of start.xml in the run's folder, by which the run's configuration names it
    note: str = ""  # what a user should know of the reading of the file


def read_start(path: Path, machine: Machine, method: LearningMethod[Any, Any]) -> RunStart:
    """Read a knowledge file for a run of a learning method to start from.

    A run that starts from values needs a file of its game. One that starts from features takes what carries over from a
    file of any game.

    Raises KnowledgeError where the file cannot be read, or names what its game does not have, and ConfigError where it
    has nothing from which the run could start.
    """
    if method.starts_from is None:
        raise ConfigError(f"--with {method.name}: its runs begin without knowledge; leave --start out")
    if method.starts_from == "features":
        knowledge, note = _read_features(path, machine)
    else:
        knowledge, note = _read_values(path, machine, or_candidates=method.starts_from == "values or candidates")
    digest = sha256(knowledge_text(knowledge, machine.sheet)).hexdigest()
    return RunStart(str(path.resolve()), knowledge, digest, note)


def _read_values(path: Path, machine: Machine, *, or_candidates: bool) -> tuple[Knowledge, str]:
    knowledge = read_knowledge(path, machine.sheet)
    compile_knowledge(knowledge, machine)
    candidates = sum(map(len, candidates_of(knowledge))) if or_candidates else 0
    if knowledge.values is None and not candidates:
        wanted, methods = "no values of states (<Values>)", "values"
        if or_candidates:
            wanted, methods = f"{wanted} and no features with an <Itemset>", "values|gifl"
        raise ConfigError(
            f"{path}: the file has {wanted}, from which a run could start; learn some with "
            f"`miner learn --with {methods} --game {machine.sheet.name}`"
        )
    if knowledge.values is not None:
        compile_values(knowledge.values, machine)
    return knowledge, f"{candidates} features with conditions take part in every fit" if candidates else ""


def _read_features(path: Path, machine: Machine) -> tuple[Knowledge, str]:
    """Return the features of a file as far as they carry over, values only of the same game, and a note on the rest."""
    given, sheet = read_knowledge(path), machine.sheet
    same_game = given.digest in ("", sheet.digest)
    if same_game:
        given = read_knowledge(path, sheet)
        compile_knowledge(given, machine)
        if given.values is not None:
            compile_values(given.values, machine)
    values = given.values if same_game else None
    if not given.n_features and values is None:
        raise ConfigError(
            f"{path}: the file has no features and no values of states of {sheet.name}, from which a run could start; "
            f"learn some with `miner learn --with expert-iteration --game {sheet.name}`"
        )
    try:
        found = carry_over(given, machine, same_game=same_game)
    except KnowledgeError as error:
        raise KnowledgeError(f"{path}: {error}") from None
    source = given.game or "an unnamed game"
    if not found.knowledge.n_features and values is None:
        raise ConfigError(
            f"{path}: none of the {given.n_features} features of {source} carries over to {sheet.name}: "
            f"{found.reasons or 'their weights cancel each other'}; give a file of a game with like pieces"
        )
    said = [f"{found.carried} of {given.n_features} features of {source} carry over to {sheet.name}"]
    said += [f"left out: {found.reasons}"] if found.left_out else []
    if given.values is not None:
        said.append("left out: values of states" if values is None else "its values of states stand in for playouts")
    said += [f"no symmetry of {sheet.name}: '{name}'" for name in found.lost]
    return replace(found.knowledge, values=values), "; ".join(said)


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
