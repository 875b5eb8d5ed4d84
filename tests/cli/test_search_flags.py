"""Flags for the options of a search, and the values that a command gets from them."""

from __future__ import annotations

from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from gdl_miner.agent import cli
from gdl_miner.agent.commands.search_flags import NOTHING_ASKED, Asked, search_flags
from gdl_miner.agent.knowledge.parameters import OPTIONS


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ((), {}),
        (("--fpu", "100"), {}),
        (("--solver", "--fpu", "20"), {"solver": True, "first_play_urgency": 20.0}),
    ],
)
def test_a_command_is_told_what_the_flags_change(arguments: tuple[str, ...], asked: dict[str, Any]) -> None:
    app, told = typer.Typer(), []

    @app.command()
    @search_flags(lambda option: option.play)
    def command(playouts: int = 1, asked: Asked = NOTHING_ASKED, seed: int = 2) -> None:
        told.append((playouts, asked, seed))

    result = CliRunner().invoke(app, [*arguments, "--seed", "3"])
    assert result.exit_code == 0
    assert told == [(1, asked, 3)]


def test_play_and_bench_have_a_flag_for_every_option_that_has_a_text_for_them() -> None:
    group: Any = get_command(cli.app)
    for command, wanted in (
        ("play", [option.flag for _, option in OPTIONS if option.play]),
        ("bench", [option.flag for _, option in OPTIONS if option.bench]),
    ):
        flags = [name for each in group.commands[command].params for name in each.opts]
        assert [flag for flag in flags if flag in {option.flag for _, option in OPTIONS}] == wanted
