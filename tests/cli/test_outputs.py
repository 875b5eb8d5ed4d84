"""A file that cannot be written is reported before the work, not after it."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import agent.cli
import miner.cli
from agent.errors import UserError

GAME = ("--game", "tictactoe.ext")
AGENT, MINER = agent.cli.app, miner.cli.app


@pytest.mark.parametrize(
    ("app", "arguments", "option"),
    [
        (AGENT, ("play", *GAME), "--record"),
        (AGENT, ("referee", *GAME, "--players", "random,random"), "--record"),
        (MINER, ("mine", *GAME, "nosuch.xml"), "--out"),
        (MINER, ("prune", "nosuch.xml"), "--out"),
        (MINER, ("explain", "nosuch.xml"), "--html"),
    ],
)
@pytest.mark.parametrize("place", ["nowhere/file.xml", "."])
def test_an_output_without_a_place_is_refused_before_anything_is_read_or_played(
    app: Any, arguments: tuple[str, ...], option: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [*arguments, option, place])
    assert isinstance(result.exception, UserError)
    assert str(result.exception).startswith(f"{place}: cannot be written (")
    assert result.stdout == ""
