"""The apprentice in plain Python, from its definitions: what fires, the gradient, and the scores of pairs."""

import math
from collections.abc import Sequence

from gdl_miner.agent.features import Feature
from gdl_miner.agent.geometry import Position, geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.mining.activity import FeatureImages
from gdl_miner.miner.mining.sharing import FeatureSharing


def counts_of(
    features: Sequence[Feature], role: int, sharing: FeatureSharing, machine: Machine, experience: Experience
) -> list[list[list[int]]]:
    """Return [example][move][feature] how many images of a feature fire."""
    images = FeatureImages.of(features, role, sharing)
    found = []
    for example, state in enumerate(experience.states):
        position = Position.of(geometry_of(machine), state)
        rows = experience.rows[experience.start[example] : experience.start[example + 1]].tolist()
        of_moves = []
        for row in rows:
            counts = [0] * len(features)
            for instance, owner in zip(images.instances, images.owners.tolist(), strict=True):
                counts[owner] += instance.fires(position, row)
            of_moves.append(counts)
        found.append(of_moves)
    return found


def softmax(weights: Sequence[float], counts: list[list[int]]) -> list[float]:
    """Return the policy over the moves of one example."""
    values = [sum(w * c for w, c in zip(weights, own, strict=True)) for own in counts]
    largest = max(values)
    exponentials = [math.exp(value - largest) for value in values]
    return [each / sum(exponentials) for each in exponentials]


def gradient(
    weights: Sequence[float], counts: list[list[list[int]]], shares: list[list[float]], penalty: float
) -> list[float]:
    """Return the gradient of the mean cross-entropy and of the penalty, formula (6)."""
    slope = [penalty * weight for weight in weights]
    for of_moves, wanted in zip(counts, shares, strict=True):
        policy = softmax(weights, of_moves)
        for feature in range(len(weights)):
            error = sum((p - q) * own[feature] for p, q, own in zip(policy, wanted, of_moves, strict=True))
            slope[feature] += error / len(counts)
    return slope


def pearson(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the correlation of two variables, 0 where one of them is constant."""
    n = len(one)
    mean_one, mean_other = sum(one) / n, sum(other) / n
    covariance = sum((a - mean_one) * (b - mean_other) for a, b in zip(one, other, strict=True))
    spread = math.sqrt(sum((a - mean_one) ** 2 for a in one) * sum((b - mean_other) ** 2 for b in other))
    return covariance / spread if spread > 1e-12 else 0.0


def score(one: Sequence[int], other: Sequence[int], errors: Sequence[float]) -> float:
    """Return formula (7) for two instances, given for which samples each fires."""
    both = [a * b for a, b in zip(one, other, strict=True)]
    return abs(pearson(errors, both)) * (1 - max(pearson(both, one), pearson(both, other)))
