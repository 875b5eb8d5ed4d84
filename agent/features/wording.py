"""Descriptions of features in words, for tables that people read."""

from collections.abc import Sequence
from dataclasses import fields
from functools import singledispatch

from gdl_miner.agent.features.absolute_move import FeatureAbsMove
from gdl_miner.agent.features.border_distance import FeatureAbsEuclidBorderDist
from gdl_miner.agent.features.feature import Feature
from gdl_miner.agent.features.item import Fact, Item
from gdl_miner.agent.features.itemset import Itemset
from gdl_miner.agent.features.itemset_only import FeatureItemsetOnly
from gdl_miner.agent.features.line_nearest import FeatureRelDimKNearest
from gdl_miner.agent.features.metafacts import MetafactAnyPieceInField, MetafactPieceInArea
from gdl_miner.agent.features.nearest import FeatureRelEuclidKNearest
from gdl_miner.agent.features.pattern import ANY, EMPTY_FIELD, OFF, FeatureRelPattern
from gdl_miner.agent.features.piece_in_area import FeatureAbsPieceInArea
from gdl_miner.agent.features.proximity import FeatureRelEuclidProximity
from gdl_miner.agent.features.weighted_feature import WeightedFeature
from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.geometry import ENEMY, OWN

__all__ = ["entry_in_words", "feature_in_words", "symmetries_in_words"]

_AS_IT_IS = "as it is"


def symmetries_in_words(symmetries: Sequence[str]) -> str:
    """Return a sentence about the images for which every feature stands, an empty text without symmetries.

    It tells the ways to turn the board, and those to exchange roles and pieces, each of them once.
    """
    if not symmetries:
        return ""
    parts = [name.partition(", roles ") for name in symmetries]
    turned = [board.removeprefix("board ") for board in dict.fromkeys(board for board, _, _ in parts)]
    turned = [each for each in turned if each != _AS_IT_IS]
    exchanged = [f"roles {each}" for each in dict.fromkeys(roles for _, _, roles in parts) if each]
    ways = [f"with the board turned to {', '.join(turned)}"] if turned else []
    ways += [f"with {each}" for each in exchanged]
    images = f"{len(symmetries)} images" if len(symmetries) > 1 else "image"
    return f"Every feature stands for its {images}, too: {'; '.join(ways)}."


def feature_in_words(feature: Feature, itemset: Itemset | None, display: Display) -> str:
    """Return in words what a feature requires of a move and its itemset of the state.

    `display` gives terms the spelling of the rules.
    """
    said = _say(feature, display)
    if itemset is None:
        return said
    return f"{said}, while {' and '.join(_say_item(item, display) for item in itemset.items)}"


def entry_in_words(entry: WeightedFeature, display: Display) -> str:
    """Return in words what a feature of a list requires, and what it was learned for if the file says so."""
    said = feature_in_words(entry.feature, entry.itemset, display)
    return said if entry.origin is None else f"{said} ({entry.origin.side}, level {entry.origin.level})"


@singledispatch
def _say(feature: Feature, display: Display) -> str:
    """Describe a feature whose class has no wording of its own, by its name and fields."""
    values = ", ".join(f"{each.name} {getattr(feature, each.name)}" for each in fields(feature))
    return f"{feature.element}({values})"


@_say.register
def _(feature: FeatureAbsMove, display: Display) -> str:
    return f"the move {display(feature.move)}"


@_say.register
def _(feature: FeatureRelEuclidProximity, display: Display) -> str:
    if feature.squared == 0:
        return "where the last move went"
    return f"{_number(feature.squared**0.5)} away from the last move"


@_say.register
def _(feature: FeatureAbsEuclidBorderDist, display: Display) -> str:
    border = "lower" if feature.lower else "upper"
    where = "at" if feature.distance == 0 else f"{_number(feature.distance)} from"
    return f"{where} the {border} border in dimension {feature.dimension}"


@_say.register
def _(feature: FeatureAbsPieceInArea, display: Display) -> str:
    moved = f"{display(feature.piece)} " if feature.piece is not None else ""
    return f"{moved}into the area of size {feature.size} at {_point(feature.corner)}"


@_say.register
def _(feature: FeatureRelEuclidKNearest, display: Display) -> str:
    return f"nearest around it: {_pieces(feature.pieces, display)}"


@_say.register
def _(feature: FeatureRelDimKNearest, display: Display) -> str:
    return f"nearest along dimension {feature.dimension}: {_pieces(feature.pieces, display)}"


@_say.register
def _(feature: FeatureItemsetOnly, display: Display) -> str:
    return "any move"


@_say.register
def _(feature: FeatureRelPattern, display: Display) -> str:
    side = 2 * feature.radius + 1
    seen = [(_offset(place, feature), entry) for place, entry in enumerate(feature.entries) if entry != ANY]
    if 0 < len(seen) <= feature.radius + 1:  # few fields, as along a ray, are clearer in words than as a drawing
        said = {EMPTY_FIELD: "empty", OFF: "off the board", OWN: "an own piece", ENEMY: "an enemy piece"}
        seen.sort(key=lambda each: sum(step * step for step in each[0]))
        at: dict[str, list[tuple[int, ...]]] = {}
        for offset, entry in seen:
            at.setdefault(said.get(entry) or display(entry), []).append(offset)
        return "; ".join(f"{words} {_directions(offsets)}" for words, offsets in at.items())
    short = {EMPTY_FIELD: ".", ANY: "?", OFF: "#"}
    entries = [short.get(entry) or display(entry) for entry in feature.entries]
    rows = [" ".join(entries[i : i + side]) for i in range(0, len(entries), side)]
    return f"around it [{' / '.join(rows)}]"


def _offset(place: int, feature: FeatureRelPattern) -> tuple[int, ...]:
    """Return the offset from the target to the entry at a place of a pattern."""
    side, rest, steps = 2 * feature.radius + 1, len(feature.entries), []
    while rest > 1:
        rest //= side
        step, place = divmod(place, rest)
        steps.append(step - feature.radius)
    return tuple(steps)


def _directions(offsets: Sequence[tuple[int, ...]]) -> str:
    """Return in words where fields lie from the target of a move, which comes first if it is among them."""
    own = ["on its field"] if not any(offsets[0]) else []
    others = [offset for offset in offsets if any(offset)]
    said = [f"({', '.join(f'{step:+d}'.replace('-', '−') if step else '0' for step in offset)})" for offset in others]
    return " and ".join([*own, *([f"at {', '.join(said)} from it"] if said else [])])


@singledispatch
def _say_item(item: Item, display: Display) -> str:
    values = ", ".join(f"{each.name} {getattr(item, each.name)}" for each in fields(item))
    return f"{item.element}({values})"


@_say_item.register
def _(item: Fact, display: Display) -> str:
    return display(item.fluent)


@_say_item.register
def _(item: MetafactAnyPieceInField, display: Display) -> str:
    return f"some piece is on {_point(item.position)}"


@_say_item.register
def _(item: MetafactPieceInArea, display: Display) -> str:
    return f"{display(item.piece)} is in the area of size {item.size} at {_point(item.corner)}"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _point(coordinates: tuple[float, ...]) -> str:
    return f"({', '.join(map(_number, coordinates))})"


def _pieces(pieces: tuple[str, ...], display: Display) -> str:
    return ", ".join(display(piece) for piece in pieces)
