"""Tournaments and mining on a cluster give what they give in one process."""

from pathlib import Path

import numpy as np
import pytest
from rich.progress import Progress

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.record_xml import write_records
from gdl_miner.agent.search.uct import play_matches
from gdl_miner.cluster.executor import RayExecutor
from gdl_miner.miner.commands.mine import mine_files, record_files
from gdl_miner.miner.mining.mine import MinedKnowledge
from gdl_miner.miner.play.comparison import ComparisonRule, RoundRobin, round_robin
from gdl_miner.miner.play.executor import Executor, SerialExecutor
from gdl_miner.miner.play.match_tasks import matches_on
from tests.cluster.small_run import GAME

pytestmark = pytest.mark.slow


def test_a_tournament_on_a_cluster_ends_as_in_one_process(executor: RayExecutor) -> None:
    machine = load_machine(GAME)
    players = [PlayerSpec("uct", playouts=20), PlayerSpec("uct", playouts=5), PlayerSpec("random")]

    def play(where: Executor) -> RoundRobin:
        return round_robin(3, 2, ComparisonRule(40), 1, matches_on(where, machine, players, lambda _: None))

    assert play(executor) == play(SerialExecutor())


def test_files_mined_on_a_cluster_teach_what_they_teach_in_one_process(executor: RayExecutor, tmp_path: Path) -> None:
    machine = load_machine(GAME)
    for number in range(3):
        names = [f"f{number}-m{match}" for match in range(40)]
        record = play_matches(machine, [PlayerSpec("uct", playouts=12)], np.zeros((40, 2), np.int32), range(40), names)
        write_records(record, machine, tmp_path / f"{number}.xml.gz")

    def mine(where: Executor) -> tuple[MinedKnowledge, int]:
        with Progress(disable=True) as progress:
            return mine_files(record_files([str(tmp_path)]), machine, 1, where, progress)

    found = mine(executor)
    assert found == mine(SerialExecutor())
    assert found[1] == 120
