"""A seed for Python's global random generator during one call, because DEAP's operators draw from it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["seeded_global_random"]


@contextmanager
def seeded_global_random(rng: random.Random) -> Iterator[None]:
    """Seed the global `random` from `rng` for the block, and restore its state afterwards."""
    outside = random.getstate()
    random.seed(rng.getrandbits(64))
    try:
        yield
    finally:
        random.setstate(outside)
