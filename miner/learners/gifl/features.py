"""The features that are learned, one for all images of each other, and counts of the games that taught them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Literal, TypeAlias

from gdl_miner.agent.geometry import Symmetry
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.mining.sharing import FeatureSharing

FeatureSide: TypeAlias = Literal["offensive", "defensive"]


@dataclass(frozen=True)
class GiflFeature:
    """Facts under which some moves of a role lead on towards a win, or avoid a loss.

    The side of the first is offensive, of the second defensive.
    """

    role: int
    side: FeatureSide
    facts: tuple[str, ...]  # fluents, sorted
    moves: tuple[str, ...]  # sorted; an offensive feature has one


@dataclass(frozen=True)
class GameCounts:
    """Numbers of random games, and of what was done with them."""

    games: int = 0
    decided: int = 0  # games that taught: see `FeatureLearner.learn`
    moves: int = 0
    variants: int = 0  # states that were asked about

    def __add__(self, other: GameCounts) -> GameCounts:
        return GameCounts(*(one + another for one, another in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class GiflFeatures:
    """The features that some games taught."""

    levels: dict[GiflFeature, int]  # the lowest level at which the feature was learned, in the order of learning
    counts: GameCounts  # of the games

    def count(self, side: FeatureSide) -> int:
        """Return the number of features of a side."""
        return sum(feature.side == side for feature in self.levels)


def join_learned(parts: Sequence[GiflFeatures]) -> GiflFeatures:
    """Return what the games of all parts taught, in their order."""
    return GiflFeatures(
        levels=lowest_levels(item for part in parts for item in part.levels.items()),
        counts=sum((part.counts for part in parts), start=GameCounts()),
    )


def lowest_levels(items: Iterable[tuple[GiflFeature, int]]) -> dict[GiflFeature, int]:
    """Return the lowest level of each feature, in the order in which the features come first."""
    levels: dict[GiflFeature, int] = {}
    for feature, level in items:
        levels[feature] = min(level, levels.get(feature, level))
    return levels


def without_images(learned: GiflFeatures, machine: Machine, sharing: FeatureSharing) -> GiflFeatures:
    """Return the features with each replaced by the one that stands for all its images.

    That is the first among the images by role, facts and moves, so the features of roles that symmetries make of
    another role become features of that role.
    """
    if not sharing.symmetries:
        return learned
    images = images_of(learned.levels, machine, sharing)
    representatives = [min(each, key=lambda image: (image.role, image.facts, image.moves)) for each in images]
    return replace(learned, levels=lowest_levels(zip(representatives, learned.levels.values(), strict=True)))


def images_of(
    features: Iterable[GiflFeature], machine: Machine, sharing: FeatureSharing
) -> list[tuple[GiflFeature, ...]]:
    """Return for each feature the different features that it stands for, itself first."""
    fluents = {name: number for number, name in enumerate(machine.fluents)}

    def image(feature: GiflFeature, symmetry: Symmetry) -> GiflFeature:
        rows = [machine.row(feature.role, move) for move in feature.moves]
        return GiflFeature(
            symmetry.roles[feature.role],
            feature.side,
            tuple(sorted(machine.fluents[symmetry.fluents[fluents[fact]]] for fact in feature.facts)),
            tuple(sorted(machine.circuit.moves[symmetry.moves[row]] for row in rows)),
        )

    return [
        tuple(dict.fromkeys([feature, *(image(feature, symmetry) for symmetry in sharing.symmetries)]))
        for feature in features
    ]
