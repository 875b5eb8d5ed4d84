"""The last step of mining, which puts together what was found about the features of one role."""

from dataclasses import replace

from gdl_miner.agent.features import Feature, Itemset
from gdl_miner.miner.mining.correlation import Correlations
from gdl_miner.miner.mining.fit import FittedWeight, RoleFit
from gdl_miner.miner.mining.itemsets import FeatureItemset, ItemsetSearch
from gdl_miner.miner.mining.mined import FittedItemset, MinedFeature, MinedRole, canonical

__all__ = ["assemble"]

_DIGITS = 4  # decimals of phi and of weights; rounding is less than their error and makes the bytes equal everywhere


def assemble(role: str, correlations: Correlations, fit: RoleFit, search: ItemsetSearch) -> MinedRole:
    """All features that are correlated with winning, fitted or backed by an itemset, in canonical order."""
    itemsets: dict[Feature, list[FeatureItemset]] = {}
    for each in search.itemsets:
        itemsets.setdefault(each.feature, []).append(each)
    fitted = {feature: weight for (feature, itemset), weight in fit.weights.items() if itemset is None}
    restricted: dict[Feature, list[FittedItemset]] = {}
    for (feature, itemset), weight in fit.weights.items():
        if itemset is not None:
            restricted.setdefault(feature, []).append(_fitted_itemset(itemset, weight))
    wanted = correlations.signs.keys() | fitted.keys() | restricted.keys() | itemsets.keys()
    tested = _tested(role, correlations, wanted)
    features: list[MinedFeature] = []
    for feature in sorted(wanted, key=canonical):
        known = tested.get(feature, MinedFeature(feature, role, support=0, phi=0.0, p_value=1.0, q_value=1.0))
        if feature in fitted:
            known = _with_weight(known, fitted[feature])
        by_gain = sorted(restricted.get(feature, ()), key=lambda each: (-each.gain, repr(each.itemset)))
        known = replace(known, fitted_itemsets=tuple(by_gain))
        backed = [
            replace(known, itemset=each.itemset, itemset_phi=round(each.phi, _DIGITS))
            for each in itemsets.get(feature, [])
        ]
        features.extend(backed or [known])
    return MinedRole(
        features=tuple(features),
        decisions=correlations.decisions,
        choices=fit.choices,
        explained=round(fit.explained, _DIGITS),
        notes=tuple(f"{role}: {note}" for note in search.notes),
    )


def _tested(role: str, correlations: Correlations, wanted: set[Feature]) -> dict[Feature, MinedFeature]:
    """The wanted features that were counted, with their correlations."""
    found = correlations.evidence
    return {
        feature: MinedFeature(
            feature=feature,
            role=role,
            support=round(float(found.fired[i])),
            phi=round(float(found.phi[i]), _DIGITS),
            p_value=_significant(found.p_value[i]),
            q_value=_significant(correlations.q_values[i]),
        )
        for i, feature in enumerate(found.features)
        if feature in wanted
    }


def _with_weight(known: MinedFeature, fitted: FittedWeight) -> MinedFeature:
    weight, error, gain = _rounded(fitted)
    return replace(known, weight=weight, error=error, gain=gain)


def _fitted_itemset(itemset: Itemset, fitted: FittedWeight) -> FittedItemset:
    return FittedItemset(itemset, *_rounded(fitted))


def _rounded(fitted: FittedWeight) -> FittedWeight:
    error = max(round(fitted.error, _DIGITS), 10.0**-_DIGITS)
    return FittedWeight(round(fitted.weight, _DIGITS), error, _significant(fitted.gain))


def _significant(value: float) -> float:
    """Six significant digits."""
    return float(f"{value:.6g}")
