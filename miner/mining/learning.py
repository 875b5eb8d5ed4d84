"""Learning by an individual: its policy makes new feature lists from its own and from mined ones (thesis 4.3.1).

Both policies give every mined feature a signed weight; positive goes to the winning list, negative to the losing one.
`phi` takes features whose correlation with winning is significant and weighs them by |phi|, with their itemsets, as the
thesis does; it goes with additive scoring. `softmax` takes the log-weights of the joint fit, shrunk where they are not
certain; it goes with exponential scoring.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import Feature, Itemset, WeightedFeature
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.miner.mining.mine import FittedItemset, MinedFeature, MinedKnowledge
from gdl_miner.miner.mining.sharing import canonical

PolicyKind = Literal["phi", "softmax"]
SCORING: Mapping[PolicyKind, Literal["additive", "exponential"]] = {"phi": "additive", "softmax": "exponential"}

_DIGITS = 4  # decimals of a weight
_Key = tuple[Feature, Itemset | None]


class LearnedFeatures(NamedTuple):
    """The features of an individual, largest weight first in each list."""

    winning: tuple[tuple[WeightedFeature, ...], ...]  # [role]
    losing: tuple[tuple[WeightedFeature, ...], ...]  # [role]


@dataclass(frozen=True)
class LearningPolicy:
    """A rule by which an individual turns mined features into weights."""

    kind: PolicyKind = "softmax"
    phi_threshold: float = 0.0  # phi: the |phi| of a feature that it takes in exceeds this
    max_q: float = 0.05  # phi: greatest q-value it takes in
    shrink: float = 1.0  # softmax: a weight w of standard error e becomes w · w² / (w² + shrink · e²)
    itemsets: bool = True  # features carry the itemsets found for them: by phi, or restrictions that the fit took

    def __post_init__(self) -> None:
        if self.kind not in SCORING:
            raise ConfigError(f"there is no learning policy {self.kind!r}; the policies are {', '.join(SCORING)}")
        if self.shrink < 0:
            raise ConfigError(f"shrink is {self.shrink}; give 0 or more")


def reads_fit(kind: PolicyKind) -> bool:
    """Return whether a policy takes the weights of the joint fit."""
    return kind == "softmax"


def suitable_parameters(kind: PolicyKind, max_features: int) -> Parameters:
    """Parameters with which features learned by a policy help bare UCT on every game measured.

    Root visits after few playouts understate how much better a move is; three times the fitted weights predict best
    what a search of ten times the playouts prefers. A phi of 0.05 is a strong feature, so that policy needs a large
    impact against the base value 1. Guiding the selection costs nearly no time.
    """
    softmax = kind == "softmax"
    return Parameters(
        max_features=max_features,
        scoring=SCORING[kind],
        impact=3.0 if softmax else 10.0,
        exploration="puct" if softmax else "ucb",
        bias=50.0,
        fade=0.5,
        features_in_playouts=False,
    )


class _Belief(NamedTuple):
    weight: float  # signed
    usefulness: float  # orders features when the list is full


def empty_lists(n_roles: int) -> LearnedFeatures:
    """The lists of an individual without knowledge."""
    return LearnedFeatures(((),) * n_roles, ((),) * n_roles)


def learn(
    own: LearnedFeatures,
    mined: MinedKnowledge,
    policy: LearningPolicy,
    *,
    max_features: int,
    learning_factor: float,
) -> LearnedFeatures:
    """Mix own and mined weights and keep the best of the union: at most `max_features` in each list of each role.

    A weight becomes (1 - learning_factor) · own + learning_factor · mined, where a feature has weight 0 on a side
    that lacks it. An individual without features of a role takes the mined features as they are.
    """
    winning, losing = [], []
    for role in range(len(mined.roles)):
        old = _own_beliefs(own, role)
        new = _mined_beliefs(mined.features[role], policy)
        beliefs = _mix(old, new, learning_factor)
        winning.append(_best(beliefs, 1, max_features))
        losing.append(_best(beliefs, -1, max_features))
    return LearnedFeatures(tuple(winning), tuple(losing))


def _own_beliefs(own: LearnedFeatures, role: int) -> dict[_Key, float]:
    beliefs: dict[_Key, float] = {}
    for sign, features in ((1, own.winning[role]), (-1, own.losing[role])):
        for each in features:
            key = (each.feature, each.itemset)
            beliefs[key] = beliefs.get(key, 0.0) + sign * each.weight
    return beliefs


def _mined_beliefs(mined: Iterable[MinedFeature], policy: LearningPolicy) -> dict[_Key, _Belief]:
    """Signed weights by the policy; the usefulness is |phi|, or the gain of the fitted weight, shrunk like it."""
    beliefs: dict[_Key, _Belief] = {}
    for each in mined:
        if policy.kind == "softmax":
            if each.fitted and each.weight != 0:
                beliefs[each.feature, None] = _shrunk(each, policy)
            if policy.itemsets:
                restricted = (known for known in each.fitted_itemsets if known.weight != 0)
                beliefs.update({(each.feature, known.itemset): _shrunk(known, policy) for known in restricted})
            continue
        backed = policy.itemsets and each.itemset is not None
        phi = each.itemset_phi if backed else each.phi
        if abs(phi) > policy.phi_threshold and (backed or each.q_value <= policy.max_q):
            beliefs[each.feature, each.itemset if backed else None] = _Belief(phi, abs(phi))
    return beliefs


def _shrunk(fitted: MinedFeature | FittedItemset, policy: LearningPolicy) -> _Belief:
    trust = fitted.weight**2 / (fitted.weight**2 + policy.shrink * fitted.error**2)
    return _Belief(fitted.weight * trust, fitted.gain * trust)


def _mix(old: Mapping[_Key, float], new: Mapping[_Key, _Belief], factor: float) -> dict[_Key, _Belief]:
    """Mix the weights; a feature of the old side alone counts as useful as a new one of its weight typically is."""
    if not old:
        return dict(new)
    size = sum(abs(belief.weight) for belief in new.values())
    typical = sum(belief.usefulness for belief in new.values()) / size if size > 0 else 1.0
    mixed = {}
    for key in [*old, *(key for key in new if key not in old)]:
        known = new.get(key)
        weight = (1.0 - factor) * old.get(key, 0.0) + factor * (known.weight if known else 0.0)
        per_weight = known.usefulness / abs(known.weight) if known and known.weight else typical
        mixed[key] = _Belief(weight, per_weight * abs(weight))
    return mixed


def _best(beliefs: Mapping[_Key, _Belief], sign: int, limit: int) -> tuple[WeightedFeature, ...]:
    rounded = [(key, round(sign * belief.weight, _DIGITS), belief.usefulness) for key, belief in beliefs.items()]
    positive = [entry for entry in rounded if entry[1] > 0]
    positive.sort(key=lambda entry: (-entry[2], canonical(entry[0][0]), repr(entry[0][1])))
    kept = [WeightedFeature(feature, weight, itemset) for (feature, itemset), weight, _ in positive[:limit]]
    kept.sort(key=lambda each: (-each.weight, canonical(each.feature), repr(each.itemset)))
    return tuple(kept)
