"""The options of the programs: a person can only look through so many."""

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

from typer.main import get_command

MOST = 150


def options_of(program: str) -> set[tuple[str, str]]:
    """Return the names and the help of a program's options; an option that several commands share counts once."""
    group: Any = get_command(import_module(program).app)
    commands = [group, *group.commands.values()]
    return {
        (" ".join(option.opts), option.help or "")
        for command in commands
        for option in command.params
        if option.param_type_name == "option"
    }


def test_the_programs_of_the_wheel_have_few_options() -> None:
    scripts = tomllib.loads(Path("pyproject.toml").read_text())["project"]["scripts"]
    counts = {name: len(options_of(place.replace("__main__:main", "cli"))) for name, place in scripts.items()}
    assert set(counts) == {"agent", "miner"}
    assert sum(counts.values()) <= MOST, counts
