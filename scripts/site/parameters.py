"""The page with the table of the parameters of searches and features, made from their rows."""

from __future__ import annotations

from gdl_miner.agent.knowledge.parameter_row import ParameterRow, ParameterValue
from gdl_miner.agent.knowledge.parameters import PARAMETERS

_HEADS = ("element", "default", "meaning", "name", "values", "evolution", "option")
_HEAD = """# Parameters

What a knowledge file may say of the search and of its features. [Knowledge files](../formats.md#parameters) explains
the columns.

"""


def parameters_page() -> str:
    """Return the page."""
    lines = [f"| {' | '.join(_HEADS)} |", "|---" * len(_HEADS) + "|", *map(_line, PARAMETERS)]
    return _HEAD + "\n".join(lines) + "\n"


def _line(row: ParameterRow) -> str:
    number = row.kind in (int, float)
    searched = f"{row.gene.low:g} to {row.gene.high:g}{' by ratio' if row.gene.logarithmic else ''}, " if number else ""
    cells = (
        f"`{row.element}`",
        _shown(row.default),
        row.meaning,
        f"`{row.name}`",
        _values(row),
        searched + _evolved(row) + (", if named" if row.optional else ""),
        _words(row),
    )
    return f"| {' | '.join(cells)} |"


def _evolved(row: ParameterRow) -> str:
    differs = row.evolved_with_values != row.evolved
    return _shown(row.evolved) + (f", with values {_shown(row.evolved_with_values)}" if differs else "")


def _values(row: ParameterRow) -> str:
    if row.kind in (bool, str):
        return " or ".join(row.choices or ("True", "False"))
    return f"{'whole, ' if row.kind is int else ''}{row.allowed}"


def _words(row: ParameterRow) -> str:
    if row.option is None:
        return ""
    bare = row.default if row.option.bare is None else row.option.bare
    return f"`{row.option.word}`" if row.kind is bool else f"`{row.option.word}={_shown(bare)}`"


def _shown(value: ParameterValue) -> str:
    return str(value) if isinstance(value, bool | str) else f"{value:g}"
