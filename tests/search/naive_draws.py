"""The random numbers and elementary functions of a search, written from their definitions."""

import math

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix64(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def hash_combine(seed: int, value: int) -> int:
    part = (value * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) & MASK
    return mix64(mix64((seed + GOLDEN) & MASK) ^ part)


class Draws:
    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, bound: int) -> int:
        self.state = (self.state + GOLDEN) & MASK
        return (mix64(self.state) * bound) >> 64


def natural_log(x: float) -> float:
    mantissa, exponent = math.frexp(x)
    if mantissa < 0.70710678118654752:
        mantissa, exponent = mantissa * 2, exponent - 1
    s = (mantissa - 1) / (mantissa + 1)
    series = 0.0
    for power in range(23, 0, -2):
        series = series * (s * s) + 1.0 / power
    return exponent * 0.693147180559945309417 + 2 * s * series


def power(base: float, exponent: float) -> float:
    if exponent in (0, 1):
        return base**exponent
    if exponent == 0.5:
        return math.sqrt(base)
    return exponential(exponent * natural_log(base))


def exponential(x: float) -> float:
    whole = math.floor(x * (1 / 0.693147180559945309417) + 0.5)
    r = x - whole * 0.693147180559945309417
    r2, r4 = r * r, r * r * (r * r)
    pairs = [1 / math.factorial(n) + r * (1 / math.factorial(n + 1)) for n in range(0, 14, 2)]
    low, middle = pairs[0] + r2 * pairs[1], pairs[2] + r2 * pairs[3]
    high = pairs[4] + r2 * pairs[5] + r4 * pairs[6]
    return math.ldexp(low + r4 * (middle + r4 * high), whole)


def draw_by(weights: list[int], draws: Draws) -> int:
    rest = draws.below(sum(weights))
    for place, weight in enumerate(weights):
        if rest < weight:
            return place
        rest -= weight
    raise AssertionError("a draw below the sum of the weights falls on one of them")
