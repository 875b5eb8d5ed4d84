"""results/README.md explains every file and every column of a run."""

import csv
import re
from pathlib import Path

import pytest

from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.miner.learners.evolution.genome import GENOME

PAGE = (Path(__file__).parents[2] / "results" / "README.md").read_text("utf-8")
NAMED = set(re.findall(r"`([^`]+)`", PAGE))


def test_every_file_of_a_run_is_explained(finished_run: Path) -> None:
    named = {name.partition("/")[0] for name in NAMED}
    assert {path.name for path in finished_run.iterdir()} - named == set()


@pytest.mark.parametrize("table", ["generations", "individuals", "matches", "timings"])
def test_every_column_of_a_table_is_explained(finished_run: Path, table: str) -> None:
    with (finished_run / f"{table}.csv").open() as file:
        columns = set(next(csv.reader(file)))
    plain = {"generation", "matches", "wins", "draws", "losses", "id", "best"}  # columns whose names explain them
    together = {*GENOME.names, *(each.element for each in FEATURE_CLASSES)}
    whole = {column for column in columns if column not in NAMED}
    assert {re.sub("^(best|mean|min)_", "", column) for column in whole} - NAMED - plain - together == set()
