import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from typer.testing import CliRunner

from tests.needs import NEEDS, STRICT

SEED = 2  # of the finished run; its champion beats bare UCT
TINY = """
[networks]
generations = 0
[evolution]
generations = 2
population = 3
elitism = 0.34
newcomers = 0.0
value_steps = 0
[tournament]
matches_without_knowledge = 16
matches_per_individual = 8
validation_matches = 10
[search]
playouts = 10
playouts_without_knowledge = 10
[pruning]
matches = 128
positions = 20
"""

# How long an example takes says how busy the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that makes tests fail, and not skip, where the machine lacks what they need."""
    parser.addoption(
        "--strict-skips",
        nargs="?",
        const=",".join(NEEDS),
        default="",
        metavar="NEEDS",
        help=f"Fail tests that would be skipped because these are missing: {', '.join(NEEDS)} (all if none is named).",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Pass the option on to the processes of the tests. Raise UsageError where it names something else."""
    asked = config.getoption("--strict-skips")
    unknown = [need for need in asked.split(",") if need and need not in NEEDS]
    if unknown:
        raise pytest.UsageError(f"--strict-skips: {unknown[0]}: no test needs this; name some of {','.join(NEEDS)}")
    if asked:
        os.environ[STRICT] = asked


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Cache the circuits that tests prepare for this run only; its processes share them."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent / "cache" if "PYTEST_XDIST_WORKER" in os.environ else base / "cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of slow tests, so that no process has one of them left when all others are done."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def copied_run(finished_run: Path, tmp_path: Path) -> Path:
    """Return a copy of the complete run, which a test may change."""
    return shutil.copytree(finished_run, tmp_path / "run")


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a complete run on a tiny configuration, which tests must only read."""
    from gdl_miner.miner.cli import app  # here, so that tests of other packages do not import the miner

    folder = tmp_path_factory.mktemp("runs")
    (folder / "tiny.toml").write_text(TINY)
    arguments = ["evolve", "--game", "tictactoe.ext.kif", "--config", str(folder / "tiny.toml"), "--executor", "serial"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(folder / "run"), "--seed", str(SEED)])
    assert result.exit_code == 0, result.output
    return folder / "run"
