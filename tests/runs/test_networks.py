"""Networks of a run train on workers and meet in pools."""

from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.results.acceptance import acceptance_rows
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.runs.settings import read_settings
from tests.corpus import sheet_path
from tests.runs.breaking import drive
from tests.runs.quick import quick_run

FEW: dict[str, dict[str, Any]] = {
    "networks": {
        "generations": 3, "population": 2, "seconds": 0.01, "final_seconds": 0.02, "matches": 4, "deeper_matches": 2,
        "match_share": 1000.0, "mined_tuples": 2, "mined_positions": 40,
    },
    "evolution": {"trial_matches": 0},
    "tournament": {"validation_matches": 4},
    "search": {"playouts": 10},
}  # fmt: skip


@pytest.mark.parametrize("game", ["tictactoe.ext", "hex5.ext"])
def test_two_networks_are_a_population(game: str, tmp_path: Path) -> None:
    drive(quick_run(tmp_path / "run", game, EVOLUTION, FEW))
    history = read_run(tmp_path / "run")
    sizes = history.players.groupby("step").size().tolist()
    assert sizes[0] == 2
    assert history.complete
    assert history.origin == "the first network"
    assert set(history.matches["phase"]) == {"tournament", "deeper tournament", "validation"}
    [before, last] = history.main["name"].tolist()[1:3]
    met = [set(players.split()) == {before, last} for players in history.matches["players"]]
    of_step = (history.matches["step"] == 3)[met]
    rows = [row for row in acceptance_rows(history) if row[0] == "last training"]
    assert sum(int(row[3].split()[0]) for row in rows) == (of_step.sum() if last.startswith("g003") else 0)


def test_islands_are_measured_together(tmp_path: Path) -> None:
    networks = {**FEW["networks"], "generations": 4, "islands": 2, "exchange": 2, "population": 3}
    drive(quick_run(tmp_path / "run", "hex5.ext", EVOLUTION, {**FEW, "networks": networks}))
    players = read_run(tmp_path / "run").players
    new = players[
        [name.startswith(f"g{step:03d}") for name, step in zip(players["name"], players["step"], strict=True)]
    ]
    assert new.groupby(["step", "island"]).size().to_dict() == {
        (1, 1): 3, (1, 2): 3, (2, 1): 2, (2, 2): 2, (3, 1): 2, (3, 2): 2, (4, 1): 1,
    }  # fmt: skip
    assert players["elo"].notna().all()


@pytest.mark.parametrize("name", ["hanoi", "gt_chicken", "ttcc4"])
def test_networks_evolve_for_one_role_for_simultaneous_moves_and_for_more_roles(name: str, tmp_path: Path) -> None:
    drive(quick_run(tmp_path / "run", str(sheet_path(name)), EVOLUTION, FEW))
    history = read_run(tmp_path / "run")
    assert history.complete
    curves = {curve.name: curve for curve in history.fitness_curves(3)}
    last = history.players[history.players["step"] == 3].set_index("name")
    assert set(curves) == set(last.index), "each player of a pair has its score"


def test_searches_of_too_many_playouts_are_refused_before_the_run_begins() -> None:
    with pytest.raises(ConfigError, match=r"networks\.depth.*networks\.generations = 0"):
        read_settings(EvolutionConfig, "quick", {"search": {"playouts": 50_000_000}, "evolution": {"trial_matches": 0}})
