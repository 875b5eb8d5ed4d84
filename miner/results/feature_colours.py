"""The colours of the feature classes, the same in all pictures."""

from __future__ import annotations

from gdl_miner.agent.features import FEATURE_CLASSES

__all__ = ["CLASS_COLOURS"]

_COLOURS = ("#2f6fb2", "#79b4e3", "#1f8a70", "#8cc9a1", "#8e63b8", "#c9a6e0", "#8a8f99", "#e0883a")
CLASS_COLOURS = {each.element: colour for each, colour in zip(FEATURE_CLASSES, _COLOURS, strict=True)}
