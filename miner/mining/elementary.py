"""exp and log computed from + - * / alone, so that fitted weights are the same bytes on every processor.

NumPy picks different exp and log kernels by instruction set, and they differ in the last bit. Additions,
multiplications, divisions and scaling by powers of two are exact to the bit everywhere.
"""

import numpy as np
from numpy.typing import NDArray

_LN2_HIGH = 6.93147180369123816490e-01  # ln 2 with the low 32 bits zero: k·_LN2_HIGH is exact for |k| < 2^20
_LN2_LOW = 1.90821492927058770002e-10
_INVERSE_LN2 = 1.44269504088896338700e00
_SQRT_HALF = 0.70710678118654752440
_EXP_TERMS = 14
_LOG_TERMS = 11


def exp(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """e**x for finite x, within about 2 ulp; below -700 it is 0, above 700 it stays at e**700."""
    clipped = np.clip(x, -700.0, 700.0)
    k = np.rint(clipped * _INVERSE_LN2)
    r = (clipped - k * _LN2_HIGH) - k * _LN2_LOW  # |r| ≤ ln 2 / 2
    series = np.ones_like(r)
    for i in range(_EXP_TERMS, 0, -1):  # Taylor series by Horner's rule
        series = 1.0 + r * series / i
    return np.where(x < -700.0, 0.0, np.ldexp(series, k.astype(np.int32)))


def log(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logarithm of positive finite x, within about 2 ulp."""
    mantissa, exponent = np.frexp(x)
    low = mantissa < _SQRT_HALF
    mantissa = np.where(low, 2.0 * mantissa, mantissa)
    k = exponent - low
    t = (mantissa - 1.0) / (mantissa + 1.0)  # ln m = 2 artanh t, |t| ≤ 0.172
    square = t * t
    series = np.full_like(t, 1.0 / (2 * _LOG_TERMS + 1))
    for i in range(_LOG_TERMS - 1, -1, -1):
        series = series * square + 1.0 / (2 * i + 1)
    return k * _LN2_HIGH + (k * _LN2_LOW + 2.0 * t * series)
