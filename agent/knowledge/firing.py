"""The features of a knowledge file that fire for (state, move) pairs, as the native scorer decides it in play."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from gdl_miner.agent import _native
from gdl_miner.agent.features import MoveBatch, WeightedFeature
from gdl_miner.agent.geometry import GameMachine
from gdl_miner.agent.knowledge.compilation import compile_knowledge
from gdl_miner.agent.knowledge.knowledge import Knowledge
from gdl_miner.agent.knowledge.parameters import Parameters
from gdl_miner.agent.knowledge.scoring import UNIT, Phase

_AT_ONCE = 24  # features per score: each feature sets its own bit of the score


def firing(features: Sequence[WeightedFeature], role: int, machine: GameMachine, batch: MoveBatch) -> csr_matrix:
    """Return a [sample, feature] Boolean matrix: which features of a role fire for which samples.

    The samples are moves of the role. A feature with an itemset fires only where the itemset holds. Weights do not
    matter. A feature stands for itself alone here, not for its images under symmetries.

    Raises:
        ValueError: the samples of the batch are not in the order of their states.
        KnowledgeError: a feature names something that the game does not have.
    """
    if (np.diff(batch.state_index) < 0).any():
        raise ValueError("the samples of the batch are not in the order of their states; sort them")
    start = np.searchsorted(batch.state_index, np.arange(len(batch.states) + 1)).astype(np.int64)
    columns = [csr_matrix(np.zeros((len(batch.row), 0), dtype=np.bool_))]
    for first in range(0, len(features), _AT_ONCE):
        some = features[first : first + _AT_ONCE]
        scorer = _native.Scorer(compile_knowledge(_bitwise(some, role, machine), machine))
        scores = scorer.score(int(Phase.SELECTION), role, batch.states, batch.last_rows, start, batch.row)
        columns.append(csr_matrix(_bits(scores - np.uint32(1), len(some))))
    matrix = csr_matrix(hstack(columns, format="csr"))
    matrix.sort_indices()
    return matrix


def _bitwise(features: Sequence[WeightedFeature], role: int, machine: GameMachine) -> Knowledge:
    """Return knowledge under which a move scores 1 + the sum of 2^i over the features i that fire, in units."""
    roles = tuple(machine.circuit.roles)
    nothing: tuple[tuple[WeightedFeature, ...], ...] = ((),) * len(roles)
    own = tuple(replace(each, weight=2**bit / UNIT) for bit, each in enumerate(features))
    lists = tuple(own if number == role else () for number in range(len(roles)))
    return Knowledge("", "", roles, lists, nothing, Parameters(base_value=1 / UNIT))


def _bits(scores: NDArray[np.uint32], count: int) -> NDArray[np.bool_]:
    """Return the lowest `count` bits of the scores as a [sample, bit] Boolean matrix."""
    return ((scores[:, None] >> np.arange(count, dtype=np.uint32)) & np.uint32(1)).astype(np.bool_)
