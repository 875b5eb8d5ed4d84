"""A sample of third-party sheets on both engines; `scripts/corpus-check` runs all of them."""

import pytest

from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.reasoner.engines import CircuitEngine, InterpreterEngine, TextEngine
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.reasoner.trace import check_traces, read_traces
from tests.corpus import sheet_path, trace_path

# fmt: off
# These prepare quickly.
COMPILED = [
    "2pttc", "aipsrovers01", "blocker", "blocks", "blocksWorldParallel", "brain_teaser_extended", "bunk_t",
    "chickentoetictac", "cittaceot", "coins", "connectFour", "cubicup", "double_tictactoe_dengji", "eightPuzzle",
    "englishDraughts", "factoringGeorgeForman", "golden_rectangle", "gt_chicken", "hallway", "hanoi", "lightsOn",
    "maze", "minichess", "nim1", "pancakes", "pawnToQueen", "pawnWhopping", "pentago", "queens06ug", "roshambo2",
    "rubiksCubeSuperflip", "sheepAndWolf", "smallest_4player", "snake_2008_tweaked", "stateSpaceSmall", "ticTacToe",
    "ticTacToeNoVars", "tictactoe_3player", "troublemaker01", "troublemaker02", "twisty-passages",
]
# Small or unusual games: with turns or simultaneous moves, one to six roles, recursive lists, deep rules, many goals.
INTERPRETED = [
    "ticTacToe", "connectFour", "laikLee_hex", "2pttc", "blocksWorldParallel", "breakthrough", "bomberman2p",
    "chineseCheckers6", "coins_atomic", "cittaceot", "englishDraughts", "factoringMutuallyAssuredDestruction",
    "gt_two_thirds_6p", "hanoi", "knightThrough", "lightsOut", "minichess-evilconjuncts", "mummymaze1p",
    "ruleDepthExponential", "roshambo2", "smallest_4player", "snakeParallel", "troublemaker02",
]
# fmt: on


def assert_agreement_with_traces(engine: TextEngine, name: str, playouts: int | None = None) -> None:
    agreement = check_traces(engine, list(read_traces(trace_path(name)))[:playouts])
    assert agreement.difference is None
    assert agreement.states > 0


@pytest.mark.parametrize("name", COMPILED)
def test_the_circuit_agrees_with_an_independent_reasoner(name: str) -> None:
    assert_agreement_with_traces(CircuitEngine(load_machine(read_sheet(sheet_path(name)))), name)


@pytest.mark.parametrize("name", INTERPRETED)
def test_the_interpreter_agrees_with_an_independent_reasoner(name: str) -> None:
    assert_agreement_with_traces(InterpreterEngine(Interpreter(read_sheet(sheet_path(name)))), name, playouts=1)
