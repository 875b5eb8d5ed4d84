"""Gates of decisive moves: they mark exactly the moves that the plain twin finds by making each of them."""

import random

import numpy as np
import pytest

from gdl_miner.agent import _native
from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.gdl.rules import parse_sheet
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.reasoner.prepare import prepare
from tests.corpus import sheet_path
from tests.instruction_sets import BASELINE, EACH_SET
from tests.native.twin import lane_mask
from tests.search.naive_decisive import NaiveDecisiveMoves

FIRST = lane_mask(np.arange(64) == 0)
LEVELS = ("decisive", "antidecisive")
BUNDLED = ("tictactoe.ext", "connectfour.ext", "breakthrough.ext", "cubicup.ext", "tictactoe5.ext", "checkers.ext")
SHEETS = (
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "knightThrough",
    "pentago",
    "cubicup",
    "2pttc",
    "ticTacToeSerial",
    "tictactoe_3player",
    "connectFourSuicide_7x7",
    "eightPuzzle",
    "nim1",
    "sheepAndWolf",
    "pawnToQueen",
    "quartoSuicide",
    "madBishops",
    "minichess",
    "ttcc4_2player_small",
)


def assert_marks(machine: Machine, level: str, states: int, seed: int = 1) -> int:
    """Compare preferred rows along matches that are half random; return the states in which not all rows are."""
    twin = NaiveDecisiveMoves(machine, level)
    lanes = _native.Lanes(machine.native, 64, None, level)
    rng = random.Random(seed)
    state, restricted = machine.initial(), 0
    for _ in range(states):
        legal = [rows.tolist() for rows in machine.legal(state)]
        if machine.terminal(state) or not all(legal):
            state = machine.initial()
            continue
        lanes.load(0, state, 1)
        lanes.evaluate()
        preferred = twin.preferred(state)
        assert lanes.list_preferred(FIRST)[0].tolist() == [row for rows in preferred for row in rows]
        assert lanes.list_legal(FIRST)[0].tolist() == [row for rows in legal for row in rows]
        lanes.advance()
        restricted += sum(map(len, preferred)) < sum(map(len, legal))
        state = machine.next(state, [rng.choice(rows) for rows in (legal if rng.random() < 0.8 else preferred)])
    return restricted


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("game", BUNDLED)
def test_gates_mark_the_moves_that_the_twin_finds(game: str, level: str) -> None:
    restricted = assert_marks(load_machine(game), level, 60)
    if game in ("tictactoe.ext", "connectfour.ext", "tictactoe5.ext"):
        assert restricted > 0


@pytest.mark.parametrize("name", SHEETS)
def test_gates_mark_the_moves_of_games_of_the_corpus(name: str) -> None:
    assert_marks(load_machine(str(sheet_path(name))), "antidecisive", 40)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_gates_mark_the_moves_of_all_small_games_of_the_corpus(part: int) -> None:
    paths = sorted(path for path in sheet_path("").parent.glob("*.kif") if path.stat().st_size < 3500)
    for path in paths[part::4]:
        try:
            machine = load_machine(str(path), budget_s=3)
        except BudgetError:
            continue
        assert_marks(machine, "antidecisive", 10)


def machine_of(text: str) -> Machine:
    sheet = parse_sheet(text)
    return Machine(sheet, prepare(sheet))


SIMULTANEOUS = """
(role a) (role b) (init start) (true_or_not x)
(<= (legal a ?m) (option ?m)) (<= (legal b ?m) (option ?m)) (option one) (option two)
(<= (next over) (does a ?m) (does b ?m)) (<= (next odd) (does a ?m) (does b ?n) (distinct ?m ?n))
(<= terminal (true over)) (<= terminal (true odd))
(<= (goal a 100) (true over)) (<= (goal b 100) (true odd)) (<= (goal a 0) (true odd)) (<= (goal b 0) (true over))
"""


def test_games_with_simultaneous_moves_have_none() -> None:
    settled, reason, cost, _ = _native.decisive_moves(machine_of(SIMULTANEOUS).native, "antidecisive")
    assert (settled, reason, cost) == ("off", "several roles may choose at the same time", 0)


def test_auto_prefers_winning_moves_where_that_is_cheap() -> None:
    assert load_machine("connectfour.ext").decisive_moves("auto").words.startswith("decisive; a step costs 2.")
    dear = load_machine("checkers.ext").decisive_moves("auto")
    assert (dear.settled, dear.reason) == ("off", "")
    assert dear.cost > 3
    assert dear.words.startswith("off; a step would cost 3.")
    none = machine_of(SIMULTANEOUS).decisive_moves("auto")
    assert none.words == "off, because several roles may choose at the same time"


def test_unknown_names_are_refused() -> None:
    machine = load_machine("tictactoe.ext")
    with pytest.raises(ValueError, match="off, decisive, antidecisive or auto, not always"):
        _native.decisive_moves(machine.native, "always")


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("level", LEVELS)
def test_playouts_depend_on_the_seed_alone(level: str, isa: str) -> None:
    machine = load_machine("connectfour.ext").native
    found = [
        machine.playouts(count=300, seed=5, lanes=lanes, isa=name, follow_turns=follow, decisive=level)
        for lanes in (64, 512)
        for name in (BASELINE, isa)
        for follow in (False, True)
    ]
    assert len({(totals.states, tuple(totals.goals)) for totals in found}) == 1


def test_decisive_playouts_of_tic_tac_toe_agree_with_those_of_the_twin() -> None:
    machine = load_machine("tictactoe.ext")
    for level in LEVELS:
        twin, rng, wins = NaiveDecisiveMoves(machine, level), random.Random(3), 0
        for _ in range(400):
            state = machine.initial()
            while not machine.terminal(state):
                state = machine.next(state, [rng.choice(rows) for rows in twin.preferred(state)])
            wins += machine.goals(state)[0]
        totals = machine.native.playouts(count=4000, seed=1, decisive=level)
        assert abs(wins / 400 - totals.goals[0] / 4000) < 8  # four standard errors of a mean of goals


def test_lanes_choose_among_preferred_rows_where_they_are_told() -> None:
    machine = load_machine("tictactoe.ext")
    twin = NaiveDecisiveMoves(machine, "decisive")
    rng, state = random.Random(0), machine.initial()
    while sum(map(len, twin.preferred(state))) == sum(map(len, machine.legal(state))):
        state = machine.next(state, [rng.choice(rows.tolist()) for rows in machine.legal(state)])
        state = machine.initial() if machine.terminal(state) else state
    lanes = _native.Lanes(machine.native, 64, None, "decisive")
    for lane in range(64):
        lanes.load(lane, state, lane)
    lanes.evaluate()
    everywhere = np.full(1, 2**64 - 1, np.uint64)
    lanes.choose_preferred(everywhere, lane_mask(np.arange(64) < 32))
    preferred = {row for rows in twin.preferred(state) for row in rows}
    chosen = [set(rows.tolist()) for rows in lanes.list_chosen(everywhere)]
    assert all(rows <= preferred for rows in chosen[:32])
    assert not all(rows <= preferred for rows in chosen[32:])
