"""Features learned from the ends of games, one for all that are images of each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gdl_miner.agent.geometry import Symmetry
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.gifl.features import GiflFeature, GiflFeatures, lowest_levels
from gdl_miner.miner.mining.sharing import FeatureSharing


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
