"""Sharing of features over the symmetries of a game: one for all its images, and one role for all that look alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import Feature, FeatureMatrix
from gdl_miner.agent.geometry import Symmetry, SymmetryGroup, find_symmetries_of_moves
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord, concatenate_records


def canonical(feature: Feature) -> tuple[str, str]:
    """A key that orders features the same way everywhere."""
    return feature.element, repr(feature)


@dataclass(frozen=True, eq=False)
class FeatureSharing:
    """The symmetries over which features are shared.

    A role that symmetries make of another one has no features of its own: its decisions count for its *owner*, as if
    they were made on the image of the board.
    """

    symmetries: tuple[Symmetry, ...]  # the identity left out
    owners: tuple[int, ...]  # [role]
    _known: dict[tuple[int, Feature], Feature] = field(default_factory=dict)

    @classmethod
    def over(cls, symmetries: Iterable[Symmetry], n_roles: int) -> FeatureSharing:
        """Return the sharing over some symmetries, which are a group; the identity may be among them."""
        others = tuple(each for each in symmetries if not each.is_identity)
        owners = tuple(min((role, *(each.roles[role] for each in others))) for role in range(n_roles))
        return cls(others, owners)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the symmetries."""
        return tuple(each.name for each in self.symmetries)

    def keeping(self, role: int) -> list[Symmetry]:
        """Return the symmetries that keep a role."""
        return [each for each in self.symmetries if each.roles[role] == role]

    def representative(self, feature: Feature, role: int) -> Feature:
        """Return the feature of a role that stands for a feature and its images."""
        found = self._known.get((role, feature))
        if found is None:
            images = {feature, *(feature.image(each) for each in self.keeping(role))}
            found = min(images, key=canonical)
            for each in images:
                self._known[role, each] = found
        return found

    def tied(self, matrix: FeatureMatrix, role: int) -> FeatureMatrix:
        """Return the same firings told of a role's representatives.

        A representative has a sample as often as images of it fire there.
        """
        if not self.keeping(role):
            return matrix
        number: dict[Feature, int] = {}
        tied = [number.setdefault(self.representative(each, role), len(number)) for each in matrix.features]
        ids = np.array(tied, dtype=np.int32)[matrix.ids]
        sample = np.repeat(np.arange(len(matrix.start) - 1), np.diff(matrix.start))
        return FeatureMatrix(tuple(number), matrix.start, ids[np.lexsort((ids, sample))])

    def pooled(self, record: MatchBatchRecord, role: int) -> MatchBatchRecord:
        """Return a record in which a role makes its decisions, and the images of those of the roles that it owns."""
        turning = [self._towards(role, other) for other, owner in enumerate(self.owners) if owner == role != other]
        return concatenate_records([record, *(_image(record, each) for each in turning)]) if turning else record

    def views(self, role: int) -> int:
        """Return how often `pooled` has each match of a record."""
        return self.owners.count(role)

    def _towards(self, owner: int, role: int) -> Symmetry:
        return next(each for each in self.symmetries if each.roles[role] == owner)


_Wanted: TypeAlias = tuple[str, ...] | Literal["auto"]
_SHARINGS: WeakKeyDictionary[Machine, dict[_Wanted, FeatureSharing]] = WeakKeyDictionary()


def sharing_of(machine: Machine, wanted: _Wanted) -> FeatureSharing:
    """Return the sharing over the symmetries with the wanted names, or over all that the rules have.

    Symmetries that follow from the wanted ones, one after another, are wanted too. A machine has one sharing for the
    same wish, which remembers the representatives that it has found.

    Raises ConfigError where the game does not have a symmetry.
    """
    known = _SHARINGS.setdefault(machine, {})
    if wanted not in known:
        known[wanted] = _find_sharing(machine, wanted)
    return known[wanted]


def _find_sharing(machine: Machine, wanted: _Wanted) -> FeatureSharing:
    found = find_symmetries_of_moves(machine)
    missing = () if wanted == "auto" else [name for name in wanted if name not in {each.name for each in found}]
    if missing:
        names = "; ".join(each.name for each in found if not each.is_identity) or "none but the identity"
        raise ConfigError(
            f"mining.symmetries: {machine.sheet.name} does not have the symmetry '{missing[0]}'; it has {names}"
        )
    chosen = found if wanted == "auto" else _group(wanted, found)
    return FeatureSharing.over(chosen, len(machine.roles))


def _group(wanted: Collection[str], found: Sequence[Symmetry]) -> list[Symmetry]:
    """Return those of the symmetries found that the wanted ones make, one after another."""
    made = SymmetryGroup()
    for each in found:
        if each.name in wanted:
            made.add(each)
    return [each for each in found if each in made]


def _image(record: MatchBatchRecord, symmetry: Symmetry) -> MatchBatchRecord:
    """Return the same matches on the image of the board, by the images of the roles."""
    roles = list(symmetry.roles)
    moves = np.empty_like(record.moves)
    moves[:, roles] = np.where(record.moves == NO_MOVE, NO_MOVE, symmetry.moves[record.moves])
    step = np.repeat(np.arange(len(record.states)), np.diff(record.visit_start))
    rows = symmetry.moves[record.visit_row]
    order = np.lexsort((rows, step))
    return replace(
        record,
        states=symmetry.image(record.states),
        moves=moves,
        goals=_by_image(record.goals, roles),
        visit_row=rows[order],
        visit_count=record.visit_count[order],
        players=_by_image(record.players, roles),
        playouts=_by_image(record.playouts, roles),
    )


_Integer = TypeVar("_Integer", np.int32, np.int64)


def _by_image(columns: NDArray[_Integer], roles: list[int]) -> NDArray[_Integer]:
    """Return columns [.., role] with that of each role in the place of its image."""
    images = np.empty_like(columns)
    images[:, roles] = columns
    return images
