"""A file that cannot be written is reported before the work, not after it."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gdl_miner.agent.cli import app as agent
from gdl_miner.agent.errors import UserError
from gdl_miner.miner.cli import app as miner

GAME = ("--game", "tictactoe.ext")


@pytest.mark.parametrize(
    ("app", "arguments", "option"),
    [
        (agent, ("play", *GAME), "--record"),
        (agent, ("referee", *GAME, "--players", "random,random"), "--record"),
        (miner, ("mine", *GAME, "nosuch.xml"), "--out"),
        (miner, ("prune", "nosuch.xml"), "--out"),
        (miner, ("explain", "nosuch.xml"), "--html"),
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
