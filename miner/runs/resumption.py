"""What an interrupted run needs to go on, read from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.errors import ConfigError, KnowledgeError
from agent.gdl import RuleSheet
from agent.knowledge import read_knowledge
from agent.reasoner.machine import load_machine
from miner.learners.evolution.checkpoint import OtherGenesError, unpack_state
from miner.learners.evolution.chromosome import FeatureLists
from miner.learners.evolution.config import RunConfig
from miner.learners.evolution.loop import EvolutionState
from miner.play.prepared_game import PreparedGame
from miner.results.store import RunStore

__all__ = ["Resumption", "read_resumption", "read_settings"]


@dataclass(frozen=True)
class Resumption:
    """An interrupted run as it was at its last checkpoint, or at its beginning."""

    store: RunStore
    game: PreparedGame
    settings: RunConfig
    state: EvolutionState
    features_mined: int | None
    lengths: Mapping[str, int] = field(default_factory=dict)  # rows that each table had

    def cut_tables(self) -> None:
        """Forgets the rows that came after the checkpoint; they come again.

        Raises ConfigError where a table's columns are not those of this version; then nothing is forgotten.
        """
        for table in self.store.tables:
            if self.lengths.get(table.name, 0):
                table.check_columns()
        for table in self.store.tables:
            table.cut(self.lengths.get(table.name, 0))


def read_resumption(folder: Path) -> Resumption:
    """Reads a run's folder; changes nothing there.

    Raises ConfigError where the folder holds no run, or its files are damaged or of other rules; RuleError where the
    game cannot be read any more.
    """
    store, content = RunStore.open(folder)
    settings = read_settings(folder, content)
    game = content["game"]
    machine = load_machine(game["given"])
    if machine.sheet.digest != game["digest"]:
        raise ConfigError(f"{game['given']}: the rules are not those the run began with; restore them, or begin anew")
    prepared = PreparedGame(machine.sheet, machine.circuit)
    checkpoint = store.read_json("checkpoints/state.json")
    if checkpoint is None:
        return Resumption(store, prepared, settings, EvolutionState(), None)
    state, lengths = _read_checkpoint(store, machine.sheet, checkpoint)
    return Resumption(store, prepared, settings, state, checkpoint.get("features_mined"), lengths)


def read_settings(folder: Path, content: dict[str, Any]) -> RunConfig:
    """The configuration in a run's config.json. Raises ConfigError where it is not one of this version."""
    try:
        return RunConfig.model_validate(content["config"])
    except KeyError:
        what = "config: Field required"
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    raise ConfigError(
        f"{folder / 'config.json'}: the configuration is damaged or of another version ({what}); restore the file, or "
        "begin a new run"
    )


def _read_checkpoint(
    store: RunStore, sheet: RuleSheet, checkpoint: dict[str, Any]
) -> tuple[EvolutionState, dict[str, int]]:
    """The state in a checkpoint, and how long each table was."""

    def features(generation: int, name: str) -> tuple[FeatureLists, FeatureLists]:
        knowledge = read_knowledge(store.knowledge_path(generation, name), sheet)
        return knowledge.winning, knowledge.losing

    path = store.folder / "checkpoints/state.json"
    try:
        lengths = {str(name): int(rows) for name, rows in checkpoint["tables"].items()}
        return unpack_state(checkpoint["state"], features), lengths
    except OtherGenesError as error:
        raise ConfigError(
            f"{path}: a checkpoint of another version: {error}; go on with the program that made the run "
            f"({store.maker}), or begin a new run"
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{path}: the checkpoint is damaged or of another version ({type(error).__name__}: {error}); begin a new "
            "run"
        ) from None
    except KnowledgeError as error:
        raise ConfigError(f"{error} (a knowledge file of the run; restore it, or begin a new run)") from None
