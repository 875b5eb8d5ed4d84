import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.learners.evolution.history import fitness_curves, read_history
from gdl_miner.miner.runs.setup import interrupted_run


@pytest.fixture
def copy(finished_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished_run, tmp_path / "copy")
    return tmp_path / "copy"


def test_a_finished_run_is_complete_and_has_all_generations(finished_run: Path) -> None:
    history = read_history(finished_run)
    assert history.complete
    assert list(history.generations["generation"]) == [1, 2]
    assert list(history.best["name"]) == list(history.generations["best"])


@pytest.mark.parametrize("gene", ["uct_c", "puct_c", "expansions", "bias", "impact"])
def test_generations_have_the_search_parameters_of_their_best(finished_run: Path, gene: str) -> None:
    history = read_history(finished_run)
    assert list(history.generations[f"best_{gene}"]) == list(history.best[gene])


def test_the_curves_of_a_tournament_end_in_the_scores_of_the_table(finished_run: Path) -> None:
    history = read_history(finished_run)
    rows = history.individuals[history.individuals["generation"] == 2].set_index("name")
    curves = fitness_curves(history, 2)
    assert {curve.name for curve in curves} == set(rows.index)
    for curve in curves:
        assert curve.matches[-1] == rows["matches"][curve.name]
        assert curve.win_percent[-1] == pytest.approx(rows["win_percent"][curve.name])
        assert curve.round_ends[-1] == curve.matches[-1]


def test_a_line_that_is_just_being_written_is_left_for_later(copy: Path) -> None:
    with (copy / "generations.csv").open("a") as file:
        file.write("3,96,g003-i0")
    assert len(read_history(copy).generations) == 2


def test_a_table_with_other_columns_is_refused_by_name(copy: Path) -> None:
    table = copy / "individuals.csv"
    table.write_text(table.read_text().replace("uct_c", "exploration", 1))
    with pytest.raises(ConfigError, match=r"individuals\.csv: .*another version \(there is no uct_c\)"):
        read_history(copy)


@pytest.mark.parametrize("read", [read_history, lambda folder: interrupted_run(folder).cut_tables()])
def test_a_run_without_the_column_of_the_puct_constant_is_refused(copy: Path, read: Callable[[Path], object]) -> None:
    table = copy / "generations.csv"
    pd.read_csv(table).drop(columns="best_puct_c").to_csv(table, index=False)
    before = table.read_bytes()
    with pytest.raises(ConfigError, match=r"generations\.csv: the columns are those of another version"):
        read(copy)
    assert table.read_bytes() == before


def test_a_run_of_another_format_is_refused_with_the_version_that_made_it(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "format": 0}))
    environment = json.loads((copy / "env.json").read_text())
    (copy / "env.json").write_text(json.dumps({**environment, "version": "0.0.3"}))
    with pytest.raises(ConfigError, match=r"a run of format 0, made by gdl-miner 0\.0\.3; this version reads format 2"):
        read_history(copy)


@pytest.mark.parametrize("name", ["env.json", "champion.json"])
def test_a_damaged_file_is_named(copy: Path, name: str) -> None:
    (copy / name).write_text("{")
    with pytest.raises(ConfigError, match=name):
        read_history(copy)
