"""The phi coefficient between "the feature fired" and "the match was won" (thesis 4.3.2)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["phi_coefficient"]


def phi_coefficient(
    fired_won: ArrayLike, fired_lost: ArrayLike, absent_won: ArrayLike, absent_lost: ArrayLike
) -> NDArray[np.float64]:
    """Correlation of two yes/no variables from their 2×2 table, elementwise; positive where firing goes with winning.

    Entries may be fractional (a draw is half won, half lost). The thesis prints one margin twice under the root;
    this is the standard coefficient, the product of all four margins. It is 0 where a margin is
    empty.
    """
    n00, n01, n10, n11 = (np.asarray(x, dtype=np.float64) for x in (fired_won, fired_lost, absent_won, absent_lost))
    fired, absent = n00 + n01, n10 + n11
    won, lost = n00 + n10, n01 + n11
    # Two roots of two factors each: the product of four large margins would lose range before the root is taken.
    scale = np.sqrt(fired * absent) * np.sqrt(won * lost)
    covariance = n00 * n11 - n01 * n10
    sound = (np.minimum(fired, absent) > 0) & (np.minimum(won, lost) > 0) & (scale > 0)
    value = np.divide(covariance, scale, out=np.zeros(scale.shape), where=sound)
    bounded: NDArray[np.float64] = np.clip(value, -1.0, 1.0)
    return bounded
