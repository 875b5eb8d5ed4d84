"""Random openings, from which a pair of matches begins."""

from __future__ import annotations

import random

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.seeds import derive_seed

__all__ = ["random_opening"]

_TRIES = 1000


def random_opening(machine: Machine, plies: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return the [ply][role] moves of an opening, canonical.

    Every move is drawn uniformly from the legal ones. An opening that ends the match is drawn again.

    Raises ConfigError if all of 1000 openings end the match.
    """
    for attempt in range(_TRIES):
        choice = random.Random(derive_seed(seed, "opening", attempt))
        match = OngoingMatch(machine)
        while match.number < plies and not match.ended:
            match.advance([choice.choice(match.legal(role)) for role in range(len(machine.roles))])
        if not match.ended:
            return match.joints
    raise ConfigError(f"{machine.sheet.name}: {plies} random plies always end the match; give fewer opening plies")
