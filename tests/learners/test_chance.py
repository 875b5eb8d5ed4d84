"""Games with the role `random` are learned: values by self-play over chance, and matches between the other roles."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import read_sheet
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.method import method_named
from tests.command_line import miner, succeeded
from tests.learners.driving import Changes
from tests.runs.breaking import drive
from tests.runs.quick import quick_run
from tests.search.chance_games import BET, RACE, TILES, TRACK

VALUES: dict[str, Any] = {"steps": 1, "games": 2000, "matches": 8, "random_matches": 60, "validation_matches": 60}


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with rule sheets."""
    folder = tmp_path_factory.mktemp("sheets")
    for name, text in (("track", TRACK), ("tiles", TILES), ("race", RACE), ("bet", BET)):
        (folder / f"{name}.kif").write_text(text, "utf-8")
    return folder


def run_of(sheets: Path, folder: Path, game: str, method: str, changes: Changes) -> Path:
    drive(quick_run(folder, str(sheets / f"{game}.kif"), method_named(method), changes))
    return folder


def test_values_of_a_dice_race_beat_bare_uct(sheets: Path, tmp_path: Path) -> None:
    run = run_of(sheets, tmp_path / "run", "track", "values", {"values": {**VALUES, "shapes": "large"}})
    sheet = read_sheet(sheets / "track.kif")
    best = read_knowledge(run / "best.xml", sheet)
    assert best.values is not None
    assert {sheet.roles[part.role] for part in best.values.parts} == {"white"}, "black has the rest of the goals"
    history = read_run(run)
    assert history.main["random_win_percent"].iloc[-1] > 65
    assert history.champion is not None
    assert (history.champion["roles"], history.champion["n"]) == (2, 60)
    assert history.champion["win_percent"] > 60
    matches = pd.read_csv(run / "matches.csv")
    assert set(matches["players"].str.split().str.len()) == set(matches["goals"].str.split().str.len()) == {2}
    assert set(matches["goals"]) == {"100 0", "0 100"}
    assert "white" in succeeded(miner("explain", run / "best.xml", "--game", sheets / "track.kif"))
    assert "60 matches" in succeeded(miner("inspect", run))
    file = f"{run / 'best.xml'}@greedy"
    few = ("--matches", 4, "--playouts", 5, "--executor", "serial")
    played = succeeded(miner("tournament", file, "uct", "--game", sheets / "track.kif", *few))
    assert "greedy" in played


def test_values_of_a_puzzle_of_chance_beat_bare_uct(sheets: Path, tmp_path: Path) -> None:
    values = {**VALUES, "games": 600, "random_matches": 0, "validation_matches": 20}
    history = read_run(run_of(sheets, tmp_path / "run", "tiles", "values", {"values": values}))
    assert history.champion is not None
    assert history.champion["roles"] == 1
    assert history.champion["win_percent"] > 60


def test_networks_evolve_over_chance(sheets: Path, tmp_path: Path) -> None:
    networks = {"generations": 2, "population": 2, "finalists": 1, "seconds": 0.1, "final_seconds": 0.1, "matches": 4}
    few = {"mined_positions": 20, "mined_playouts": 20, "deeper_matches": 0}
    changes: Changes = {
        "networks": {**networks, **few},
        "evolution": {"trial_matches": 0},
        "tournament": {"validation_matches": 4},
        "acceptance": {"matches": 0},
    }
    run = run_of(sheets, tmp_path / "run", "race", "evolution", changes)
    assert read_run(run).complete
    assert (run / "report.html").exists()


@pytest.mark.parametrize(
    ("method", "changes", "advice"),
    [
        ("evolution", {"evolution": {"generations": 2}}, "set generations = 0 under"),
        ("culture", {}, "take the learner evolution or values"),
        ("expert-iteration", {}, "take the learner evolution or values"),
        ("gifl", {}, "take the learner evolution or values"),
    ],
)
def test_what_is_not_for_chance_says_so_before_it_begins(
    sheets: Path, tmp_path: Path, method: str, changes: Changes, advice: str
) -> None:
    with pytest.raises(ConfigError, match=f"bet: the role random moves by chance, .*; {advice}"):
        quick_run(tmp_path / "run", str(sheets / "bet.kif"), method_named(method), changes)
    assert not (tmp_path / "run").exists()
