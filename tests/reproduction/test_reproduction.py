import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent.errors import ConfigError
from miner.reproduction.cli import app

TINY = """
[evolution]
generations = 2
population = 3
[tournament]
matches_without_knowledge = 32
matches_per_individual = 4
validation_matches = 8
[search]
playouts = 8
[teaching]
positions = 8
playouts = 16
"""


def reproduce(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for a tiny evolution of connect four, which the command for table 6.4 makes."""
    folder = tmp_path_factory.mktemp("reproduction")
    (folder / "tiny.toml").write_text(TINY, "utf-8")
    return folder


def strength(runs: Path) -> Result:
    options = ("--config", str(runs / "tiny.toml"), "--out", str(runs), "--matches", "8", "--playouts", "8")
    return reproduce("table-6.4", "-g", "connectfour.ext", *options, "--executor", "serial", "--json")


def test_table_6_4_evolves_once_and_scores_the_champion_twice(runs: Path) -> None:
    row = json.loads(strength(runs).stdout.splitlines()[-1])
    assert (row["game"], row["matches"]) == ("connectfour.ext", 8)
    assert 0 <= row["low"] <= row["win_percent"] <= row["high"] <= 100
    assert row["time_ratio"] > 0
    champion = (runs / "connectfour.ext" / "best.xml").read_bytes()
    again = strength(runs)
    assert "taking the evolution" in again.stderr
    assert (runs / "connectfour.ext" / "best.xml").read_bytes() == champion


def test_figures_are_drawn_of_a_run(runs: Path, tmp_path: Path) -> None:
    strength(runs)
    reproduce("figures", str(runs / "connectfour.ext"), "--out", str(tmp_path))
    names = {"figure-6.1-connectfour.png", "figure-6.4-connectfour.png", "figure-6.7.png", "figure-6.8-connectfour.png"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in tmp_path.iterdir())


def test_table_6_5_bounds_both_tables_by_the_share_asked_for() -> None:
    result = reproduce(
        "table-6.5", "-g", "othello.ext", "--playouts", "20", "--matches", "8", "--share", "0.02", "--json"
    )
    row = json.loads(result.stdout.splitlines()[-1])
    assert row["states_allowed"] == round(0.02 * row["states_needed"])
    assert row["states_needed"] > 20 * 20
    assert row["matches"] == 8


def test_a_game_that_the_thesis_lacks_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"chess.*take one of amazons"):
        reproduce("table-6.5", "-g", "chess")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=str(tmp_path)):
        reproduce("figures", str(tmp_path))
