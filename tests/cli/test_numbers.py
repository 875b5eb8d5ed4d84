"""For every number on the command line, a program says what it takes instead of failing inside."""

from importlib import import_module
from typing import Any

import pytest
from typer.main import get_command

from gdl_miner.agent.limits import MAX_SEED
from tests.command_line import agent

APPLICATIONS = ("gdl_miner.agent.cli", "gdl_miner.miner.cli", "lab.studies")
NUMBERS = (int, float, int | None, float | None, list[int], list[float])


def numeric_options(module: str) -> list[tuple[str, Any]]:
    """The commands of an application and their options that take numbers."""
    group: Any = get_command(import_module(module).app)
    return [
        (name, option)
        for name, command in group.commands.items()
        for option in command.params
        if option.type_descriptor.annotation in NUMBERS
    ]


@pytest.mark.parametrize("module", APPLICATIONS)
def test_every_number_has_a_least_and_a_largest_value(module: str) -> None:
    options = numeric_options(module)
    assert options
    assert [f"{name} {option.opts[0]}" for name, option in options if option.min is None or option.max is None] == []


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "1e400", "-1"])
@pytest.mark.parametrize("option", ["--seconds", "--budget"])
def test_what_is_no_usable_number_is_refused_by_its_options_name(option: str, value: str) -> None:
    result = agent("bench", "--game", "tictactoe.ext", "--search", option, value)
    assert result.exit_code == 2
    assert option in result.stderr


def test_the_largest_seed_is_one_that_plays() -> None:
    asked = ("bench", "--game", "tictactoe.ext", "--seconds", 0.02, "--seed")
    assert agent(*asked, MAX_SEED).exit_code == 0
    assert agent(*asked, MAX_SEED + 1).exit_code == 2
