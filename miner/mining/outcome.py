"""The worth of a match to a role, as a share of a win.

`margin` (default): half the goal range for an even result, plus half the amount by which the role's goal exceeds the
mean of the others' goals. A win by 100:0 counts 1, a draw ½ whatever its goals, and 60:40 counts 0.6. The opponents'
goals are read, never assumed to be 100 minus the role's own.
`comparison`: 1, ½ or 0 as the role's goal is above, equal to or below the mean of the others'.
A game of one role has nothing to compare: the goal's share of 0..100 counts, under either measure.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["FULL_SHARE", "OutcomeMeasure", "result_shares"]

OutcomeMeasure = Literal["margin", "comparison"]

GOAL_RANGE = 100
FULL_SHARE = 2 * GOAL_RANGE  # shares are whole numbers 0..FULL_SHARE, so that sums of them are exact in any order


def result_shares(goals: NDArray[np.int32], measure: OutcomeMeasure = "margin") -> NDArray[np.int64]:
    """Shares `[match, role]` of a win, in units of 1/FULL_SHARE, from the goals `[match, role]` of finished matches."""
    own = np.clip(goals.astype(np.int64), 0, GOAL_RANGE)
    n_roles = own.shape[1]
    if n_roles == 1:
        return np.array(2 * own, dtype=np.int64)
    ahead = own * n_roles - own.sum(axis=1, keepdims=True)  # (own - mean of the others) * (n_roles - 1)
    if measure == "comparison":
        ahead = GOAL_RANGE * (n_roles - 1) * np.sign(ahead)
    shares: NDArray[np.int64] = GOAL_RANGE + np.rint(ahead / (n_roles - 1)).astype(np.int64)
    return shares
