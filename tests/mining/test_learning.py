"""Learning policies: signs, mixing, limits."""

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import Fact, FeatureAbsMove, Itemset, WeightedFeature
from gdl_miner.miner.mining.learning import (
    SCORING,
    LearnedFeatures,
    LearningPolicy,
    empty_lists,
    learn,
    suitable_parameters,
)
from gdl_miner.miner.mining.mine import MinedFeature, MinedKnowledge

A, B, C = (FeatureAbsMove(f"(mark {i} {i})") for i in range(3))
ITEMSET = Itemset((Fact("(cell 1 1 x)"),))


def mined(*features):
    return MinedKnowledge(("x",), (features,), (100,), (100,), (0.5,))


def found(feature, **evidence):
    return MinedFeature(feature, "x", **({"support": 50, "phi": 0.0, "p_value": 1.0, "q_value": 1.0} | evidence))


def own(winning, losing=()):
    return LearnedFeatures(
        (tuple(WeightedFeature(f, w) for f, w in winning),), (tuple(WeightedFeature(f, w) for f, w in losing),)
    )


def weights(features):
    return {each.feature: each.weight for each in features}


def learned(lists, knowledge, policy, max_features=10, learning_factor=1.0):
    result = learn(lists, knowledge, policy, max_features=max_features, learning_factor=learning_factor)
    return result.winning[0], result.losing[0]


PHI = LearningPolicy("phi", phi_threshold=0.1)
SOFTMAX = LearningPolicy("softmax", shrink=1.0)


def test_phi_decides_the_list_by_its_sign_and_weighs_by_its_size():
    knowledge = mined(found(A, phi=0.4, q_value=0.01), found(B, phi=-0.3, q_value=0.01))
    winning, losing = learned(empty_lists(1), knowledge, PHI)
    assert weights(winning) == {A: 0.4}
    assert weights(losing) == {B: 0.3}


def test_phi_takes_in_only_what_passes_both_thresholds():
    knowledge = mined(found(A, phi=0.09, q_value=0.0), found(B, phi=0.5, q_value=0.06), found(C, phi=0.2, q_value=0.05))
    assert weights(learned(empty_lists(1), knowledge, PHI)[0]) == {C: 0.2}


def test_phi_takes_itemsets_only_if_the_policy_does():
    knowledge = mined(found(A, phi=0.2, q_value=0.0, itemset=ITEMSET, itemset_phi=0.3))
    with_itemsets = learned(empty_lists(1), knowledge, PHI)[0]
    without = learned(empty_lists(1), knowledge, LearningPolicy("phi", itemsets=False))[0]
    assert [(each.weight, each.itemset) for each in with_itemsets] == [(0.3, ITEMSET)]
    assert [(each.weight, each.itemset) for each in without] == [(0.2, None)]


def test_softmax_shrinks_a_weight_by_its_uncertainty():
    knowledge = mined(found(A, weight=2.0, error=1.0, gain=0.1), found(B, weight=-2.0, error=0.001, gain=0.1))
    winning, losing = learned(empty_lists(1), knowledge, SOFTMAX)
    assert weights(winning) == {A: 1.6}
    assert weights(losing) == {B: 2.0}


def test_softmax_ignores_features_without_a_fitted_weight():
    assert learned(empty_lists(1), mined(found(A, phi=0.9, q_value=0.0)), SOFTMAX) == ((), ())


def test_the_learning_factor_mixes_own_and_mined_weights():
    knowledge = mined(found(A, weight=1.0, error=1e-6, gain=0.1), found(B, weight=0.8, error=1e-6, gain=0.1))
    winning, losing = learned(own([(A, 0.2)], [(C, 0.4)]), knowledge, SOFTMAX, learning_factor=0.25)
    assert weights(winning) == pytest.approx({A: 0.4, B: 0.2}, abs=1e-4)
    assert weights(losing) == pytest.approx({C: 0.3}, abs=1e-4)


def test_a_weight_may_change_sides():
    knowledge = mined(found(A, weight=-1.0, error=1e-6, gain=0.1))
    winning, losing = learned(own([(A, 0.5)]), knowledge, SOFTMAX, learning_factor=0.5)
    assert weights(winning) == {}
    assert weights(losing) == pytest.approx({A: 0.25}, abs=1e-4)


def test_an_individual_without_knowledge_takes_the_mined_weights_as_they_are():
    knowledge = mined(found(A, weight=1.0, error=1e-6, gain=0.1))
    assert weights(learned(empty_lists(1), knowledge, SOFTMAX, learning_factor=0.1)[0]) == {A: 1.0}


def test_nothing_is_learned_with_a_learning_factor_of_zero():
    knowledge = mined(found(A, weight=1.0, error=1e-6, gain=0.1))
    assert weights(learned(own([(B, 0.5)]), knowledge, SOFTMAX, learning_factor=0.0)[0]) == {B: 0.5}


def test_full_lists_keep_what_explains_most_though_its_weight_is_smaller():
    knowledge = mined(found(A, weight=3.0, error=1e-6, gain=0.001), found(B, weight=0.5, error=1e-6, gain=0.02))
    assert weights(learned(empty_lists(1), knowledge, SOFTMAX, max_features=1)[0]) == {B: 0.5}


def test_lists_are_sorted_by_weight():
    knowledge = mined(found(A, weight=0.1, error=1e-6, gain=0.9), found(B, weight=0.5, error=1e-6, gain=0.02))
    assert [each.feature for each in learned(empty_lists(1), knowledge, SOFTMAX)[0]] == [B, A]


def test_an_unknown_policy_is_refused_by_name():
    with pytest.raises(ConfigError, match="no learning policy 'guess'"):
        LearningPolicy("guess")


@pytest.mark.parametrize("kind", ["phi", "softmax"])
def test_parameters_of_a_policy_score_the_way_its_weights_are_meant(kind):
    parameters = suitable_parameters(kind, max_features=7)
    assert parameters.scoring == SCORING[kind]
    assert parameters.max_features == 7
    assert parameters.bias > 0
