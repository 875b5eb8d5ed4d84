"""A sample of third-party sheets that prepare quickly; `scripts/corpus-check` runs all of them."""

import pytest

from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.reasoner.engines import CircuitEngine
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.reasoner.trace import check_traces, read_traces
from tests.corpus import sheet_path, trace_path

SAMPLE = [
    "2pttc",
    "aipsrovers01",
    "blocker",
    "blocks",
    "blocksWorldParallel",
    "brain_teaser_extended",
    "bunk_t",
    "chickentoetictac",
    "cittaceot",
    "coins",
    "connectFour",
    "cubicup",
    "double_tictactoe_dengji",
    "eightPuzzle",
    "englishDraughts",
    "factoringGeorgeForman",
    "golden_rectangle",
    "gt_chicken",
    "hallway",
    "hanoi",
    "lightsOn",
    "maze",
    "minichess",
    "nim1",
    "pancakes",
    "pawnToQueen",
    "pawnWhopping",
    "pentago",
    "queens06ug",
    "roshambo2",
    "rubiksCubeSuperflip",
    "sheepAndWolf",
    "smallest_4player",
    "snake_2008_tweaked",
    "stateSpaceSmall",
    "ticTacToe",
    "ticTacToeNoVars",
    "tictactoe_3player",
    "troublemaker01",
    "troublemaker02",
    "twisty-passages",
]


@pytest.mark.parametrize("name", SAMPLE)
def test_the_circuit_agrees_with_an_independent_reasoner(name: str) -> None:
    machine = load_machine(read_sheet(sheet_path(name)))
    agreement = check_traces(CircuitEngine(machine), read_traces(trace_path(name)))
    assert agreement.difference is None
    assert agreement.states > 0
