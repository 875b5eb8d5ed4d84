"""Measurements of a knowledge file's features: matches, results that follow, and their part in its judgement.

The knowledge's judgement of a choice is the distribution over the legal moves in proportion to their scores. A
feature's *contribution* is how much worse that distribution predicts the visits of the searches when the feature is
taken away and everything else stays: the increase of the cross-entropy, as a share of what is avoidable at all (the
cross-entropy of a uniform choice less that of the searches themselves). If several features say the same, each of them
alone seems dispensable and contributes little.

With exponential scoring the judgement uses impact 1, the scale on which weights are fitted, because impact sharpens the
whole distribution alike. With additive scoring it uses the scores as they are, because the base value has their scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gdl_miner.agent.features import MoveBatch, WeightedFeature
from gdl_miner.agent.geometry import Symmetry
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.knowledge.firing import firing
from gdl_miner.agent.knowledge.sharing import images, symmetries_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.mining.counts import Evidence, count_decisions, evidence
from gdl_miner.miner.mining.statistics import result_shares
from gdl_miner.miner.usefulness.judgement import contributions, elimination_order
from gdl_miner.miner.usefulness.observations import Observations

ListedFeature: TypeAlias = tuple[WeightedFeature, bool]  # a feature, and whether it is in the winning list


@dataclass(frozen=True)
class FeatureUse:
    """One feature of a knowledge file, and its measurements."""

    entry: WeightedFeature
    winning: bool  # in the winning list of its role
    weight: float  # effective and signed: × class weight × side weight × impact
    support: int  # moves made for which it fired
    match_rate: float  # support as a share of all moves made where there was a choice
    offered: float  # share of the legal moves for which it fires
    payoff: float | None  # mean goal of the role after a move for which it fired; None without such a move
    phi: float  # correlation of firing with winning
    p_value: float  # of phi; every match is a cluster
    contribution: float  # share of the avoidable cross-entropy; negative where the feature misleads
    error: float  # standard error of the contribution; every match is a cluster


@dataclass(frozen=True)
class RoleUse:
    """All features of one role, best first."""

    role: str
    features: tuple[FeatureUse, ...]
    decisions: int
    choices: int
    explained: float  # share of the avoidable cross-entropy that the whole knowledge removes
    payoff: float  # mean goal of the role in the matches


def measure(knowledge: Knowledge, machine: Machine, observations: Observations) -> tuple[RoleUse, ...]:
    """Measure every feature of every role on the same observations."""
    return tuple(_measure_role(knowledge, machine, observations, role) for role in range(len(machine.roles)))


def rank(knowledge: Knowledge, machine: Machine, observations: Observations) -> tuple[tuple[ListedFeature, ...], ...]:
    """Return [role] its features, best first, by backward elimination (`elimination_order`).

    A feature and its images under symmetries are one.
    """
    return tuple(_rank_role(knowledge, machine, observations, role) for role in range(len(machine.roles)))


def roles_with_features(knowledge: Knowledge, uses: Sequence[RoleUse]) -> tuple[RoleUse, ...]:
    """Return the roles that a person wants to see: all but those whose features are images of another role's."""
    return tuple(role for role in uses if role.features or not knowledge.symmetries)


def effective_weight(knowledge: Knowledge, entry: WeightedFeature, *, winning: bool) -> float:
    """Signed weight with all factors of the parameters."""
    parameters = knowledge.parameters
    classes = parameters.itemset_class_weights if entry.itemset else parameters.class_weights
    side = parameters.winning_weight if winning else -parameters.losing_weight
    return entry.weight * classes.get(entry.feature.element, 1.0) * side * parameters.impact


def _measure_role(knowledge: Knowledge, machine: Machine, observations: Observations, role: int) -> RoleUse:
    seen = observations.roles[role]
    entries, weights = _listed(knowledge, role)
    features, keeping = [each for each, _ in entries], _keeping(knowledge, machine, role)
    made = _times(features, keeping, role, machine, seen.moves) > 0
    legal = _times(features, keeping, role, machine, seen.alternatives)
    judged = contributions(legal, weights, seen, knowledge.parameters)
    goals = np.clip(observations.goals[:, role], 0, None)
    fired = np.asarray(made.sum(axis=0)).ravel().astype(np.int64)
    offered = np.asarray((legal > 0).sum(axis=0)).ravel() / max(1, legal.shape[0])
    won = np.asarray(goals[seen.move_match].astype(np.float64) @ made).ravel()
    correlation = _correlation(made, seen.move_match, result_shares(observations.goals)[:, role])
    uses = [
        FeatureUse(
            entry=entry,
            winning=winning,
            weight=float(weights[i]),
            support=int(fired[i]),
            match_rate=float(fired[i]) / max(1, made.shape[0]),
            offered=float(offered[i]),
            payoff=float(won[i]) / int(fired[i]) if fired[i] else None,
            phi=float(correlation.phi[i]),
            p_value=float(correlation.p_value[i]),
            contribution=float(judged.contribution[i]),
            error=float(judged.error[i]),
        )
        for i, (entry, winning) in enumerate(entries)
    ]
    return RoleUse(
        role=machine.roles[role],
        features=tuple(sorted(uses, key=_best_first)),
        decisions=made.shape[0],
        choices=len(seen.start) - 1,
        explained=judged.explained,
        payoff=float(goals.mean()) if len(goals) else 0.0,
    )


def _rank_role(
    knowledge: Knowledge, machine: Machine, observations: Observations, role: int
) -> tuple[ListedFeature, ...]:
    seen = observations.roles[role]
    entries, weights = _listed(knowledge, role)
    legal = _times([each for each, _ in entries], _keeping(knowledge, machine, role), role, machine, seen.alternatives)
    return tuple(entries[place] for place in elimination_order(legal, weights, seen, knowledge.parameters))


def _listed(knowledge: Knowledge, role: int) -> tuple[list[ListedFeature], NDArray[np.float64]]:
    """Return the features of both lists of a role, and their effective weights."""
    entries = [(each, True) for each in knowledge.winning[role]] + [(each, False) for each in knowledge.losing[role]]
    return entries, np.array([effective_weight(knowledge, each, winning=winning) for each, winning in entries])


def _keeping(knowledge: Knowledge, machine: Machine, role: int) -> list[Symmetry]:
    """Return the symmetries of the knowledge that leave a role as it is, the identity first."""
    return [each for each in symmetries_of(knowledge, machine) if each.roles[role] == role]


def _times(
    features: Sequence[WeightedFeature], symmetries: Sequence[Symmetry], role: int, machine: Machine, moves: MoveBatch
) -> csr_matrix:
    """Return [move, feature] how many images of a feature fire for a move."""
    found = [images(each, symmetries) for each in features]
    every = [image for own in found for image in own]
    owner = np.repeat(np.arange(len(features)), [len(own) for own in found])
    ones = np.ones(len(every), np.int32)
    owned = csr_matrix((ones, (np.arange(len(every)), owner)), shape=(len(every), len(features)))
    return csr_matrix(firing(every, role, machine, moves).astype(np.int32) @ owned)


def _best_first(use: FeatureUse) -> tuple[float, float, str]:
    return -use.contribution, -abs(use.weight), repr(use.entry)


def _correlation(made: csr_matrix, match: NDArray[np.int64], shares: NDArray[np.int64]) -> Evidence[int]:
    """Evidence about every column of decisions × features; decision d belongs to match `match[d]`."""
    columns = tuple(range(made.shape[1]))
    counts = count_decisions(columns, made.indptr.astype(np.int64), made.indices.astype(np.int32), match, shares)
    return evidence([counts], [1.0])
