"""One round of learning: an apprentice is told how well it foresaw the expert, learns from experience, and grows."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gdl_miner.agent.features import Feature, FeatureRelPattern
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.expert_iteration.descent import DescentSettings, descend
from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.growth import GrowthKind, PatternGrowth
from gdl_miner.miner.learners.expert_iteration.policy import SoftmaxPolicy, log_softmax
from gdl_miner.miner.learners.expert_iteration.trial import held_out, useful
from gdl_miner.miner.mining import elementary
from gdl_miner.miner.mining.activity import count_activity
from gdl_miner.miner.mining.sharing import FeatureSharing

_TRIED = 4  # candidates for each new feature, of which examples held out decide


@dataclass(frozen=True)
class PolicyTraining:
    """How an apprentice learns from experience, and how it grows afterwards."""

    seed: int
    descent: DescentSettings
    growth: GrowthKind
    new_features: int  # for each role with features of its own, at most
    growth_batch: int  # examples, drawn from the experience, in which features must fire together


@dataclass(frozen=True)
class PolicyError:
    """Sums over examples that an apprentice has not learned from: how it foresaw what the expert does."""

    examples: int = 0
    alternatives: int = 0
    cross_entropy: float = 0.0  # nats
    expert_entropy: float = 0.0  # nats; no apprentice can have a smaller cross-entropy
    squared_error: float = 0.0  # of the probabilities of all alternatives

    def __add__(self, other: PolicyError) -> PolicyError:
        return PolicyError(
            self.examples + other.examples,
            self.alternatives + other.alternatives,
            self.cross_entropy + other.cross_entropy,
            self.expert_entropy + other.expert_entropy,
            self.squared_error + other.squared_error,
        )


@dataclass(frozen=True, eq=False)
class TrainedPolicy:
    """The result of a round of learning."""

    policy: SoftmaxPolicy
    error: PolicyError  # of the policy before, in the new examples
    added: tuple[tuple[Feature, ...], ...]  # [role] features that the policy has grown by


def train_policy(
    machine: Machine,
    sharing: FeatureSharing,
    policy: SoftmaxPolicy,
    experience: Experience,
    new: int,
    training: PolicyTraining,
) -> TrainedPolicy:
    """Let an apprentice learn from experience and grow.

    Args:
        machine: the game.
        sharing: the symmetries over which features are shared.
        policy: the apprentice.
        experience: all examples that are remembered.
        new: number of the latest of them, from which the apprentice has not learned yet.
        training: how it learns and grows.
    """
    roles = [role for role in range(len(machine.roles)) if sharing.owners[role] == role]
    n_roles, counts = len(machine.roles), {}
    for role in roles:
        batch = experience.of_owner(role).batch(n_roles)
        counts[role] = count_activity(policy.features[role], role, sharing, machine, batch)
    error = sum((_foreseen(policy, experience, counts[role], role, new) for role in roles), start=PolicyError())
    held = held_out(experience) if training.growth == "held out" else np.zeros(len(experience), np.bool_)
    learned = descend(
        {role: policy.weights[role] for role in roles},
        {role: policy.velocities[role] for role in roles},
        {role: _counts_of(counts[role], experience, role, ~held) for role in roles} if held.any() else counts,
        experience.at(np.flatnonzero(~held)) if held.any() else experience,
        training.descent,
        random.Random(derive_seed(training.seed, "descent")),
    )
    weights, velocities = (tuple(by_role.get(role, np.zeros(0)) for role in range(n_roles)) for by_role in learned)
    trained = SoftmaxPolicy(policy.features, weights, velocities)
    added = tuple(
        _grown(machine, sharing, trained, experience, held, counts[role], role, training) if role in counts else ()
        for role in range(n_roles)
    )
    return TrainedPolicy(trained.grown(added), error, added)


def _counts_of(counts: csr_matrix, experience: Experience, role: int, chosen: NDArray[np.bool_]) -> csr_matrix:
    """Return the rows of a role's alternatives in the chosen examples."""
    own = experience.owners == role
    return counts[np.flatnonzero(np.repeat(chosen[own], np.diff(experience.start)[own]))]


def _foreseen(policy: SoftmaxPolicy, experience: Experience, counts: csr_matrix, role: int, new: int) -> PolicyError:
    """Return how a policy foresees the expert in the latest examples, as far as they are those of a role."""
    is_new = np.arange(len(experience)) >= len(experience) - new
    mine = np.flatnonzero(is_new[experience.owners == role])
    own = experience.of_owner(role)
    if not len(mine):
        return PolicyError()
    examples, fired = own.at(mine), counts[own.alternatives_of(mine)]
    log_policy = log_softmax(np.asarray(fired @ policy.weights[role]), examples.start)
    chosen, shares = examples.shares > 0, examples.shares
    return PolicyError(
        len(examples),
        len(shares),
        -float(np.add.reduce(shares * log_policy)),
        -float(np.add.reduce(shares[chosen] * elementary.log(shares[chosen]))),
        float(np.add.reduce((elementary.exp(log_policy) - shares) ** 2)),
    )


def _grown(
    machine: Machine,
    sharing: FeatureSharing,
    policy: SoftmaxPolicy,
    experience: Experience,
    held: NDArray[np.bool_],
    counts: csr_matrix,
    role: int,
    training: PolicyTraining,
) -> tuple[Feature, ...]:
    """Return the features that a role grows by; examples that are held out only decide which of them are kept."""
    dice = random.Random(derive_seed(training.seed, "growth", role))
    own, held = experience.of_owner(role), held[experience.owners == role]
    learned = np.flatnonzero(~held).tolist()
    drawn = np.array(sorted(dice.sample(learned, min(training.growth_batch, len(learned)))), np.int64)
    if not len(drawn):
        return ()
    examples, features = own.at(drawn), policy.features[role]
    fired = counts[own.alternatives_of(drawn)]
    log_policy = log_softmax(np.asarray(fired @ policy.weights[role]), examples.start)
    errors = examples.shares - elementary.exp(log_policy)
    places = [place for place, each in enumerate(features) if isinstance(each, FeatureRelPattern)]
    patterns = [each for each in features if isinstance(each, FeatureRelPattern)]
    growth = PatternGrowth(patterns, policy.weights[role][places], role, sharing, machine, examples, errors)
    if training.growth != "held out":
        return growth.grow(training.growth, training.new_features, dice)
    candidates = growth.grow(training.growth, _TRIED * training.new_features, dice)
    active = count_activity(candidates, role, sharing, machine, own.batch(len(machine.roles)))
    kept = useful(active, np.asarray(counts @ policy.weights[role]), own, held, training.new_features)
    return tuple(candidates[number] for number in kept)
