"""The history of a run, read from its folder."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.store import FORMAT
from gdl_miner.miner.runs.setup import interrupted_run


def test_a_finished_run_is_complete_and_has_all_generations(finished_run: Path) -> None:
    history = read_run(finished_run)
    assert history.complete
    assert history.main["step"].tolist() == [each.step for each in history.progress] == [1, 2]
    assert history.main["name"].tolist() == history.main["best"].tolist()
    assert history.measures["step"].tolist() == [0, 1, 2]
    assert history.measures["matches"].tolist()[0] == 16
    assert history.players.groupby("step").size().tolist() == [3, 3]


def test_measures_have_the_types_of_what_was_measured(finished_run: Path) -> None:
    players = read_run(finished_run).players
    assert set(GENOME.names) <= set(players)
    assert set(players["solver"].map(type)) == {bool}
    assert set(players["scoring"].map(type)) == {str}
    for _, row in players.iterrows():
        file = finished_run / "knowledge" / f"gen_{row['step']:03d}" / f"{row['name']}.xml"
        knowledge = read_knowledge(file)
        assert (row["uct_c"], row["features"]) == (pytest.approx(knowledge.parameters.uct_c), knowledge.n_features)


def test_the_curves_of_a_tournament_end_in_the_scores_of_the_table(finished_run: Path) -> None:
    history = read_run(finished_run)
    rows = history.players[history.players["step"] == 2].set_index("name")
    curves = history.fitness_curves(2)
    assert {curve.name for curve in curves} == set(rows.index)
    for curve in curves:
        assert curve.matches[-1] == rows["matches"][curve.name]
        assert curve.win_percent[-1] == pytest.approx(rows["win_percent"][curve.name])
        assert curve.round_ends[-1] == curve.matches[-1]


def test_a_line_that_is_just_being_written_is_left_for_later(copied_run: Path) -> None:
    with (copied_run / "steps.csv").open("a") as file:
        file.write("3,g003-i0")
    assert len(read_run(copied_run).main) == 2


@pytest.mark.parametrize("read", [read_run, lambda folder: interrupted_run(folder).cut_tables()])
@pytest.mark.parametrize(("name", "column"), [("steps.csv", "metric"), ("matches.csv", "seed")])
def test_a_table_with_other_columns_is_refused_by_name_and_left(
    copied_run: Path, name: str, column: str, read: Callable[[Path], object]
) -> None:
    table = copied_run / name
    table.write_text(table.read_text().replace(f",{column},", ",other,", 1))
    before = table.read_bytes()
    with pytest.raises(ConfigError, match=rf"{name}: the columns are those of another version"):
        read(copied_run)
    assert table.read_bytes() == before


def test_a_table_with_another_step_is_damaged(copied_run: Path) -> None:
    with (copied_run / "steps.csv").open("a") as file:
        file.write("third,g003-i001,elo,3\n")
    with pytest.raises(ConfigError, match=r"steps\.csv: the table is damaged \(.*third.*\); restore it"):
        read_run(copied_run)


def test_a_run_of_another_format_is_refused_with_the_version_that_made_it(copied_run: Path) -> None:
    config = json.loads((copied_run / "config.json").read_text())
    (copied_run / "config.json").write_text(json.dumps({**config, "format": 0}))
    environment = json.loads((copied_run / "env.json").read_text())
    (copied_run / "env.json").write_text(json.dumps({**environment, "version": "0.0.3"}))
    said = rf"a run of format 0, made by gdl-miner 0\.0\.3; this version reads format {FORMAT}"
    with pytest.raises(ConfigError, match=said):
        read_run(copied_run)


@pytest.mark.parametrize("name", ["env.json", "champion.json"])
def test_a_damaged_file_is_named(copied_run: Path, name: str) -> None:
    (copied_run / name).write_text("{")
    with pytest.raises(ConfigError, match=name):
        read_run(copied_run)
