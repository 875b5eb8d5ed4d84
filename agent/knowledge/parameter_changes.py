"""Changes of parameters on the command line: `--option solver`, `--option uct_c=20`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge.parameter_row import ParameterRow, ParameterValue
from gdl_miner.agent.knowledge.parameters import OPTIONS, PARAMETERS, Parameters


def read_changes(given: Iterable[str]) -> dict[str, Any]:
    """Return the values of texts `NAME=VALUE`, by parameter.

    The name is that of a parameter (`first_play_urgency`) or of the option of a search that sets it (`fpu`). A name
    alone sets the value that the option has without one; a switch is turned on.

    Raises ConfigError for a name that is none, or a value that the parameter cannot have.
    """
    changes: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        row = _ROWS.get(name)
        if row is None:
            raise ConfigError(f"--option {text}: there is no parameter {name}; give one of {', '.join(sorted(_ROWS))}")
        try:
            changes[row.name] = _read(row, value) if equals else _bare(row)
            Parameters(**changes)
        except ValueError as error:
            raise ConfigError(f"--option {text}: {error}") from None
    return changes


def _read(row: ParameterRow, value: str) -> ParameterValue:
    if row.kind is bool and value.lower() not in ("true", "false"):
        raise ValueError(f"{row.name} is a switch; give true or false")
    return row.read(value)


def _bare(row: ParameterRow) -> ParameterValue:
    if row.kind is bool:
        return True
    if row.option is None or row.option.bare is None:
        raise ValueError(f"{row.name} needs a value, as in {row.name}={row.default}")
    return row.option.bare


_ROWS = {row.name: row for row in PARAMETERS if row.class_weights is None} | {
    option.word: row for row, option in OPTIONS
}
