"""Atomic features: what legal moves have at their targets, with one more field each, as a policy begins with them.

In Ludii the description of a move generates patterns that every legal move shows, and each of them with one more
requirement is an atomic feature (Soemers, Piette & Browne 2019, section IV-A). GDL says nothing of boards in the
conditions of a move, so the patterns are read from the legal moves of random matches.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import BatchView, Feature, FeatureAbsMove, MoveBatch
from gdl_miner.agent.features.pattern import EMPTY_FIELD, OFF, entry_of
from gdl_miner.agent.geometry import EMPTY, NOWHERE, Geometry, geometry_of
from gdl_miner.agent.geometry.geometry import OFF_BOARD
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import NO_MOVE
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_matches
from gdl_miner.miner.learners.expert_iteration.patterns import Offset, pattern_of, steps_to
from gdl_miner.miner.mining.sharing import FeatureSharing, canonical

_MATCHES = 64
_STATES = 2000  # states at most, spread evenly over the random matches


def find_atoms(machine: Machine, sharing: FeatureSharing, reach: int, seed: int) -> tuple[tuple[Feature, ...], ...]:
    """Return [role] the atomic features of the legal moves of random matches; none for roles that share another's.

    Args:
        machine: the game.
        sharing: the symmetries; of a feature and its images only one is there.
        reach: steps along the axes of the board from the target of a move to the farthest field of a pattern.
        seed: decides the random matches.
    """
    seats = np.zeros((_MATCHES, len(machine.roles)), np.int32)
    seeds = [derive_seed(seed, "random match", number) for number in range(_MATCHES)]
    record = play_matches(machine, [PlayerSpec("random")], seats, seeds, [str(number) for number in range(_MATCHES)])
    going_on = np.setdiff1d(np.arange(len(record.states)), record.start[1:] - 1)
    chosen = going_on[np.linspace(0, len(going_on) - 1, min(_STATES, len(going_on))).astype(np.int64)]
    legal = [machine.legal(state) for state in record.states[chosen]]
    found: list[tuple[Feature, ...]] = []
    for role in range(len(machine.roles)):
        if sharing.owners[role] != role:
            found.append(())
            continue
        rows = [np.asarray(each[role] if len(each[role]) > 1 else [], np.int32) for each in legal]
        index = np.repeat(np.arange(len(chosen), dtype=np.int32), [len(each) for each in rows])
        unknown = np.full((len(chosen), len(machine.roles)), NO_MOVE, np.int32)
        batch = MoveBatch(record.states[chosen], unknown, index, np.concatenate(rows))
        found.append(atoms_of(BatchView(batch, geometry_of(machine)), role, sharing, reach))
    return tuple(found)


def atoms_of(view: BatchView, role: int, sharing: FeatureSharing, reach: int) -> tuple[Feature, ...]:
    """Return the atomic features of a role that fire for some move of a batch, in canonical order.

    These are patterns of the target of a move and of one field within reach. The target alone is one, too, where
    it has different contents. Moves without a target are features themselves.
    """
    geometry = view.geometry
    features: set[Feature] = {
        FeatureAbsMove(geometry.moves[row]) for row in np.unique(view.row[view.target == NOWHERE]).tolist()
    }
    aimed = view.target != NOWHERE
    if aimed.any():
        features |= _patterns(geometry, view.occupants, view.state_index[aimed], view.target[aimed], reach)
    return tuple(sorted({sharing.representative(each, role) for each in features}, key=canonical))


def _patterns(
    geometry: Geometry,
    occupants: NDArray[np.uint8],
    state: NDArray[np.int32],
    target: NDArray[np.int32],
    reach: int,
) -> set[Feature]:
    """Return the patterns of targets and fields within reach that the samples show."""
    dimensions, neighbours = geometry.dimensions, geometry.neighbours(reach)
    centre: Offset = (0,) * dimensions
    own = occupants[state, target].astype(np.int64)
    contents = np.unique(own).tolist()
    shown: list[dict[Offset, str]] = []
    if len(contents) > 1:
        shown += [{centre: _entry(geometry, code)} for code in contents]
    for column, offset in enumerate(itertools.product(range(-reach, reach + 1), repeat=dimensions)):
        if offset == centre or steps_to(offset, geometry) > reach:
            continue
        other = occupants[state, neighbours[target, column]].astype(np.int64)
        for pair in np.unique(own * (OFF_BOARD + 1) + other).tolist():
            code, code_there = divmod(pair, OFF_BOARD + 1)
            shown.append({centre: _entry(geometry, code), offset: _entry(geometry, code_there)})
    return {pattern_of(each, geometry) for each in shown}


def _entry(geometry: Geometry, code: int) -> str:
    special = {EMPTY: EMPTY_FIELD, OFF_BOARD: OFF}
    return special[code] if code in special else entry_of(geometry.pieces[code - 1])
