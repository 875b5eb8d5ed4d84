"""Boards on which things meet, that end before the rules do, or whose cells have names only."""

import itertools

import pytest

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner.discovery import board_facts, board_in_words, why_no_board
from gdl_miner.agent.reasoner.machine import Machine, load_machine


def machine_of(text: str) -> Machine:
    return load_machine(parse_sheet(text, "odd"))


STEPS = "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)"
WALK = f"""
(role a) (role b) (init (cell 1 1 a)) (init (cell 3 3 b)) (init (moves 0)) {STEPS}
(dir up) (dir down) (dir left) (dir right)
(<= (legal ?r (go up)) (true (cell ?x ?y ?r)) (distinct ?y 3))
(<= (legal ?r (go down)) (true (cell ?x ?y ?r)) (distinct ?y 1))
(<= (legal ?r (go left)) (true (cell ?x ?y ?r)) (distinct ?x 1))
(<= (legal ?r (go right)) (true (cell ?x ?y ?r)) (distinct ?x 3))
(<= (next (cell ?x ?y2 ?r)) (does ?r (go up)) (true (cell ?x ?y ?r)) (succ ?y ?y2))
(<= (next (cell ?x ?y2 ?r)) (does ?r (go down)) (true (cell ?x ?y ?r)) (succ ?y2 ?y))
(<= (next (cell ?x2 ?y ?r)) (does ?r (go left)) (true (cell ?x ?y ?r)) (succ ?x2 ?x))
(<= (next (cell ?x2 ?y ?r)) (does ?r (go right)) (true (cell ?x ?y ?r)) (succ ?x ?x2))
(<= (next (moves ?n)) (true (moves ?m)) (succ ?m ?n))
(<= met (true (cell ?x ?y a)) (true (cell ?x ?y b)))
(<= terminal met)
(<= terminal (true (moves 8)))
(<= (goal a 100) met) (<= (goal a 0) (not met))
(<= (goal b 0) met) (<= (goal b 100) (not met))
"""


def test_a_board_ends_where_no_match_goes_on() -> None:
    machine = machine_of(WALK)
    [board] = machine.discovery.boards
    assert any(fluent.startswith("(cell 0 8 ") for fluent in machine.circuit.fluents)
    assert (board.kind, board.names, board.cells) == ("grid", (("1", "2", "3"),) * 2, 9)
    assert machine.board is not None
    assert machine.board.field("(cell 3 1 b)") == ((3, 1), "b")
    assert machine.board.field("(cell 0 8 b)") is None


def test_facts_of_cells_that_no_match_uses_are_not_written() -> None:
    machine = machine_of(WALK)
    with pytest.raises(ConfigError, match="also those that no match uses"):
        board_facts(machine.discovery, machine.circuit)


def test_walkers_may_meet_where_matches_end() -> None:
    [board] = machine_of(WALK).discovery.boards
    assert board.exclusive
    assert why_no_board(machine_of(WALK).discovery) == ""


def test_walkers_that_meet_and_go_on_share_a_cell() -> None:
    [board] = machine_of(WALK.replace("(<= terminal met)", "")).discovery.boards
    assert not board.exclusive


# Pits around a board; each role leaves out the store of the other.
PITS = ("a1", "a2", "a3", "storea", "b1", "b2", "b3", "storeb")


def pits_sheet() -> str:
    way = {role: [pit for pit in PITS if pit != other] for role, other in (("a", "storeb"), ("b", "storea"))}
    following = "\n".join(
        f"(following {role} {one} {other})"
        for role, own in way.items()
        for one, other in itertools.pairwise([*own, own[0]])
    )
    numbers = [f"s{number}" for number in range(9)]
    succ = " ".join(f"(succ {one} {other})" for one, other in itertools.pairwise(numbers))
    start = " ".join(f"(init (pit {pit} s1))" for pit in PITS)
    return f"""
(role a) (role b) (init (control a)) (init (step s0)) {start} {succ} {following}
(<= (legal ?r (put ?p)) (true (control ?r)) (true (pit ?p ?n)) (succ ?n ?m))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (pit ?p s0)) (does ?r (put ?p)))
(<= (next (pit ?q ?m)) (does ?r (put ?p)) (following ?r ?p ?q) (true (pit ?q ?n)) (succ ?n ?m))
(<= (touched ?p) (does ?r (put ?p)))
(<= (touched ?q) (does ?r (put ?p)) (following ?r ?p ?q))
(<= (next (pit ?p ?n)) (true (pit ?p ?n)) (not (touched ?p)))
(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step s8)))
(<= (goal a 100) (true (pit storea s0))) (<= (goal a 0) (not (true (pit storea s0)))) (goal b 50)
"""


def test_pits_are_a_line_around_the_board() -> None:
    [board] = machine_of(pits_sheet()).discovery.boards
    assert (board.kind, board.cyclic, board.cells) == ("line", (True,), 8)
    [names] = board.names
    place = names.index(PITS[0])
    around = names[place:] + names[:place]
    assert around in (PITS, (PITS[0], *PITS[:0:-1]))


DISCS = """
(role a) (init (on d1 d2)) (init (on d2 d3)) (init (on d3 p1)) (init (clear d1)) (init (clear p2)) (init (clear p3))
(init (moves 0)) (size d1 d2) (size d2 d3) (size d3 p1) (size d3 p2) (size d3 p3)
(<= (smaller ?x ?y) (size ?x ?y)) (<= (smaller ?x ?y) (size ?x ?z) (smaller ?z ?y))
(<= (legal a (put ?x ?y)) (true (clear ?x)) (true (clear ?y)) (smaller ?x ?y))
(<= (next (on ?x ?y)) (does a (put ?x ?y)))
(<= (taken ?x) (does a (put ?x ?y))) (<= (covered ?y) (does a (put ?x ?y)))
(<= (next (on ?x ?y)) (true (on ?x ?y)) (not (taken ?x)))
(<= (next (clear ?y)) (true (on ?x ?y)) (taken ?x))
(<= (next (clear ?y)) (true (clear ?y)) (not (covered ?y)))
(<= (next (moves ?n)) (true (moves ?m)) (succ ?m ?n))
(<= terminal (true (moves 8)))
(<= (goal a 100) (true (on d3 p3))) (<= (goal a 0) (not (true (on d3 p3))))
"""


def test_discs_on_discs_are_no_board() -> None:
    assert machine_of(DISCS + STEPS).discovery.boards == ()


ROOMS = """
(role a) (init (in hall)) (init (moves 0)) (door hall attic) (door attic study) (door study yard) (door yard hall)
(legal a onward) (legal a wait)
(<= (next (in ?y)) (does a onward) (true (in ?x)) (door ?x ?y))
(<= (next (in ?x)) (does a wait) (true (in ?x)))
(<= (next (moves ?n)) (true (moves ?m)) (succ ?m ?n))
(<= terminal (true (moves 8)))
(<= (goal a 100) (true (in yard))) (<= (goal a 0) (not (true (in yard))))
"""


def test_a_walker_goes_around_rooms_that_no_move_names() -> None:
    [board] = machine_of(ROOMS + STEPS).discovery.boards
    assert (board.kind, board.relation, board.cells) == ("graph", "in", 4)


LINES = ("x1 x2 x3", "y1 y2 y3", "z1 z2 z3", "x1 y1 z1", "x2 y2 z2", "x3 y3 z3", "x1 y2 z3", "x3 y2 z1")


def test_named_cells_may_hold_several_things() -> None:
    cells = [f"{row}{column}" for row in "xyz" for column in "123"]
    start = " ".join(f"(init (free {cell} {color}))" for cell in cells for color in ("white", "black"))
    lines = " ".join(f"(line {line})" for line in LINES)
    sheet = f"""
(role a) {start} {lines} (init (moves 0)) {STEPS} (color white) (color black)
(<= (legal a (take ?c ?k)) (true (free ?c ?k)))
(<= (next (free ?c ?k)) (true (free ?c ?k)) (does a (take ?d ?k)) (distinct ?c ?d))
(<= (next (free ?c ?k)) (true (free ?c ?k)) (does a (take ?d ?l)) (distinct ?k ?l))
(<= (taken ?k) (line ?c ?d ?e) (color ?k) (not (true (free ?c ?k))) (not (true (free ?d ?k))) (not (true (free ?e ?k))))
(<= (next (moves ?n)) (true (moves ?m)) (succ ?m ?n))
(<= terminal (true (moves 8)))
(<= (goal a 100) (taken white)) (<= (goal a 0) (not (taken white)))
"""
    [board] = machine_of(sheet).discovery.boards
    assert (board.kind, board.cells, board.pieces, board.exclusive) == ("graph", 9, ("black", "white"), False)


MARKS = """
(role cross) (role nought) (init (control cross)) {init}
{lines}
(<= (legal ?r (mark ?m)) (true (control ?r)) (true (blank ?m)))
(<= (legal cross noop) (true (control nought))) (<= (legal nought noop) (true (control cross)))
(<= (next (crossed ?m)) (does cross (mark ?m))) (<= (next (crossed ?m)) (true (crossed ?m)))
(<= (next (ringed ?m)) (does nought (mark ?m))) (<= (next (ringed ?m)) (true (ringed ?m)))
(<= (next (blank ?m)) (true (blank ?m)) (does ?r (mark ?n)) (distinct ?m ?n))
(<= (next (control cross)) (true (control nought))) (<= (next (control nought)) (true (control cross)))
(<= open (true (blank ?m)))
(<= won (line ?a ?b ?c) (true (crossed ?a)) (true (crossed ?b)) (true (crossed ?c)))
(<= terminal (not open)) (<= terminal won)
(<= (goal cross 100) won) (<= (goal cross 0) (not won)) (<= (goal nought 0) won) (<= (goal nought 100) (not won))
"""


def marks(*, more: str = "") -> Machine:
    init = " ".join(f"(init (blank {cell}))" for cell in "abcdefghi")
    lines = " ".join(f"(line {' '.join(line)})" for line in ("abc", "def", "ghi", "adg", "beh", "cfi", "aei", "ceg"))
    return machine_of(MARKS.format(init=init, lines=lines) + more)


def test_relations_that_take_each_others_place_are_the_contents_of_one_board() -> None:
    discovery = marks().discovery
    [board] = discovery.boards
    assert (board.kind, board.cells, board.relation, board.content) == ("graph", 9, "blank", ())
    assert board.relations == board.pieces == ("blank", "crossed", "ringed")
    words = board_in_words(board, str)
    assert words.startswith("graph of named cells, 9 cells, fluents (blank dim) or (crossed dim) or (ringed dim)")
    assert [move.functor for move in board.moves] == ["mark"]


def test_relations_that_may_hold_together_are_not_one_board() -> None:
    more = "(<= (next (ringed ?m)) (does cross (mark ?m)))"  # nought sees what cross has marked
    [board] = marks(more=more).discovery.boards
    assert board.relations == (board.relation,)


ON_A_GRID = """
(role cross) (role nought) (init (control cross)) {init}
(index 1) (index 2) (index 3)
(<= (legal ?r (mark ?x ?y)) (true (control ?r)) (true (blank ?x ?y)))
(<= (legal cross noop) (true (control nought))) (<= (legal nought noop) (true (control cross)))
(<= (next (crossed ?x ?y)) (does cross (mark ?x ?y))) (<= (next (crossed ?x ?y)) (true (crossed ?x ?y)))
(<= (next (ringed ?x ?y)) (does nought (mark ?x ?y))) (<= (next (ringed ?x ?y)) (true (ringed ?x ?y)))
(<= (next (blank ?x ?y)) (true (blank ?x ?y)) (does ?r (mark ?m ?n)) (or (distinct ?x ?m) (distinct ?y ?n)))
(<= (next (control cross)) (true (control nought))) (<= (next (control nought)) (true (control cross)))
(<= open (true (blank ?x ?y)))
(<= terminal (not open))
(<= (goal ?r 50) (role ?r))
"""


def test_features_cannot_use_a_board_whose_contents_are_relations() -> None:
    init = " ".join(f"(init (blank {x} {y}))" for x in (1, 2, 3) for y in (1, 2, 3))
    machine = machine_of(ON_A_GRID.format(init=init))
    [board] = machine.discovery.boards
    assert (board.kind, board.extents, board.pieces) == ("grid", (3, 3), ("blank", "crossed", "ringed"))
    why = "relations of their own say what is on its cells: blank, crossed, ringed"
    assert why_no_board(machine.discovery) == why
    assert machine.board is None
    with pytest.raises(ConfigError, match=why):
        board_facts(machine.discovery, machine.circuit)


HOLED = """
(role cross) (role nought) (init (control cross)) (init (hole 2 2)) (index 1) (index 2) (index 3)
(<= (legal ?r (mark ?x ?y)) (true (control ?r)) (index ?x) (index ?y) (not (true (hole ?x ?y))) (not (taken ?x ?y)))
(<= (taken ?x ?y) (true (cell ?x ?y ?r)))
(<= (legal cross noop) (true (control nought))) (<= (legal nought noop) (true (control cross)))
(<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y))) (<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)))
(<= (next (hole ?x ?y)) (true (hole ?x ?y)))
(<= (next (control cross)) (true (control nought))) (<= (next (control nought)) (true (control cross)))
(<= free (index ?x) (index ?y) (not (true (hole ?x ?y))) (not (taken ?x ?y)))
(<= terminal (not free))
(<= (goal ?r 50) (role ?r))
"""


def test_a_hole_is_a_cell_of_the_board_on_which_nothing_stands() -> None:
    machine = machine_of(HOLED)
    assert machine.circuit.never == ("(cell 2 2 cross)", "(cell 2 2 nought)")
    [board] = machine.discovery.boards
    assert (board.kind, board.extents, board.cells, board.pieces) == ("grid", (3, 3), 9, ("cross", "nought"))
    assert machine.board is not None
