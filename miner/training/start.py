"""Training that goes on from the values of a knowledge file."""

from __future__ import annotations

import numpy as np

from gdl_miner.agent.errors import ConfigError, KnowledgeError
from gdl_miner.agent.geometry import EMPTY
from gdl_miner.agent.values import LearnedWeights, ValueLayout, Values, ValueShape, layout_for, weights_of
from gdl_miner.miner.play.prepared_game import PreparedGame

__all__ = ["weights_from"]


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
