"""Puzzle searches against plain searches through all states, and their lines against the interpreter."""

from collections import deque
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl_miner.agent import Player, _native
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.player.thought import TreeReport
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from tests.corpus import sheet_path

MEMORY = 64 << 20
WORKS = ("alternate", "systematic first", "rollouts only")

# Three tiles and a blank on a board of 2 x 2; the goal is smaller after more moves than the shortest line has.
TILES = """
(role robot) (index 1) (index 2) (tile a) (tile b) (tile c)
(init (cell 1 1 blank)) (init (cell 1 2 c)) (init (cell 2 1 b)) (init (cell 2 2 a)) (init (step 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
(other 1 2) (other 2 1)
(<= (beside ?x ?y ?x ?v) (index ?x) (other ?y ?v))
(<= (beside ?x ?y ?u ?y) (index ?y) (other ?x ?u))
(<= (legal robot (slide ?x ?y)) (true (cell ?u ?v blank)) (beside ?x ?y ?u ?v))
(<= (next (cell ?x ?y blank)) (does robot (slide ?x ?y)))
(<= (next (cell ?u ?v ?t)) (does robot (slide ?x ?y)) (true (cell ?x ?y ?t)) (true (cell ?u ?v blank)))
(<= (next (cell ?u ?v ?t)) (does robot (slide ?x ?y)) (true (cell ?u ?v ?t)) (tile ?t) (distinct ?u ?x))
(<= (next (cell ?u ?v ?t)) (does robot (slide ?x ?y)) (true (cell ?u ?v ?t)) (tile ?t) (distinct ?v ?y))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= ordered (true (cell 1 1 a)) (true (cell 1 2 b)) (true (cell 2 1 c)))
(<= early ordered (true (step 8)))
(<= terminal ordered) (<= terminal (true (step 9)))
(<= (goal robot 100) early)
(<= (goal robot 60) ordered (not early))
(<= (goal robot 0) (not ordered))
"""

# A walk of exactly six steps to the left or the right that must end on the second place: the places themselves are all
# reached earlier.
WALK = """
(role robot) (init (at 4)) (init (step 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8)
(<= (legal robot right) (true (at ?x)) (after ?x ?y)) (<= (legal robot left) (true (at ?x)) (after ?y ?x))
(<= (next (at ?y)) (does robot right) (true (at ?x)) (after ?x ?y))
(<= (next (at ?y)) (does robot left) (true (at ?x)) (after ?y ?x))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= terminal (true (step 6)))
(<= (goal robot 100) (true (at 2)) (true (step 6)))
(<= (goal robot 30) (true (at 4)))
(<= (goal robot 0) (not (true (at 2))) (not (true (at 4))))
"""

# Eight lamps of which each switch turns three; every number of lamps brings another goal, and there is no counter.
LAMPS = """
(role robot) (lamp 1) (lamp 2) (lamp 3) (lamp 4)
(beside 1 2) (beside 2 3) (beside 3 4) (beside 4 1)
(<= (turns ?x ?x) (lamp ?x)) (<= (turns ?x ?y) (beside ?x ?y)) (<= (turns ?x ?y) (beside ?y ?x))
(init (off 1)) (init (off 2)) (init (off 3)) (init (off 4))
(<= (legal robot (press ?x)) (lamp ?x)) (legal robot stop)
(<= turned (does robot (press ?x)))
(<= (next (off ?y)) (true (off ?y)) (not (switched ?y)))
(<= (next (off ?y)) (lamp ?y) (not (true (off ?y))) (switched ?y))
(<= (switched ?y) (does robot (press ?x)) (turns ?x ?y))
(<= (next stopped) (does robot stop))
(<= terminal (true stopped))
(<= dark (true (off ?x)))
(<= (goal robot 100) (true stopped) (not dark))
(<= (goal robot 20) (true (off 1)) (not (true (off 2))))
(<= (goal robot 0) dark (not half)) (<= half (true (off 1)) (not (true (off 2))))
(<= (goal robot 0) (not (true stopped)))
"""

# Three rooks that must not attack each other, on a board of 3 x 3; one that stands wrong stays wrong.
ROOKS = """
(role robot) (line 1) (line 2) (line 3) (init (step 1)) (after 1 2) (after 2 3) (after 3 4)
(<= (init (free ?x ?y)) (line ?x) (line ?y))
(<= (legal robot (place ?x ?y)) (true (free ?x ?y)))
(<= (next (rook ?x ?y)) (does robot (place ?x ?y))) (<= (next (rook ?x ?y)) (true (rook ?x ?y)))
(<= (next (free ?x ?y)) (true (free ?x ?y)) (not (does robot (place ?x ?y))))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= attacked (true (rook ?x ?y)) (true (rook ?x ?z)) (distinct ?y ?z))
(<= attacked (true (rook ?x ?y)) (true (rook ?z ?y)) (distinct ?x ?z))
(<= terminal (true (step 4)))
(<= (goal robot 100) (not attacked)) (<= (goal robot 0) attacked)
"""

# A knight that must step on every square of a board of 5 x 5 once; a step on a square seen before ends the match.
KNIGHT = """
(role robot) (init (at 1 1)) (init (seen 1 1)) (init (step 1))
(line 1) (line 2) (line 3) (line 4) (line 5)
(near 1 2) (near 2 3) (near 3 4) (near 4 5) (near 2 1) (near 3 2) (near 4 3) (near 5 4)
(far 1 3) (far 2 4) (far 3 5) (far 3 1) (far 4 2) (far 5 3)
(<= (jump ?x ?y ?u ?v) (near ?x ?u) (far ?y ?v)) (<= (jump ?x ?y ?u ?v) (far ?x ?u) (near ?y ?v))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9) (after 9 10)
(after 10 11) (after 11 12) (after 12 13) (after 13 14) (after 14 15) (after 15 16) (after 16 17) (after 17 18)
(after 18 19) (after 19 20) (after 20 21) (after 21 22) (after 22 23) (after 23 24) (after 24 25)
(<= (legal robot (jump ?u ?v)) (true (at ?x ?y)) (jump ?x ?y ?u ?v))
(<= (next (at ?u ?v)) (does robot (jump ?u ?v)))
(<= (next (seen ?u ?v)) (does robot (jump ?u ?v))) (<= (next (seen ?u ?v)) (true (seen ?u ?v)))
(<= (next again) (does robot (jump ?u ?v)) (true (seen ?u ?v)))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= terminal (true again)) (<= terminal (true (step 25)))
(<= (goal robot 0) (true again)) (<= (goal robot 100) (true (step 25)) (not (true again)))
(<= (goal robot 50) (not (true again)) (not (true (step 25))))
"""

PUZZLES = {"rooks": ROOKS, "tiles": TILES, "walk": WALK, "lamps": LAMPS}
SOLVABLE = (
    "eightPuzzle",
    "lightsOut",
    "hanoi",
    "blocks",
    "peg",
    "max_knights",
    "pancakes",
    "knightsTourLarge",
    "queens16ug",
)


def sheet_of(name: str) -> RuleSheet:
    return parse_sheet({**PUZZLES, "knight": KNIGHT}[name], f"{name}.kif")


def found_by(machine: Machine, work: str, states: int, seed: int = 1, max_bytes: int = MEMORY) -> TreeReport:
    search = _native.PuzzleSearch(machine.native, max_bytes, work)
    return TreeReport(*search.think(machine.initial(), np.empty(0, np.int32), seed, states, 0.0))


def interpreted_goal(sheet: RuleSheet, machine: Machine, rows: list[int]) -> int | None:
    """Play a line with the interpreter and return the goal at its end, which must be terminal."""
    game = Interpreter(sheet)
    state = game.initial()
    for row in rows:
        assert not game.terminal(state)
        move = machine.circuit.moves[row]
        assert move in game.legal(state, game.roles[0])
        state = game.next(state, (move,))
    assert game.terminal(state)
    return game.goal(state, game.roles[0])


def largest_goal(machine: Machine) -> int:
    """Look at every state that can be reached, and return the largest goal at an end."""
    best, seen = -1, {machine.initial().tobytes()}
    waiting = deque([machine.initial()])
    while waiting:
        state = waiting.popleft()
        if machine.terminal(state):
            best = max(best, machine.goals(state)[0] or 0)
            continue
        for row in machine.legal(state)[0]:
            after = machine.next(state, [row])
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                waiting.append(after)
    return best


@pytest.mark.parametrize("name", PUZZLES)
def test_a_systematic_search_finds_and_proves_the_largest_goal(name: str) -> None:
    sheet = sheet_of(name)
    machine = load_machine(sheet)
    found = found_by(machine, "systematic first", 100_000)
    assert found.line is not None
    assert found.solved
    assert found.goal == largest_goal(machine)
    assert interpreted_goal(sheet, machine, found.line.tolist()) == found.goal


@pytest.mark.parametrize(("name", "work"), list(product(PUZZLES, WORKS)))
def test_lines_are_legal_and_bring_their_goal(name: str, work: str) -> None:
    sheet = sheet_of(name)
    machine = load_machine(sheet)
    for states in (1, 3000, 20_000):
        found = found_by(machine, work, states)
        assert found.line is not None
        if found.goal >= 0:
            assert interpreted_goal(sheet, machine, found.line.tolist()) == found.goal
            assert found.payoffs.sum() == found.goal * found.visits.sum()


@pytest.mark.parametrize(("name", "work"), list(product(PUZZLES, WORKS)))
def test_a_number_of_states_gives_the_same_line(name: str, work: str) -> None:
    machine = load_machine(sheet_of(name))
    one, other = (found_by(machine, work, 2000) for _ in range(2))
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


def test_the_memory_is_bounded() -> None:
    machine = load_machine(read_sheet(sheet_path("sudokuGrade5")))
    found = found_by(machine, "systematic first", 400_000, max_bytes=8 << 20)
    assert 0 < found.bytes <= 8 << 20
    assert found.playouts >= 400_000  # rollouts go on where the table is full


@pytest.mark.parametrize("name", SOLVABLE)
def test_puzzles_of_the_corpus_are_solved(name: str) -> None:
    sheet = read_sheet(sheet_path(name))
    machine = load_machine(sheet)
    found = found_by(machine, "alternate", 3_000_000)
    assert found.line is not None
    assert found.goal == 100
    assert interpreted_goal(sheet, machine, found.line.tolist()) == 100


def goals_in_reach(machine: Machine, state: NDArray[np.uint64], known: dict[bytes, int]) -> int:
    """Return the largest goal at an end that can be reached from a state, and note it for every state on the way."""
    if (found := known.get(state.tobytes())) is None:
        if machine.terminal(state):
            found = machine.goals(state)[0] or 0
        else:
            found = max(goals_in_reach(machine, machine.next(state, [row]), known) for row in machine.legal(state)[0])
        known[state.tobytes()] = found
    return found


@pytest.mark.parametrize("name", ["rooks", "tiles", "walk"])
def test_moves_into_dead_ends_are_left_out_and_no_others(name: str) -> None:
    machine = load_machine(sheet_of(name))
    pruned = _native.without_dead_ends(machine.native)
    assert pruned is not None
    known: dict[bytes, int] = {}
    largest = goals_in_reach(machine, machine.initial(), known)
    waiting, seen, left_out = [machine.initial()], set(), 0
    while waiting:
        state = waiting.pop()
        live = pruned.legal(state)[0].tolist()
        assert set(live) <= set(machine.legal(state)[0].tolist())
        for row in machine.legal(state)[0].tolist():
            after = machine.next(state, [row])
            np.testing.assert_array_equal(pruned.next(state, [row]), after)
            if row not in live:
                left_out += 1
                assert known[after.tobytes()] < largest
            elif machine.terminal(after):
                assert machine.goals(after)[0] == largest
            elif after.tobytes() not in seen:
                seen.add(after.tobytes())
                waiting.append(after)
    assert left_out > 0


def test_a_rook_that_is_attacked_is_a_dead_end() -> None:
    machine = load_machine(sheet_of("rooks"))
    pruned = _native.without_dead_ends(machine.native)
    assert pruned is not None
    rows = {move: row for row, move in enumerate(machine.circuit.moves)}
    state = machine.next(machine.initial(), [rows["(place 1 2)"]])
    live = {machine.circuit.moves[row] for row in pruned.legal(state)[0]}
    assert live == {"(place 2 1)", "(place 2 3)", "(place 3 1)", "(place 3 3)"}


def test_rules_without_dead_ends_leave_all_moves() -> None:
    sheet = parse_sheet(
        """
        (role robot) (init (at 1)) (after 1 2) (after 2 3)
        (<= (legal robot go) (true (at ?x))) (<= (legal robot stay) (true (at ?x)))
        (<= (next (at ?y)) (does robot go) (true (at ?x)) (after ?x ?y))
        (<= (next (at ?x)) (does robot stay) (true (at ?x)))
        (<= terminal (true (at 3))) (<= (goal robot 100) (true (at 3))) (<= (goal robot 0) (not (true (at 3))))
        """,
        "corridor.kif",
    )
    assert _native.without_dead_ends(load_machine(sheet).native) is None


def test_a_knight_is_led_over_the_whole_board() -> None:
    sheet = sheet_of("knight")
    machine = load_machine(sheet)
    found = found_by(machine, "rollouts only", 60_000)
    assert found.line is not None
    assert found.goal == 100
    assert interpreted_goal(sheet, machine, found.line.tolist()) == 100


def test_a_player_follows_its_line_to_the_end() -> None:
    with Player(sheet_of("tiles"), "robot", threads=2) as player:
        lengths = []
        while not player.ended:
            thought = player.think(playouts=2000)
            assert thought.plan is not None
            lengths.append(len(thought.plan.rows))
            assert thought.move == player.legal[player.match.legal_rows(0).tolist().index(thought.plan.rows[0])]
            assert player.line(thought) == tuple((row,) for row in thought.plan.rows)
            player.advance([thought.move])
        assert lengths == list(range(len(lengths), 0, -1))
        assert player.goal == largest_goal(player.machine)


def test_a_player_keeps_the_best_line_that_it_has_seen() -> None:
    with Player(read_sheet(sheet_path("eightPuzzle")), "player") as player:
        best = player.think(playouts=8_000_000).plan
        assert best is not None
        assert best.goal == 100
        for row in best.rows[:5]:
            plan = player.think(playouts=1).plan
            assert plan is not None
            assert (plan.rows[0], plan.goal) == (row, 100)
            player.advance([player.machine.circuit.moves[row]])
        back = player.machine.circuit.moves[player.match.legal_rows(0)[-1]]
        player.take_back(5)
        player.advance([player.legal[0] if player.legal[0] != back else player.legal[-1]])
        plan = player.think(playouts=10).plan
        assert plan is not None  # of the new position
        assert player.machine.circuit.moves[plan.rows[0]] in player.match.legal(0)


def test_parameters_make_a_single_player_search_with_uct() -> None:
    with Player(sheet_of("lamps"), "robot", parameters={"uct_c": 20.0}) as player:
        assert player.think(playouts=50).plan is None
    with Player(sheet_of("lamps"), "robot") as player:
        assert player.think(playouts=50).plan is not None


def test_a_puzzle_search_refuses_games_of_several_roles_and_other_work() -> None:
    with pytest.raises(ValueError, match="one role"):
        _native.PuzzleSearch(load_machine("tictactoe.ext").native, MEMORY)
    with pytest.raises(ValueError, match="systematic first"):
        _native.PuzzleSearch(load_machine(sheet_of("walk")).native, MEMORY, "somehow")
