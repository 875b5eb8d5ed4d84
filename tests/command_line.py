"""The programs of the command line, called in the process of the test."""

from typing import Any

from typer.testing import CliRunner, Result

from gdl_miner.agent.cli import app as agent_app


def agent(*arguments: object, columns: int = 120) -> Result:
    return _called(agent_app, arguments, columns)


def miner(*arguments: object, columns: int = 120) -> Result:
    from gdl_miner.miner.cli import app  # here, so that tests of other packages do not import the miner

    return _called(app, arguments, columns)


def lab(*arguments: object, columns: int = 120) -> Result:
    from lab.studies import app

    return _called(app, arguments, columns)


def _called(app: Any, arguments: tuple[object, ...], columns: int) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": str(columns)})


def succeeded(result: Result) -> str:
    """Return what a program has printed; its error or its output is told if it has failed."""
    if isinstance(result.exception, Exception):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout
