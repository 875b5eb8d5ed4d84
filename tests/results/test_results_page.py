"""results/README.md explains every file and every column of a run."""

import csv
import re
from pathlib import Path

import pytest

from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.store import BEST, LAST, PRUNING, TUNING, VALUE_TRIAL, WHOLE

PAGE = (Path(__file__).parents[2] / "results" / "README.md").read_text("utf-8")
NAMED = set(re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)))


def test_every_file_of_a_run_is_explained(finished_run: Path) -> None:
    named = {name.partition("/")[0] for name in NAMED}
    of_other_runs = {BEST, LAST, WHOLE, PRUNING, TUNING, VALUE_TRIAL}
    assert {*of_other_runs, *(path.name for path in finished_run.iterdir())} - named == set()


@pytest.mark.parametrize("table", ["steps", "matches", "timings"])
def test_every_column_of_a_table_is_explained(finished_run: Path, table: str) -> None:
    with (finished_run / f"{table}.csv").open() as file:
        columns = set(next(csv.reader(file)))
    assert columns - NAMED - {"matches", "id"} == set(), "names that do not explain themselves"


def test_every_metric_is_explained(finished_run: Path) -> None:
    plain, together = {"wins", "draws", "losses"}, {*GENOME.names, *(each.element for each in FEATURE_CLASSES)}
    assert set(read_run(finished_run).steps["metric"]) - NAMED - plain - together == set()
