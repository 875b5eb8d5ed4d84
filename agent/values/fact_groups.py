"""Groups of facts of which at most one holds, and tuples of the groups that vary together: games need no board for it.

A group is what the names of facts suggest, such as the numbers of coins of a player, `(coins x 0)`, `(coins x 1)`, …
It is taken if the reasoner proves that no two of its facts hold together, or if they never did in hundreds of states of
random matches, and one did in many. A fact of no larger group is a group of its own: it holds, or it does not.

Should several facts of a group hold after all, their numbers in the group are added, in every use of the tuple alike.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.circuit import fluent_groups, unpack_states
from gdl_miner.agent.reasoner.sample import random_match

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.machine import Machine

FactGroups = tuple[tuple[int, ...], ...]  # fluents of each group

MOST_TUPLES = 100  # of a game, images under symmetries not counted
_MOST_CONTENTS = 2**16  # of a tuple
_MOST_GROUPS = 200  # among which pairs are looked for
_STATES = 600
_STATES_OF_MATCH = 10
_LEAST_SHARE = 0.25  # of the states, in which a fact of a group holds that is not proven
_LEAST_TIMES = 3  # contents of a group that only tells the time


@dataclass(frozen=True, eq=False)
class _Sample:
    """States of random matches."""

    facts: NDArray[np.bool_]  # [state, fluent]
    moves: NDArray[np.int64]  # [state] joint moves before it


def exclusive_groups(machine: Machine) -> FactGroups:
    """Return groups of facts of which at most one holds; every fluent is in one group.

    The groups are ordered by their first fluents.
    """
    return _groups(machine, (), _random_states(machine, random.Random(0)))


def tuples_of_facts(machine: Machine, size: int, without: Collection[int] = ()) -> list[FactGroups]:
    """Return tuples of so many groups of facts, at most MOST_TUPLES.

    Groups that never change are left out, and so are turns. Where there are more tuples, counters of moves are left
    out, too, and those are taken whose groups vary together most in random matches: by their mutual information
    (Shannon 1948) without the bias of small samples (Miller 1955).
    """
    sample = _random_states(machine, random.Random(0))
    turns, _ = _native.turns(machine.native)
    groups = _groups(machine, {*without, *turns.tolist()}, sample)
    contents = np.array([_contents(group, sample) for group in groups], np.int64).reshape(len(groups), -1)
    varied = [number for number, own in enumerate(contents) if len(set(own)) > 1]
    if math.comb(len(varied), size) <= MOST_TUPLES:
        chosen = list(itertools.combinations(varied, size))
    else:
        timeless = [number for number in varied if not _tells_time(contents[number], sample.moves)]
        chosen = list(itertools.islice(_related(timeless, contents, size), MOST_TUPLES))
    found = [tuple(groups[number] for number in each) for each in chosen]
    return [each for each in found if math.prod(len(group) + 1 for group in each) <= _MOST_CONTENTS]


def _random_states(machine: Machine, dice: random.Random) -> _Sample:
    states: list[NDArray[np.uint64]] = []
    moves: list[int] = []
    while len(states) < _STATES:
        match = random_match(machine, dice)
        taken = sorted(dice.sample(range(len(match)), min(len(match), _STATES_OF_MATCH)))
        states += [match[number] for number in taken]
        moves += taken
    return _Sample(unpack_states(np.array(states), len(machine.fluents)), np.array(moves, np.int64))


def _groups(machine: Machine, without: Collection[int], sample: _Sample) -> FactGroups:
    start, members = fluent_groups(machine.fluents)
    suggested = [members[first:last].tolist() for first, last in itertools.pairwise(start.tolist())]
    proven = {frozenset(pair) for pair in _native.exclusive_fluents(machine.native)}
    left = set(range(len(machine.fluents)))
    found: list[tuple[int, ...]] = []
    for group in sorted(suggested, key=lambda each: (-len(each), each)):
        if left.issuperset(group) and (_seems_exclusive(group, sample) or _is_proven(group, proven)):
            left.difference_update(group)
            found.append(tuple(group))
    found += [(fluent,) for fluent in left]
    kept = (tuple(fluent for fluent in group if fluent not in without) for group in found)
    return tuple(sorted(group for group in kept if group))


def _seems_exclusive(group: Sequence[int], sample: _Sample) -> bool:
    numbers = sample.facts[:, group].sum(axis=1)
    return bool(numbers.max() <= 1 and numbers.mean() >= _LEAST_SHARE)


def _is_proven(group: Sequence[int], proven: Collection[frozenset[int]]) -> bool:
    return all(frozenset(pair) in proven for pair in itertools.combinations(group, 2))


def _contents(group: Sequence[int], sample: _Sample) -> NDArray[np.int64]:
    """Return [state] the number of the fact of a group that holds, 0 if none does."""
    return sample.facts[:, group].astype(np.int64) @ np.arange(1, len(group) + 1)


def _tells_time(contents: NDArray[np.int64], moves: NDArray[np.int64]) -> bool:
    """Whether the number of moves alone decides the contents, which are several."""
    decided = len(set(zip(contents.tolist(), moves.tolist(), strict=True))) == len(set(moves.tolist()))
    return decided and len(set(contents.tolist())) >= _LEAST_TIMES


def _related(groups: Sequence[int], contents: NDArray[np.int64], size: int) -> Iterator[tuple[int, ...]]:
    """Find tuples of groups, strongest first: pairs, each with the groups that vary with its members most."""
    entropy = {group: _entropy(contents[group]) for group in groups}
    most = sorted(sorted(groups, key=lambda group: -entropy[group])[:_MOST_GROUPS])
    shared = np.full((len(contents), len(contents)), -math.inf)
    for one, other in itertools.combinations(most, 2):
        joint = contents[one] * (contents[other].max() + 1) + contents[other]
        shared[one, other] = shared[other, one] = round(entropy[one] + entropy[other] - _entropy(joint), 9)
    seen = set()
    for pair in sorted(itertools.combinations(most, 2), key=lambda each: (-shared[each], each)):
        chosen = list(pair)
        while len(chosen) < size:
            others = [group for group in most if group not in chosen]
            chosen.append(max(others, key=lambda group: (sum(shared[group, each] for each in chosen), -group)))
        named = tuple(sorted(chosen))
        if named not in seen:
            seen.add(named)
            yield named


def _entropy(contents: NDArray[np.int64]) -> float:
    """Return the entropy of contents in nats, estimated from a sample."""
    counts = np.unique(contents, return_counts=True)[1]
    share = counts / counts.sum()
    return float(-(share * np.log(share)).sum() + (len(counts) - 1) / (2 * counts.sum()))
