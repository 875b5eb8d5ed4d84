"""The page that describes the library: what `import gdl_miner` offers, from the docstrings."""

from __future__ import annotations

import gdl_miner

_HEAD = """# Library reference

What `import gdl_miner` offers, by name. [The library](../library.md) introduces it.
"""


def library_page() -> str:
    """Return the page with a part for each public name, which mkdocstrings fills."""
    parts = [_HEAD]
    for name in gdl_miner.__all__:
        module = gdl_miner._MODULE_OF[name]  # by this table the package itself finds its names
        parts.append(f"::: {module}.{name}\n    options:\n      heading: gdl_miner.{name}\n      toc_label: {name}\n")
    return "\n".join(parts)
