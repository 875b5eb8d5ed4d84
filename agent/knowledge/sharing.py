"""Features that stand for all their images under symmetries of the game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.features import Feature, Item, WeightedFeature
from gdl_miner.agent.geometry import NOWHERE, GameMachine, Symmetry
from gdl_miner.agent.geometry.symmetry import symmetries_named
from gdl_miner.agent.knowledge.knowledge import Knowledge


def written_out(knowledge: Knowledge, machine: GameMachine) -> Knowledge:
    """Return the same knowledge without symmetries: every image of a feature is a feature, beside the feature itself.

    Everything that the knowledge names has to be in the game (`check_names`).

    Raises:
        KnowledgeError: a symmetry does not rename all facts and moves of the game.
    """
    if not knowledge.symmetries:
        return knowledge
    symmetries = symmetries_of(knowledge, machine)
    roles = range(len(knowledge.roles))
    return replace(
        knowledge,
        symmetries=(),
        winning=tuple(_images_for(role, knowledge.winning, symmetries) for role in roles),
        losing=tuple(_images_for(role, knowledge.losing, symmetries) for role in roles),
    )


def symmetries_of(knowledge: Knowledge, machine: GameMachine) -> list[Symmetry]:
    """Return the symmetries that the knowledge names, the identity first.

    Raises:
        KnowledgeError: one of them does not rename all facts and moves of the game.
    """
    found = [each for each in symmetries_named(machine, knowledge.symmetries) if (each.moves != NOWHERE).all()]
    missing = [name for name in knowledge.symmetries if name not in {each.name for each in found}]
    if missing:
        place = knowledge.symmetries_place or f"knowledge of {knowledge.game or 'an unnamed game'}"
        raise KnowledgeError(
            f"{place}: the symmetry '{missing[0]}' does not rename all facts and moves of the game; remove it"
        )
    return [Symmetry.identity(machine), *found]


def images(each: WeightedFeature, symmetries: Iterable[Symmetry]) -> tuple[WeightedFeature, ...]:
    """Return the distinct images of a feature; the order of the items of an itemset makes no difference."""
    found: dict[tuple[Feature, frozenset[Item]], WeightedFeature] = {}
    for symmetry in symmetries:
        feature = each.feature.image(symmetry)
        itemset = None if each.itemset is None else each.itemset.image(symmetry)
        items = frozenset(() if itemset is None else itemset.items)
        found.setdefault((feature, items), replace(each, feature=feature, itemset=itemset))
    return tuple(found.values())


def _images_for(
    role: int, lists: Sequence[Sequence[WeightedFeature]], symmetries: Sequence[Symmetry]
) -> tuple[WeightedFeature, ...]:
    """Return the features of a role: the images of the features of all roles that symmetries map to it."""
    return tuple(
        image
        for owner, features in enumerate(lists)
        for each in features
        for image in images(each, [symmetry for symmetry in symmetries if symmetry.roles[owner] == role])
    )


def symmetries_in_words(symmetries: Sequence[str]) -> str:
    """Return a sentence about the images for which every feature stands, an empty text without symmetries.

    It tells the ways to turn the board, and those to exchange roles and pieces, each of them once.
    """
    if not symmetries:
        return ""
    parts = [name.partition(", roles ") for name in symmetries]
    turned = [board.removeprefix("board ") for board in dict.fromkeys(board for board, _, _ in parts)]
    turned = [each for each in turned if each != "as it is"]
    exchanged = [f"roles {each}" for each in dict.fromkeys(roles for _, _, roles in parts) if each]
    ways = [f"with the board turned to {', '.join(turned)}"] if turned else []
    ways += [f"with {each}" for each in exchanged]
    images = f"{len(symmetries)} images" if len(symmetries) > 1 else "image"
    return f"Every feature stands for its {images}, too: {'; '.join(ways)}."
