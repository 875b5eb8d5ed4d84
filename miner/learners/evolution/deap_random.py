"""DEAP's operators draw from Python's global generator; here it is seeded for one call and put back afterwards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["seeded_global_random"]


@contextmanager
def seeded_global_random(rng: random.Random) -> Iterator[None]:
    """Within the block `random` continues from a seed drawn from `rng`; afterwards its state is as before."""
    outside = random.getstate()
    random.seed(rng.getrandbits(64))
    try:
        yield
    finally:
        random.setstate(outside)
