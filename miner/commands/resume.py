"""`miner resume`: an interrupted run goes on as if nothing had happened."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from agent.errors import ConfigError, KnowledgeError
from agent.gdl import RuleSheet
from agent.knowledge import read_knowledge
from agent.reasoner.machine import load_machine
from miner.commands.workplace import Address, ExecutorKind, Executors, Workers, conclude, interruptible, open_executor
from miner.config import RunConfig
from miner.environment import program_version
from miner.evolution.checkpoint import unpack_state
from miner.evolution.chromosome import FeatureLists
from miner.evolution.evaluation import PreparedGame
from miner.evolution.loop import EvolutionState
from miner.reporting import reporter_for
from miner.results.store import RunStore
from miner.run import Run

__all__ = ["resume"]


def resume(
    run: Annotated[Path, typer.Argument(help="The folder of the run.", metavar="RUN")],
    workers: Workers = None,
    executor: Executors = ExecutorKind.ray,
    address: Address = None,
) -> None:
    """Continue an interrupted run where it was: after Ctrl-C, a crash, a full disk or a lost machine.

    Game, configuration and seed are those of the run; only where the work is done may change. The results are the same
    bytes that an undisturbed run gives.
    """
    store, content = RunStore.open(run)
    if (run / "champion.json").exists():
        print(f"{run}: the run is complete")
        return
    settings = _settings(run, content)
    reporter = reporter_for()
    try:
        game = content["game"]
        machine = load_machine(game["given"], progress=reporter.note)
        if machine.sheet.digest != game["digest"]:
            raise ConfigError(
                f"{game['given']}: the rules are not those the run began with; restore them, or begin anew"
            )
        state, features_mined = _state(store, machine.sheet)
        reporter.note(f"resuming {run} in generation {state.generation}")
        workplace = open_executor(executor, workers, address, settings.execution.deadline_s)
    except BaseException:
        reporter.close()
        raise
    with interruptible(run, workplace, reporter):
        prepared = PreparedGame(machine.sheet, machine.circuit)
        Run(prepared, settings, store, workplace, reporter, program_version(), state, features_mined).execute()
        conclude(run, reporter)


def _settings(run: Path, content: dict[str, Any]) -> RunConfig:
    try:
        return RunConfig.model_validate(content["config"])
    except (KeyError, ValidationError) as error:
        raise ConfigError(
            f"{run / 'config.json'}: the configuration is damaged or of another version ({type(error).__name__}); "
            "restore the file, or begin a new run"
        ) from None


def _state(store: RunStore, sheet: RuleSheet) -> tuple[EvolutionState, int | None]:
    """The state at the last checkpoint; tables are cut back to it."""
    checkpoint = store.read_json("checkpoints/state.json")
    if checkpoint is None:
        raise ConfigError(f"{store.folder}: the run ended before its first checkpoint; begin it anew in another folder")

    def features(generation: int, name: str) -> tuple[FeatureLists, FeatureLists]:
        knowledge = read_knowledge(store.knowledge_path(generation, name), sheet)
        return knowledge.winning, knowledge.losing

    try:
        state = unpack_state(checkpoint["state"], features)
        lengths = {str(name): int(length) for name, length in checkpoint["tables"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"{store.folder / 'checkpoints/state.json'}: the checkpoint is damaged or of another version ({error}); "
            "begin a new run"
        ) from None
    except KnowledgeError as error:
        raise ConfigError(
            f"{error} (a knowledge file of the run was changed; restore it, or begin a new run)"
        ) from None
    for table in store.tables:
        table.cut(lengths.get(table.name, 0))
    return state, checkpoint.get("features_mined")
