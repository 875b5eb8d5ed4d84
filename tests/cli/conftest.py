from collections.abc import Callable
from importlib import import_module

import pytest

Refusal = Callable[..., str]


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
