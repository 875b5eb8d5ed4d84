"""Whole runs on a small game give the same bytes wherever the work is done and however often it is interrupted."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.cluster.executor import RayExecutor
from gdl_miner.cluster.session import RaySession
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.play.executor import Executor, SerialExecutor, Shared, WorkerTask
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.setup import interrupted_run, new_run, run_content
from tests.cluster.chaos import Chaos
from tests.cluster.nodes import Nodes
from tests.cluster.small_run import GAME, SMALL, contents
from tests.runs.breaking import BreakError, Breaking, drive

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def config_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture(scope="module")
def config(config_file: Path) -> EvolutionConfig:
    return read_settings(EvolutionConfig, str(config_file))


def begin(folder: Path, config: EvolutionConfig, executor: Executor) -> None:
    machine = load_machine(GAME)
    content = run_content(EVOLUTION, config, machine.sheet, GAME, "small")
    drive(new_run(folder, content, config, machine, []), executor)


def go_on(folder: Path, executor: Executor) -> None:
    drive(interrupted_run(folder), executor)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, config: EvolutionConfig) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("reference") / "run"
    begin(folder, config, SerialExecutor())
    return contents(folder)


def test_a_run_leaves_all_that_is_promised(reference: dict[str, bytes]) -> None:
    assert reference["steps.csv"].count(b",win_percent,") == 2 * 4
    assert reference["steps.csv"].count(b",,features_mined,") == 2
    assert sum(name.startswith("knowledge/gen_00") for name in reference) == 8
    assert {"records/gen_000.xml.gz", "records/gen_002.xml.gz"} <= set(reference)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_number_of_workers_does_not_show_in_the_results(
    workers: int, executor: RayExecutor, tmp_path: Path, config: EvolutionConfig, reference: dict[str, bytes]
) -> None:
    begin(tmp_path / "run", config, RayExecutor(RaySession(workers)))
    assert contents(tmp_path / "run") == reference


class Losing(RayExecutor):
    """An executor that loses a node after five results and gets another one after twelve."""

    def __init__(self, executor: RayExecutor, nodes: Nodes) -> None:
        super().__init__(executor.session)
        self._nodes = nodes
        self._results = 0

    def run(
        self, work: Callable[..., Any], shared: Sequence[Shared], tasks: Sequence[WorkerTask]
    ) -> Iterator[tuple[str, Any]]:
        for result in super().run(work, shared, tasks):
            yield result
            self._results += 1
            if self._results == 5:
                self._nodes.lose_one()
            if self._results == 12:
                self._nodes.replace_lost(1)


def test_a_lost_node_and_one_that_joins_do_not_show_in_the_results(
    nodes: Nodes, executor: RayExecutor, tmp_path: Path, config: EvolutionConfig, reference: dict[str, bytes]
) -> None:
    begin(tmp_path / "run", config, Losing(executor, nodes))
    assert contents(tmp_path / "run") == reference


def test_another_seed_gives_another_run(tmp_path: Path, config: EvolutionConfig, reference: dict[str, bytes]) -> None:
    begin(tmp_path / "run", config.model_copy(update={"seed": 2}), SerialExecutor())
    assert contents(tmp_path / "run")["matches.csv"] != reference["matches.csv"]


def test_a_run_interrupted_again_and_again_ends_in_the_same_bytes(
    tmp_path: Path, config: EvolutionConfig, reference: dict[str, bytes]
) -> None:
    folder, interruptions = tmp_path / "run", 0
    try:
        begin(folder, config, Breaking(2))
    except BreakError:
        interruptions += 1
    while not (folder / "champion.json").exists():
        try:
            # Every start repeats some tasks: four players, counts in two tasks, mining for every role.
            go_on(folder, Breaking(9))
        except BreakError:
            interruptions += 1
    assert interruptions >= 5
    assert contents(folder) == reference


def test_a_run_whose_driver_is_killed_at_a_random_moment_ends_in_the_same_bytes(
    nodes: Nodes, tmp_path: Path, reference: dict[str, bytes]
) -> None:
    chaos = Chaos(nodes, tmp_path, SMALL, reference, usual_s=4.0)
    assert "driver-killed: SIGKILL" in chaos.round(1, "driver-killed")
    assert "driver-killed-writing: killed before" in chaos.round(1, "driver-killed-writing")
