"""Flags of commands for the options of a search, made from the table of parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import typer

from gdl_miner.agent.knowledge.parameter_row import Option, ParameterRow
from gdl_miner.agent.knowledge.parameters import OPTIONS
from gdl_miner.agent.limits import MAX_FACTOR, MAX_PLAYOUTS

__all__ = ["NOTHING_ASKED", "Asked", "search_flags"]

Asked: TypeAlias = Mapping[str, Any]  # values of the parameters that flags change, by name
NOTHING_ASKED: Asked = MappingProxyType({})

_CommandFunction: TypeAlias = Callable[..., None]


def search_flags(help_of: Callable[[Option], str]) -> Callable[[_CommandFunction], _CommandFunction]:
    """Give a command a flag for each option that `help_of` has a text for, in place of its argument `asked`.

    The command gets the values that flags change as `asked`. A flag with the default of its parameter changes nothing.
    """
    flags = [(row, option) for row, option in OPTIONS if help_of(option)]

    def with_flags(command: _CommandFunction) -> _CommandFunction:
        @wraps(command)
        def run(**given: Any) -> None:
            values = {row.name: given.pop(_argument(option)) for row, option in flags}
            asked = {row.name: values[row.name] for row, _ in flags if values[row.name] != row.default}
            command(**given, asked=asked)

        signature = inspect.signature(command, eval_str=True)
        made = [_parameter(row, option, help_of(option)) for row, option in flags]
        arguments = [new for old in signature.parameters.values() for new in (made if old.name == "asked" else [old])]
        vars(run)["__signature__"] = signature.replace(parameters=arguments)  # typer reads it
        return run

    return with_flags


def _argument(option: Option) -> str:
    return option.word.replace("-", "_")


def _parameter(row: ParameterRow, option: Option, text: str) -> inspect.Parameter:
    most = _MOST.get(row.kind)  # None where the option takes no number
    return inspect.Parameter(
        _argument(option),
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=typer.Option(
            row.default,
            option.flag,
            min=None if most is None else row.allowed.least,
            max=None if most is None else min(row.allowed.most, most),
            help=text,
        ),
        annotation=Literal[row.choices] if row.choices else row.kind,
    )


_MOST: Mapping[type, float] = {int: MAX_PLAYOUTS, float: MAX_FACTOR}
