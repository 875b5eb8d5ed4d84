"""Shapes of arrays in docstrings, such as [game][role], are code on the documentation site, and no links."""

from __future__ import annotations

import re
from typing import Any

import griffe

_SHAPE = re.compile(r"(?<![`\w\]])(\[[\w, +*]+\])+(?![`(\w])")


class Shapes(griffe.Extension):
    """Writes shapes as code."""

    def on_object(self, *, obj: griffe.Object, **_rest: Any) -> None:
        """Change the docstring of what was collected."""
        if obj.docstring is not None:
            obj.docstring.value = _SHAPE.sub(r"`\g<0>`", obj.docstring.value)
