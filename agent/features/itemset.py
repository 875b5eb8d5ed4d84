"""A conjunction of facts and metafacts that a feature may carry (thesis 4.3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from gdl_miner.agent.features.item import Fact, Item
from gdl_miner.agent.features.metafacts import METAFACT_CLASSES
from gdl_miner.agent.files.elements import Display, Element, ElementError
from gdl_miner.agent.geometry import Geometry, Position, Symmetry

__all__ = ["ITEM_CLASSES", "Itemset", "every_item", "item_masks", "items_hold"]

ITEM_CLASSES: tuple[type[Item], ...] = (Fact, *METAFACT_CLASSES)


@dataclass(frozen=True)
class Itemset:
    """Statements that must all hold in the state for a feature to fire."""

    items: tuple[Item, ...]  # at least one

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("an itemset holds at least one item; leave the itemset out instead")

    def holds(self, position: Position) -> bool:
        """Plain definition: whether all items hold."""
        return all(item.holds(position) for item in self.items)

    def image(self, symmetry: Symmetry) -> Itemset:
        """Return the images of the items, in their order."""
        return Itemset(tuple(item.image(symmetry) for item in self.items))

    def write(self, parent: Element, display: Display) -> None:
        """Append the `<Itemset>` element."""
        element = etree.SubElement(parent, "Itemset")
        for item in self.items:
            item.write(etree.SubElement(element, item.element), display)

    @classmethod
    def read(cls, element: Element) -> Self:
        """Read an `<Itemset>` element. Raises ElementError."""
        classes = {item_class.element: item_class for item_class in ITEM_CLASSES}
        items = tuple(classes[str(child.tag)].read(child) for child in element.iterchildren("*"))
        if not items:
            raise ElementError(element, "<Itemset> is empty", "add items or remove it")
        return cls(items)


def every_item(geometry: Geometry) -> tuple[Item, ...]:
    """Return all facts and metafacts of a game, in a canonical order: the items that mining chooses from."""
    return tuple(item for item_class in ITEM_CLASSES for item in item_class.every(geometry))


def item_masks(items: tuple[Item, ...], geometry: Geometry) -> NDArray[np.uint64]:
    """Return [item, state word] the bits of the fluents of which at least one must hold."""
    bits = np.zeros((len(items), geometry.state_words * 64), dtype=np.uint8)
    for number, item in enumerate(items):
        bits[number, item.fluents(geometry)] = 1
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def items_hold(states: NDArray[np.uint64], masks: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return [state, item] which items hold in packed states [state, word]."""
    result = np.empty((len(states), len(masks)), dtype=np.bool_)
    for number, mask in enumerate(masks):
        words = np.flatnonzero(mask)
        result[:, number] = (states[:, words] & mask[words]).any(axis=1)
    return result
