"""Scores of features from matches in which they act: the worth of their moves beside that of other moves there.

The result of a match alone would mislead. A defensive feature acts where its role is in danger, and such matches are
lost more often whether it helps or not; an offensive one acts where its role is about to win. So a feature is compared
with the other moves of the very positions in which it acts. A search without knowledge judges them, so that its
judgement cannot come from the features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_matches, search_positions
from gdl_miner.miner.learners.gifl.features import GiflFeature
from gdl_miner.miner.learners.gifl.shards import GameSpan
from gdl_miner.miner.play.prepared_game import PreparedGame

__all__ = [
    "FeatureGains",
    "GainSettings",
    "ScoredFeature",
    "SearchedPositions",
    "gains_in",
    "join_gains",
    "score_shard",
]

_AT_ONCE = 512  # positions searched together
_LIKELIER = 1.0  # a move whose weight is so much larger than another's is drawn e times as often


@dataclass(frozen=True)
class GainSettings:
    """The matches in which features act, and the searches that judge their positions."""

    seed: int
    judging: int  # playouts of the search that judges a position
    uct_c: float  # its UCB1 constant


@dataclass(frozen=True)
class ScoredFeature:
    """A feature with its images, which act as it does."""

    weight: float
    level: int
    images: tuple[GiflFeature, ...]  # itself among them

    @property
    def decisive(self) -> bool:
        """Whether hardly any other move is drawn where it acts."""
        return self.level == 1

    @property
    def avoids(self) -> bool:
        """Whether its moves are drawn less often, not more."""
        return self.images[0].side == "losing"


@dataclass(frozen=True, eq=False)
class SearchedPositions:
    """Positions in which one role has a choice, with the legal moves and their mean goals in a search."""

    states: NDArray[np.uint64]  # [position, word] packed
    match: NDArray[np.int64]  # [position] number of the match
    role: NDArray[np.int64]  # [position] that chooses
    start: NDArray[np.int64]  # [position + 1] offsets into the moves
    row: NDArray[np.int32]  # [move] legal, ascending in each position
    mean: NDArray[np.float64]  # [move] mean goal 0..100, nan where the search never made the move


@dataclass(frozen=True, eq=False)
class FeatureGains:
    """The gains of features in matches; there is an entry for each feature and match in which it acted."""

    feature: NDArray[np.int64]  # [entry] number of the feature
    match: NDArray[np.int64]  # [entry] number of the match
    gain: NDArray[np.float64]  # [entry] in goal points, the mean over the positions of the match in which it acted


def score_shard(
    game: PreparedGame, player: PlayerSpec, settings: GainSettings, features: Sequence[ScoredFeature], span: GameSpan
) -> FeatureGains:
    """Play the matches of a span and return what features gained in them. A match depends on its number and the seed.

    The player plays both roles. It draws its moves by the visits of its searches, so that matches differ.
    """
    machine = game.machine()
    numbers = range(span.first, span.last)
    seeds = [derive_seed(settings.seed, "scoring", number) for number in numbers]
    seats = np.zeros((len(seeds), len(machine.roles)), np.int32)
    record = play_matches(machine, [player], seats, seeds, [str(number) for number in numbers])
    return gains_in(_judged(record, machine, settings, span.first), machine, features)


def join_gains(parts: Sequence[FeatureGains]) -> FeatureGains:
    """Return the gains in the matches of all parts, in the order of features and matches."""
    feature, match, gain = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("feature", "match", "gain")
    )
    order = np.lexsort((match, feature))
    return FeatureGains(feature[order], match[order], gain[order])


def gains_in(positions: SearchedPositions, machine: Machine, features: Sequence[ScoredFeature]) -> FeatureGains:
    """Return what features gain in positions.

    A feature acts in a position if its facts hold there, some but not all legal moves are its own, and no other feature
    there is for a legal move with a weight that is larger by more than 1, so that the move would be drawn more than e
    times as often. A feature of level 1 leaves hardly anything to other moves, so it gains what the best of its own
    moves is worth more than the best of the others. Of other levels, the mean of the own moves is compared with the
    mean of the others. A losing feature, whose moves are avoided, gains the opposite. Moves that the search never made
    are left out.
    """
    n_moves = len(positions.row)
    own = _Own.of(positions, machine, features)
    heaviest = np.zeros(len(positions.states))
    np.maximum.at(heaviest, own.position, np.where(own.avoided, 0.0, own.weight))
    acting = heaviest[own.position] <= own.weight + _LIKELIER
    cells = np.unique(own.feature[acting] * len(positions.states) + own.position[acting])
    feature, position = np.divmod(cells, max(1, len(positions.states)))
    sizes = np.diff(positions.start)[position]
    cell = np.repeat(np.arange(len(cells)), sizes)
    move = np.arange(len(cell)) + np.repeat(positions.start[position] - np.cumsum(sizes) + sizes, sizes)
    mine = np.isin(feature[cell] * n_moves + move, own.feature * n_moves + own.move)
    (mine_worth, mine_made), (others_worth, others_made) = (
        _worth(positions.mean[move], kind, cell, np.array([each.decisive for each in features], np.bool_)[feature])
        for kind in (mine, ~mine)
    )
    sign = np.where(np.array([each.avoids for each in features], np.bool_)[feature], -1.0, 1.0)
    compared = mine_made & others_made
    gain = (sign * (mine_worth - others_worth))[compared]
    numbers, match = np.unique(positions.match[position[compared]], return_inverse=True)
    entries, entry = np.unique(feature[compared] * len(numbers) + match, return_inverse=True)
    feature, match = np.divmod(entries, max(1, len(numbers)))
    return FeatureGains(feature, numbers[match], np.bincount(entry, gain, len(entries)) / np.bincount(entry))


def _worth(
    mean: NDArray[np.float64], kind: NDArray[np.bool_], cell: NDArray[np.int64], decisive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return [cell] what its moves of a kind are worth, the best or the mean, and whether the search made any."""
    made = kind & ~np.isnan(mean)
    number = np.bincount(cell[made], minlength=len(decisive))
    best = np.full(len(decisive), -np.inf)
    np.maximum.at(best, cell[made], mean[made])
    average = np.bincount(cell[made], mean[made], len(decisive)) / np.maximum(number, 1)
    return np.where(decisive, best, average), number > 0


@dataclass(frozen=True, eq=False)
class _Own:
    """The legal moves that features have where their facts hold, each once for a feature and position."""

    feature: NDArray[np.int64]
    position: NDArray[np.int64]
    move: NDArray[np.int64]  # place in the moves of the positions
    weight: NDArray[np.float64]  # of the feature
    avoided: NDArray[np.bool_]  # whether the feature speaks against the move

    @classmethod
    def of(cls, positions: SearchedPositions, machine: Machine, features: Sequence[ScoredFeature]) -> _Own:
        n_rows, n_moves = len(machine.circuit.moves), len(positions.row)
        of_position = np.repeat(np.arange(len(positions.states)), np.diff(positions.start))
        keys = of_position * n_rows + positions.row
        chosen = [np.flatnonzero(positions.role == role) for role in range(len(machine.roles))]
        found: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        for number, each in enumerate(features):
            for image in each.images:
                mask = machine.state_of(image.facts)
                among = chosen[image.role]
                holds = among[((positions.states[among] & mask) == mask).all(axis=1)]
                for own in image.moves:
                    wanted = holds * n_rows + machine.row(image.role, own)
                    places = np.searchsorted(keys, wanted)
                    legal = places < n_moves
                    legal[legal] = keys[places[legal]] == wanted[legal]
                    found.append(number * n_moves + places[legal])
        feature, move = np.divmod(np.unique(np.concatenate(found)), max(1, n_moves))
        weights = np.array([each.weight for each in features], np.float64)
        avoids = np.array([each.avoids for each in features], np.bool_)
        return cls(feature, of_position[move], move, weights[feature], avoids[feature])


def _judged(record: MatchBatchRecord, machine: Machine, settings: GainSettings, first: int) -> SearchedPositions:
    """Return the positions of matches in which a role has a choice, searched without knowledge."""
    judge = PlayerSpec(playouts=settings.judging, parameters=Parameters(uct_c=settings.uct_c))
    choosing = np.diff(record.visit_start) > 1
    steps, matches, last_rows = np.flatnonzero(choosing), record.match_of_step(), record.last_rows()
    states: list[NDArray[np.uint64]] = []
    match, role, sizes = list[int](), list[int](), list[int]()
    rows, means = [np.zeros(0, np.int32)], [np.zeros(0)]
    for begin in range(0, len(steps), _AT_ONCE):
        some = steps[begin : begin + _AT_ONCE]
        plies = some - record.start[matches[some]]
        numbers = zip((first + matches[some]).tolist(), plies.tolist(), strict=True)
        seeds = [derive_seed(settings.seed, "judging", number, ply) for number, ply in numbers]
        found = search_positions(machine, record.states[some], judge, seeds, last_rows=last_rows[some])
        for step, results in zip(some, found, strict=True):
            for result in results:
                states.append(record.states[step])
                match.append(first + int(matches[step]))
                role.append(result.role)
                sizes.append(len(result.rows))
                rows.append(result.rows)
                means.append(result.means)
    return SearchedPositions(
        np.array(states, np.uint64).reshape(len(states), record.states.shape[1]),
        np.array(match, np.int64),
        np.array(role, np.int64),
        np.cumsum([0, *sizes]).astype(np.int64),
        np.concatenate(rows),
        np.concatenate(means),
    )
