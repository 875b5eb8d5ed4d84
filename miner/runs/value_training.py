"""A run's training of a value network, which is a task with as many threads as there are processors."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.geometry import EMPTY
from gdl_miner.agent.values import (
    LearnedWeights,
    RoundSettings,
    RoundTotals,
    ValueLayout,
    Values,
    ValueShape,
    layout_for,
    train_round,
    values_of,
    weights_of,
)
from gdl_miner.miner.play.executor import WorkerTask
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.tables import StepPart
from gdl_miner.miner.runs.run import Run


@dataclass(frozen=True)
class TrainedValues:
    """The result of learning values from games."""

    learned: LearnedWeights
    totals: RoundTotals
    values: Values | None = None  # the weights by name, rounded as in knowledge files


def train_values(
    run: Run,
    step: int,
    title: str,
    shape: ValueShape,
    start: LearnedWeights | Values | None,
    settings: RoundSettings,
) -> TrainedValues:
    """Play a round of self-play, and learn from it.

    Args:
        run: the run.
        step: the step.
        title: shown to people while the games are played.
        shape: the network.
        start: the weights, or weights by name that were learned elsewhere; None: all weights are 0.
        settings: the games, and how they teach.
    """
    begun = time.monotonic()
    run.reporter.working(title)
    weights = weights_from(run.game, shape, start) if isinstance(start, Values) else start
    [trained] = run.on_workers(_train, (shape, weights, run.threads(1)), [WorkerTask(f"g{step:03d}-train", settings)])
    learned, totals = trained
    run.write_time(StepPart(step, "training", None), None, None, time.monotonic() - begun)
    return TrainedValues(learned, totals, values_of(layout_for(run.machine, shape), learned.weights))


def weights_from(game: PreparedGame, shape: ValueShape, values: Values) -> LearnedWeights:
    """Return the weights of values in the layout of a shape; weights that the values do not name are 0.

    The sums that give each weight a step size begin with 0, as a file does not hold them. Raises ConfigError where the
    layout has no place for the values.
    """
    layout = layout_for(game.machine(), shape)
    where = values.place or "values"
    for setting, of_file, of_shape in _properties(layout, values):
        if of_file != of_shape:
            raise ConfigError(
                f"{where}: the values of the file have {setting} {_shown(of_file)}, those of the configuration "
                f"{_shown(of_shape)}; give [values] in the configuration what the file was learned with"
            )
    try:
        weights = weights_of(values, layout)
    except KnowledgeError as problem:
        what, _, _ = str(problem).rpartition("; ")
        raise ConfigError(
            f"{what}; give [values] in the configuration the shapes that the file was learned with"
        ) from None
    return LearnedWeights(weights, np.zeros_like(weights), np.zeros_like(weights))


def _properties(layout: ValueLayout, values: Values) -> list[tuple[str, object, object]]:
    """Return properties that decide which states select which weights: name, those of the values, of the layout."""
    symmetries = [each.name for each in layout.symmetries if not each.is_identity]
    blank = "" if layout.blank == EMPTY else layout.geometry.pieces[layout.blank - 1]
    return [
        ("the stages", list(values.stages), list(layout.stages)),
        ("the symmetries", sorted(values.symmetries), sorted(symmetries)),
        ("constantSum", values.constant_sum, layout.constant_sum),
        ("the blank", values.blank, blank),
    ]


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value) or "none"


def _train(
    game: PreparedGame, shape: ValueShape, start: LearnedWeights | None, threads: int, settings: RoundSettings
) -> tuple[LearnedWeights, RoundTotals]:
    """Play a round and learn from it; without `start`, all weights begin with 0."""
    layout = layout_for(game.machine(), shape)
    return train_round(layout, start or LearnedWeights.new(layout), replace(settings, threads=threads))
