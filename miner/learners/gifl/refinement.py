"""The poor ones among features, from their gains in matches (feature refinement: Kirci 2010, section 6.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from gdl_miner.miner.learners.gifl.scores import FeatureGains
from gdl_miner.miner.mining.statistics import benjamini_hochberg

__all__ = ["FeatureScores", "poor_features", "score_features"]


class FeatureScores(NamedTuple):
    """The scores of features; those that never acted have 0 matches."""

    matches: NDArray[np.int64]  # [feature] in which it acted
    losses: NDArray[np.int64]  # [feature] matches in which its gain was negative
    gain: NDArray[np.float64]  # [feature] mean gain of a match, in goal points; 0 without matches


def score_features(gains: FeatureGains, features: int) -> FeatureScores:
    """Return the scores of so many features. The order of the gains must not depend on who found them."""
    matches = np.bincount(gains.feature, minlength=features)
    losses = np.bincount(gains.feature[gains.gain < 0], minlength=features)
    total = np.bincount(gains.feature, gains.gain, features)
    return FeatureScores(matches, losses, total / np.maximum(matches, 1))


def poor_features(scores: FeatureScores, false_drops: float) -> NDArray[np.bool_]:
    """Return [feature] whether a feature is clearly poor.

    A feature is poor if its gain is negative in more than half of the matches in which it acts, as the searches judge
    it. The test is the exact sign test, one-sided: matches are independent of each other, which
    positions of one match are not, and nothing is assumed about the size of gains. A feature whose mean gain is not
    negative is never dropped, so that rare great gains save it; this only makes p-values larger. Features that cannot
    reach significance, because they acted in too few matches, are not tested; the sign of a gain has no part in that.

    By the procedure of Benjamini & Hochberg, the expected share of features among the dropped that are not poor is at
    most `false_drops`. This holds where the tests are independent or depend on each other positively, as those of
    features that act in the same matches do.
    """
    tested = np.flatnonzero(0.5**scores.matches <= false_drops)
    p = bdtrc(scores.losses[tested] - 1, scores.matches[tested], 0.5)
    p = np.where(scores.gain[tested] < 0, p, 1.0)
    poor = np.zeros(len(scores.matches), np.bool_)
    poor[tested[benjamini_hochberg(p) <= false_drops]] = True
    return poor
