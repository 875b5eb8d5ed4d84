"""The champion's knowledge in a report: the heaviest features on the board, and the targets each role prefers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import FEATURE_CLASSES, FeatureAbsMove, WeightedFeature, draw_heat
from gdl_miner.agent.gdl import RuleSheet
from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.knowledge import Knowledge, symmetries_in_words

_SHOWN = 8  # features of a list that are drawn, at most
_SHOWN_OF_CLASS = 3  # features of one class among them, at most


@dataclass(frozen=True)
class ActingFeature:
    """A feature with its effective weight: its own weight times the weights of its class and list and the impact.

    The weight is negative where the role avoids the feature.
    """

    entry: WeightedFeature
    weight: float


def acting_features(knowledge: Knowledge, role: int) -> tuple[tuple[ActingFeature, ...], tuple[ActingFeature, ...]]:
    """Return the features that a role seeks and the features that it avoids, heaviest first."""
    parameters = knowledge.parameters
    winning = _acting(knowledge, knowledge.winning[role], parameters.winning_weight)
    return winning, _acting(knowledge, knowledge.losing[role], -parameters.losing_weight)


def class_shares(knowledge: Knowledge) -> list[tuple[str, int, float]]:
    """Return every class with the number of its features in all lists and its share of the sum of absolute weights."""
    counts: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    for role in range(len(knowledge.roles)):
        for each in (side for sides in acting_features(knowledge, role) for side in sides):
            name = each.entry.feature.element
            counts[name] += 1
            weights[name] += abs(each.weight)  # type: ignore[assignment] # Counter is annotated for whole numbers
    total = sum(weights.values()) or 1
    names = dict.fromkeys((*(each.element for each in FEATURE_CLASSES), *sorted(counts)))
    return [(name, counts[name], weights[name] / total) for name in names]


def features(knowledge: Knowledge, sheet: RuleSheet, geometry: Geometry) -> str:
    """Return the heaviest features of every role, a few of each class, drawn and in words."""
    said = symmetries_in_words(knowledge.symmetries)
    parts = [f"<p>{escape(said)}</p>"] if said and knowledge.n_features else []
    for role, name in enumerate(knowledge.roles):
        for verb, listed in zip(("seeks", "avoids"), acting_features(knowledge, role), strict=True):
            shown = _varied(listed)
            items = "".join(_item(each, sheet, geometry) for each in shown)
            if items:
                count = f"{len(listed)} feature{'s' if len(listed) > 1 else ''}"
                said = count if len(shown) == len(listed) else f"{count}, the weightiest"
                heading = f"{escape(sheet.display(name))} {verb} <small>{said}</small>"
                parts.append(f"<h3>{heading}</h3><ul class='features'>{items}</ul>")
    return "".join(parts) or "<p>The champion knows no features.</p>"


def heat(knowledge: Knowledge, sheet: RuleSheet, geometry: Geometry) -> str:
    """Return a board for each role with the mean weight of its features of single moves, by target of the move."""
    figures = []
    for role, name in enumerate(knowledge.roles):
        values = _target_weights(knowledge, role, geometry)
        if geometry.dimensions in (2, 3) and np.any(values):
            figures.append(
                f"<figure>{draw_heat(values, geometry)}<figcaption>{escape(sheet.display(name))}</figcaption></figure>"
            )
    if not figures:
        return ""
    note = (
        "Where each role likes to move: the weights of its features of single moves, averaged over all moves to "
        "a field. "
        "<span class='plus'>Blue</span> is sought, <span class='minus'>orange</span> avoided."
    )
    return f"<div class='boards'>{''.join(figures)}</div><p class='note'>{note}</p>"


def signed(value: float, places: int = 0) -> str:
    """Return a number such as +184 or −7, with a minus sign that is as wide as a plus sign."""
    return f"{value:+.{places}f}".replace("-", "−")


def key(geometry: Geometry) -> str:
    """Return the key to the colours of drawn features; it is empty for boards that are not drawn."""
    if geometry.dimensions not in (2, 3):
        return ""
    entries = (
        ("goal", "where the move goes"),
        ("lit", "the area or distance meant"),
        ("any", "anything"),
        ("off", "off the board"),
    )
    items = "".join(f"<li><i class='{kind}'></i>{said}</li>" for kind, said in entries)
    return f"<ul class='legend key'>{items}<li>× the last move</li></ul>"


def caption(entry: WeightedFeature, sheet: RuleSheet) -> str:
    """Return a feature in words, as HTML in which no line break divides coordinates or a move."""
    words = escape(entry.words(sheet.display))
    return re.sub(r"\([^()]*\)", lambda inside: inside[0].replace(" ", "\u00a0"), words)


def _acting(knowledge: Knowledge, entries: Iterable[WeightedFeature], side: float) -> tuple[ActingFeature, ...]:
    parameters = knowledge.parameters
    found = []
    for each in entries:
        classes = parameters.itemset_class_weights if each.itemset else parameters.class_weights
        found.append(
            ActingFeature(each, side * classes.get(each.feature.element, 1.0) * parameters.impact * each.weight)
        )
    return tuple(sorted(found, key=lambda each: -abs(each.weight)))


def _varied(listed: Iterable[ActingFeature]) -> list[ActingFeature]:
    """Return the first features of a list, but no class more than a few times."""
    seen: Counter[tuple[str, bool]] = Counter()
    shown: list[ActingFeature] = []
    for each in listed:
        kind = (each.entry.feature.element, each.entry.itemset is not None)
        seen[kind] += 1
        if seen[kind] <= _SHOWN_OF_CLASS and len(shown) < _SHOWN:
            shown.append(each)
    return shown


def _item(each: ActingFeature, sheet: RuleSheet, geometry: Geometry) -> str:
    kind = "plus" if each.weight >= 0 else "minus"
    words = caption(each.entry, sheet)
    picture = each.entry.draw(geometry)
    weight = signed(each.weight, 2)
    return f"<li><div>{picture}</div><p><b class='{kind}'>{weight}</b> {words}</p></li>"


def _target_weights(knowledge: Knowledge, role: int, geometry: Geometry) -> NDArray[np.float64]:
    """Return the mean weight of the features of single moves [point], over all moves of the role to that point."""
    rows = geometry.rows(role)
    row_of = {geometry.moves[row]: row for row in rows}
    total, moves = np.zeros(geometry.n_points), np.zeros(geometry.n_points)
    for row in rows:
        if geometry.move_target[row] >= 0:
            moves[geometry.move_target[row]] += 1
    for each in (side for sides in acting_features(knowledge, role) for side in sides):
        feature = each.entry.feature
        if isinstance(feature, FeatureAbsMove) and each.entry.itemset is None and feature.move in row_of:
            point = int(geometry.move_target[row_of[feature.move]])
            if point >= 0:
                total[point] += each.weight
    mean: NDArray[np.float64] = total / np.maximum(1, moves)
    return mean
