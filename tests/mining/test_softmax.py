"""The joint fit: its optimum, its numbers and its repeatability."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from gdl_miner.miner.mining import elementary
from gdl_miner.miner.mining.softmax import Choices, fit_scale, fit_softmax, group_scores


def random_choices(seed, groups=30, features=6, weights=None):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, groups)
    table = rng.random((int(sizes.sum()), features)) < 0.4
    theta = rng.normal(0, 1, features) if weights is None else np.asarray(weights)
    start = np.concatenate([[0], np.cumsum(sizes)])
    target = np.exp(table @ theta + rng.normal(0, 0.3, len(table)))
    for first, last in pairwise(start):
        target[first:last] /= target[first:last].sum()
    indptr = np.concatenate([[0], np.cumsum(table.sum(axis=1))])
    weight = rng.integers(1, 4, groups).astype(float)
    return Choices(start, indptr, np.nonzero(table)[1].astype(np.int32), features, target, weight), table


def plain_loss(parameters, choices, table, penalty):
    """The loss of weights and, where there is an offset, its factor after them."""
    theta, scale = (parameters, None) if choices.offset is None else (parameters[:-1], parameters[-1])
    value = 0.5 * penalty * theta @ theta
    for g, (first, last) in enumerate(pairwise(choices.start)):
        u = table[first:last] @ theta
        if choices.offset is not None:
            u = u + scale * choices.offset[first:last]
        value -= choices.weight[g] * choices.target[first:last] @ (u - np.log(np.exp(u).sum()))
    return value


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]))
def test_finds_the_optimum_that_a_general_minimiser_finds(seed, penalty):
    choices, table = random_choices(seed)
    fit = fit_softmax(choices, penalty=penalty, max_iterations=300, tolerance=1e-7)
    best = minimize(plain_loss, np.zeros(6), args=(choices, table, penalty), tol=1e-10)
    assert np.allclose(fit.weights, best.x, atol=2e-3)
    assert plain_loss(fit.weights, choices, table, penalty) <= best.fun + 1e-6


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_weights_and_the_factor_of_the_offset_are_fitted_together(seed):
    choices, table = random_choices(seed)
    rng = np.random.default_rng(seed)
    known = np.log(choices.target) - table @ rng.normal(0, 1, 6) + rng.normal(0, 1, len(table))
    choices = replace(choices, offset=known * rng.uniform(0.2, 5))
    fit = fit_softmax(choices, penalty=1.0, max_iterations=300, tolerance=1e-7)
    best = minimize(plain_loss, np.append(np.zeros(6), 1.0), args=(choices, table, 1.0), tol=1e-10)
    assert np.allclose([*fit.weights, fit.scale], best.x, atol=2e-3)


def test_an_offset_that_is_alike_for_all_moves_of_a_choice_changes_nothing():
    choices, _ = random_choices(2)
    constant = np.repeat(np.arange(30.0), np.diff(choices.start))
    fit, alone = (fit_softmax(each, penalty=1.0) for each in (replace(choices, offset=constant), choices))
    assert np.allclose(fit.weights, alone.weights, atol=1e-6)
    assert fit.scale == 1.0


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 1.0, 30.0]))
def test_the_scale_is_the_one_that_a_general_minimiser_finds(seed, spread):
    choices, table = random_choices(seed)
    rng = np.random.default_rng(seed)
    known = spread * (np.log(choices.target) + rng.normal(0, 1, len(table)))

    def loss(scale):
        return plain_loss(np.append(np.zeros(6), scale), replace(choices, offset=known), table, 0.0)

    best = minimize_scalar(loss, bounds=(0.0, 3.0 / spread), method="bounded", options={"xatol": 1e-9 / spread})
    assert fit_scale(choices, known) == pytest.approx(best.x, rel=1e-3, abs=1e-4 / spread)


def test_what_the_choices_go_against_has_no_scale():
    choices, _ = random_choices(3)
    assert fit_scale(choices, -np.log(choices.target)) == 0.0
    assert fit_scale(choices, np.ones(len(choices.target))) == 0.0


def test_what_the_choices_always_follow_has_a_large_scale_that_is_finite():
    start, one = np.array([0, 2, 4]), np.array([1.0, 0.0, 1.0, 0.0])
    choices = Choices(start, np.zeros(5, np.int64), np.zeros(0, np.int32), 0, one, np.ones(2))
    assert 10 < fit_scale(choices, one) < np.inf


def test_an_offset_foresees_alone_what_it_is_made_of():
    choices, _ = random_choices(4)
    fit = fit_softmax(replace(choices, offset=np.log(choices.target)), penalty=1.0)
    assert np.abs(fit.weights).max() < 1e-6
    assert fit.explained == pytest.approx(1.0)


def test_recovers_the_weights_that_made_the_targets():
    truth = [1.5, -1.0, 0.5, 0.0, -0.3, 0.8]
    choices, _ = random_choices(1, groups=3000, weights=truth)
    fit = fit_softmax(choices, penalty=1.0)
    assert np.allclose(fit.weights, truth, atol=0.1)
    assert (np.abs(fit.weights - truth) < 4 * fit.errors).all()
    assert 0.8 < fit.explained <= 1.0


def test_what_is_told_beside_the_weights_follows_its_plain_definition():
    choices, table = random_choices(8)
    choices = replace(choices, offset=np.random.default_rng(8).normal(0, 0.5, len(table)))
    fit = fit_softmax(choices, penalty=2.0, max_iterations=300, tolerance=1e-7)
    information, losses = np.zeros(6), np.zeros(3)
    scores, fires = np.zeros((30, 6)), np.zeros((30, 6))
    for group, (first, last) in enumerate(pairwise(choices.start)):
        x, weight, target = table[first:last], choices.weight[group], choices.target[first:last]
        share = np.exp(x @ fit.weights + fit.scale * choices.offset[first:last])
        share /= share.sum()
        information += weight * (share @ x - (share @ x) ** 2)
        scores[group] = weight * ((target - share) @ x)
        fires[group] = x.any(axis=0)
        losses += weight * np.array([-target @ np.log(each) for each in (share, target, np.full(len(x), 1 / len(x)))])
    squares = (scores**2).sum(axis=0)
    assert fit.information == pytest.approx(information)
    assert fit.errors == pytest.approx(np.sqrt(squares) / (information + 2.0))
    assert fit.gain == pytest.approx(0.5 * fit.weights**2 * information)
    assert (fit.loss, fit.floor, fit.uniform) == pytest.approx(tuple(losses / choices.weight.sum()))
    assert fit.explained == pytest.approx((fit.uniform - fit.loss) / (fit.uniform - fit.floor))
    found = group_scores(choices, fit.weights, fit.scale)
    assert pytest.approx(scores) == found.score.toarray().T
    assert found.information.toarray().sum(axis=1) == pytest.approx(information)
    assert (fires == found.fires.toarray().T).all()


def test_standard_errors_match_the_spread_over_fresh_samples():
    truth = [1.0, -1.0, 0.5, 0.0, 0.2, 0.8]
    fits = [fit_softmax(random_choices(seed, groups=200, weights=truth)[0], penalty=0.1) for seed in range(40)]
    spread = np.std([fit.weights for fit in fits], axis=0)
    claimed = np.mean([fit.errors for fit in fits], axis=0)
    # The diagonal estimate ignores correlations between features, so it is a little too small.
    assert (claimed > 0.5 * spread).all()
    assert (claimed < 1.5 * spread).all()


def test_a_feature_of_every_move_has_no_weight_and_an_unbounded_error():
    choices = Choices(np.array([0, 2]), np.array([0, 1, 2]), np.zeros(2, np.int32), 1, np.array([0.9, 0.1]), np.ones(1))
    fit = fit_softmax(choices, penalty=1.0)
    assert fit.weights.tolist() == [0.0]
    assert fit.errors.tolist() == [np.inf]


def test_a_larger_penalty_shrinks_the_weights():
    choices, _ = random_choices(5)
    norms = [np.abs(fit_softmax(choices, penalty=p).weights).sum() for p in (0.1, 10.0, 1000.0)]
    assert norms[0] > norms[1] > norms[2]


def test_equal_input_gives_equal_bytes():
    a = fit_softmax(random_choices(7)[0], penalty=1.0)
    b = fit_softmax(random_choices(7)[0], penalty=1.0)
    assert a.weights.tobytes() == b.weights.tobytes()
    assert a.errors.tobytes() == b.errors.tobytes()


def test_keeping_some_features_equals_never_having_had_the_others():
    choices, table = random_choices(11)
    kept = np.array([4, 1])
    fit = fit_softmax(choices.keep(kept), penalty=1.0, max_iterations=300, tolerance=1e-8)
    best = minimize(plain_loss, np.zeros(2), args=(choices, table[:, kept], 1.0), tol=1e-10)
    assert np.allclose(fit.weights, best.x, atol=1e-3)


def test_refuses_a_fit_without_a_penalty():
    with pytest.raises(ValueError, match="penalty"):
        fit_softmax(random_choices(0)[0], penalty=0.0)


def test_refuses_an_empty_choice():
    with pytest.raises(ValueError, match="alternative"):
        Choices(np.array([0, 0]), np.array([0]), np.zeros(0, np.int32), 1, np.zeros(0), np.ones(1))


def test_no_choices_give_no_weights():
    choices = Choices(np.array([0]), np.array([0]), np.zeros(0, np.int32), 2, np.zeros(0), np.zeros(0))
    assert fit_softmax(choices, penalty=1.0).weights.tolist() == [0.0, 0.0]


@given(st.floats(-690, 690))
def test_exp_agrees_with_the_library(x):
    assert elementary.exp(np.array([x]))[0] == pytest.approx(np.exp(x), rel=1e-15)


@given(st.floats(1e-300, 1e300))
def test_log_agrees_with_the_library(x):
    assert elementary.log(np.array([x]))[0] == pytest.approx(np.log(x), rel=1e-15, abs=1e-16)


PRINT_FIT = """
import numpy as np
from gdl_miner.miner.mining.softmax import Choices, fit_scale, fit_softmax
rng = np.random.default_rng(3)
table = rng.random((4000, 40)) < 0.3
target = rng.random(4000).reshape(500, 8)
choices = Choices(
    start=np.arange(0, 4001, 8),
    indptr=np.concatenate([[0], np.cumsum(table.sum(axis=1))]),
    features=np.nonzero(table)[1].astype(np.int32),
    n_features=40,
    target=(target / target.sum(axis=1, keepdims=True)).ravel(),
    weight=np.ones(500),
)
fit = fit_softmax(choices, penalty=1.0)
print(fit.weights.tobytes().hex(), fit.errors.tobytes().hex(), fit.loss.hex())
"""


def test_the_instruction_set_does_not_change_a_bit():
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    optional = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    if not optional:
        pytest.skip("this processor has only the instructions that NumPy always uses")
    printed = [
        subprocess.run(
            [sys.executable, "-c", PRINT_FIT],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NPY_DISABLE_CPU_FEATURES": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("", " ".join(optional))
    ]
    assert len(printed[0]) > 1000
    assert printed[0] == printed[1]


def test_of_features_that_fire_for_the_same_moves_the_first_is_distinct():
    table = np.array([[1, 0, 1, 2, 1, 0], [0, 1, 0, 0, 0, 0], [1, 1, 1, 2, 0, 0]])
    features = np.concatenate([np.repeat(np.arange(6), row) for row in table]).astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(table.sum(axis=1))])
    choices = Choices(np.array([0, 3]), indptr, features, 6, np.array([0.5, 0.3, 0.2]), np.ones(1))
    assert choices.distinct().tolist() == [0, 1, 3, 4, 5]
    assert choices.keep(choices.distinct()).matrix.toarray().tolist() == table[:, [0, 1, 3, 4, 5]].tolist()
