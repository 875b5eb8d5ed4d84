"""Contributions against their definition: score all alternatives again without the feature."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from gdl_miner.agent.features import MoveBatch
from gdl_miner.agent.knowledge import Parameters
from gdl_miner.miner.usefulness.judgement import contributions, elimination_order
from gdl_miner.miner.usefulness.observations import RoleObservations

SIZES = [3, 2, 5, 4, 2, 6]
MATCHES = [0, 0, 1, 1, 2, 2]


def observed(share: np.ndarray) -> RoleObservations:
    nothing = MoveBatch(
        np.zeros((0, 1), np.uint64), np.zeros((0, 1), np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32)
    )
    start = np.concatenate([[0], np.cumsum(SIZES)]).astype(np.int64)
    return RoleObservations(nothing, np.zeros(0, np.int64), nothing, start, share, np.array(MATCHES))


def random_case(seed: int) -> tuple[np.ndarray, np.ndarray, RoleObservations]:
    rng = np.random.default_rng(seed)
    fires = rng.random((sum(SIZES), 7)) < 0.4
    fires[:, 5] = False  # never
    fires[:, 6] = True  # always
    shares = np.concatenate([rng.dirichlet(np.ones(size)) for size in SIZES])
    return fires, rng.normal(size=7), observed(shares)


def losses(fires: np.ndarray, weights: np.ndarray, seen: RoleObservations, parameters: Parameters) -> np.ndarray:
    """Cross-entropy of every choice, straight from the definition."""
    if parameters.scoring == "exponential":
        weights = weights / parameters.impact
    scores = []
    for row in fires:
        total = weights[row].sum()
        if parameters.first_feature:
            matching = sorted(weights[row], key=lambda weight: -abs(weight))
            total = matching[0] if matching else 0.0
        additive = max(1 / 256, parameters.base_value + total)
        scores.append(np.exp(np.clip(total, -10, 10)) if parameters.scoring == "exponential" else additive)
    found = []
    for first, last in zip(seen.start[:-1], seen.start[1:], strict=True):
        model = np.array(scores[first:last]) / sum(scores[first:last])
        found.append(-float(np.sum(seen.share[first:last] * np.log(model))))
    return np.array(found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scoring", ["exponential", "additive"])
@pytest.mark.parametrize("first_feature", [False, True])
def test_a_contribution_is_what_the_prediction_loses_without_the_feature(
    seed: int, scoring: str, first_feature: bool
) -> None:
    fires, weights, seen = random_case(seed)
    parameters = Parameters(scoring=scoring, first_feature=first_feature, impact=2.0, base_value=1.5)
    judged = contributions(csr_matrix(fires), weights, seen, parameters)
    whole = losses(fires, weights, seen, parameters)
    uniform = float(np.sum(np.log(SIZES)))
    avoidable = uniform + float(np.sum(seen.share * np.log(seen.share)))
    assert judged.explained == pytest.approx((uniform - whole.sum()) / avoidable)
    for feature in range(7):
        without = fires.copy()
        without[:, feature] = False
        change = (losses(without, weights, seen, parameters) - whole) / avoidable
        assert judged.contribution[feature] == pytest.approx(change.sum(), abs=1e-12)
        of_matches = np.bincount(MATCHES, change)
        assert judged.error[feature] == pytest.approx(float(np.sqrt((of_matches**2).sum())), abs=1e-12)


def elimination(fires: np.ndarray, weights: np.ndarray, seen: RoleObservations, parameters: Parameters) -> list[int]:
    """Eliminate features one by one, straight from the definition; return them best first."""

    def judged(features: list[int]) -> np.ndarray:
        totals = [row[features] @ weights[features] for row in fires]
        if parameters.first_feature:
            totals = [max(weights[features][row[features]], key=abs, default=0.0) for row in fires]
        if parameters.scoring == "exponential":
            return np.exp(np.clip(totals, -10, 10))
        return np.maximum(1 / 256, parameters.base_value + np.array(totals))

    def shares(features: list[int]) -> np.ndarray:
        scores = np.split(judged(features), seen.start[1:-1])
        return np.concatenate([score / score.sum() for score in scores])

    whole, left, gone = shares(list(range(len(weights)))), list(range(len(weights))), list[int]()
    while left:
        losses = [-float(whole @ np.log(shares([each for each in left if each != one]))) for one in left]
        least = min(zip(losses, left, strict=True), key=lambda loss: (round(loss[0], 9), abs(weights[loss[1]])))[1]
        left.remove(least)
        gone.append(least)
    return gone[::-1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scoring", ["exponential", "additive"])
@pytest.mark.parametrize("first_feature", [False, True])
def test_features_go_in_the_order_in_which_the_judgement_of_all_misses_them_least(
    seed: int, scoring: str, first_feature: bool
) -> None:
    fires, weights, seen = random_case(seed)
    parameters = Parameters(scoring=scoring, first_feature=first_feature, impact=2.0, base_value=1.5)
    found = elimination_order(csr_matrix(fires), weights, seen, parameters).tolist()
    assert found == elimination(fires, weights, seen, parameters)


def test_without_choices_the_heaviest_features_come_first() -> None:
    _, _, seen = random_case(0)
    nothing = replace(seen, start=np.zeros(1, np.int64), share=np.zeros(0), choice_match=np.zeros(0, np.int64))
    order = elimination_order(csr_matrix((0, 3)), np.array([0.5, -2.0, 1.0]), nothing, Parameters())
    assert order.tolist() == [1, 2, 0]


def test_what_never_or_always_fires_contributes_nothing_to_a_choice() -> None:
    fires, weights, seen = random_case(1)
    judged = contributions(csr_matrix(fires), weights, seen, Parameters(scoring="exponential"))
    assert judged.contribution[5] == judged.error[5] == 0
    assert judged.contribution[6] == pytest.approx(0, abs=1e-12)


def test_a_feature_the_searches_agree_with_contributes_and_one_they_contradict_misleads() -> None:
    fires = np.zeros((sum(SIZES), 2), dtype=bool)
    seen = observed(np.concatenate([np.array([0.9] + [0.1 / (size - 1)] * (size - 1)) for size in SIZES]))
    fires[seen.start[:-1], 0] = True
    fires[seen.start[1:] - 1, 1] = True
    judged = contributions(csr_matrix(fires), np.array([1.0, 1.0]), seen, Parameters(scoring="exponential"))
    assert judged.contribution[0] > 0 > judged.contribution[1]


def test_without_choices_nothing_is_known() -> None:
    fires, weights, seen = random_case(1)
    empty = RoleObservations(seen.moves, seen.move_match, seen.moves, np.zeros(1, np.int64), np.zeros(0), np.zeros(0))
    judged = contributions(csr_matrix(fires[:0]), weights, empty, Parameters())
    assert judged.contribution.tolist() == [0] * 7
    assert np.isinf(judged.error).all()
