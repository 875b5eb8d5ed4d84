from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import Result

from tests.command_line import miner

Refusal = Callable[..., str]

TWO_METHODS = """
seed = 1
[values]
steps = 2
games = 16
matches = 8
random_matches = 0
validation_matches = 8
[culture]
steps = 2
forages = 1
individuals = 3
opponents = 4
scale_games = 0
matches = 8
random_matches = 0
validation_matches = 8
[long_searches]
playouts = 0
"""


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refusal:
    """Return a function that calls a program, which must exit with status 2 and print only what it then returns."""

    def call(program: str, *arguments: object) -> str:
        monkeypatch.setattr("sys.argv", [program, *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            import_module(f"gdl_miner.{program}.__main__").main()
        assert stopped.value.code == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        return printed.err

    return call


@pytest.fixture(scope="session")
def methods(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A sweep of a game by two methods with two seeds each."""
    out = tmp_path_factory.mktemp("methods")
    (out / "two.toml").write_text(TWO_METHODS)
    choice = ["--with", "values", "--with", "culture", "--config", out / "two.toml", "--seeds", "1-2"]
    return out / "sweep", miner("sweep", "tictactoe.ext", *choice, "--out", out / "sweep", "--executor", "serial")
