"""Our player's moves, as its log and its record tell them."""

from pathlib import Path

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import PlayerFault
from lab.opponents.match import OwnMove
from lab.opponents.own_player import OwnTraces, ServedSide, own_moves, read_traces

MACHINE = load_machine("tictactoe.ext")
LOG = """listening on http://127.0.0.1:9147/
10:00:00 INFO match other-1, move 1: (mark 3 3 x), 9 playouts, 90/s, value 1.0, depth 1, best line unknown
2026-01-01 10:00:00,000 INFO match m-1: x plays tictactoe.ext, 1 trees, without knowledge
10:00:01 INFO match m-1, move 1: (mark 2 2 x), 5000 playouts, 5100/s, value 61.5, values of 800 training games, depth 5
2026-01-01 10:00:01,000 INFO match m-1, move 2: noop, not searched
2026-01-01 10:00:02,000 WARNING match m-1: the search is late; played what it knew
2026-01-01 10:00:02,000 INFO match m-1, move 3: (mark 1 1 x), 0 playouts, 0/s, value 100.0, depth 3, best line unknown
2026-01-01 10:00:03,000 INFO match m-1, move 5: (mark 1 2 x), 12 playouts of the interpreter
2026-01-01 10:00:03,000 INFO match m-1, move 7: (mark 1 3 x), 0 playouts of the interpreter
"""
JOINTS = [
    ("(mark 2 2 x)", "noop"),
    ("noop", "(mark 3 3 o)"),
    ("(mark 1 1 x)", "noop"),
    ("noop", "(mark 2 1 o)"),
    ("(mark 1 2 x)", "noop"),
    ("noop", "(mark 3 1 o)"),
    ("(mark 1 3 x)", "noop"),
]


def moves(log: str, tmp_path: Path, *faults: PlayerFault, opening: int = 0) -> list[OwnMove]:
    path = tmp_path / "player.log"
    path.write_text(log)
    traces = read_traces(path, tmp_path, MACHINE, None, "m-1", 0)
    return list(own_moves(MACHINE, JOINTS, 0, opening, traces, faults))


def test_moves_with_a_choice_are_read_from_the_log(tmp_path: Path) -> None:
    found = moves(LOG, tmp_path)
    assert [(move.ply, move.playouts, move.value, move.chosen) for move in found] == [
        (0, 5000, 61.5, True),
        (2, 0, 100.0, True),  # solved before
        (4, 12, None, True),
        (6, None, None, False),  # the interpreter had no time and played the first move
    ]
    assert [move.most_visited for move in found] == [None] * 4  # there is no record
    assert [move.ply for move in moves(LOG, tmp_path, opening=3)] == [4, 6]


def test_a_move_other_than_that_of_the_log_was_not_chosen(tmp_path: Path) -> None:
    other = LOG.replace("move 1: (mark 2 2 x)", "move 1: (mark 1 3 x)").replace(
        "0 playouts, 0/s, value 100.0", "not searched"
    )
    assert [move.chosen for move in moves(other, tmp_path)] == [False, False, True, False]


def test_a_fault_of_the_referee_belongs_to_its_move(tmp_path: Path) -> None:
    found = moves(LOG, tmp_path, PlayerFault(0, "x", "not ready", ""), PlayerFault(3, "x", "late", "no answer"))
    assert [(move.fault, move.chosen) for move in found] == [
        (None, True),
        ("late", False),
        (None, True),
        (None, False),
    ]


def test_visits_stand_in_for_a_line_that_is_missing() -> None:
    visits = {
        0: {"(mark 2 2 x)": 70, "(mark 1 1 x)": 30},
        2: {"(mark 1 1 x)": 3, "(mark 1 3 x)": 4},
        4: {"(mark 1 2 x)": 5},
    }
    found = list(own_moves(MACHINE, JOINTS, 0, 0, OwnTraces({}, visits), ()))
    assert [(move.most_visited, move.chosen) for move in found] == [
        (True, True),
        (False, False),
        (True, True),
        (None, False),
    ]
    assert [move.playouts for move in found] == [None] * 4


def test_the_player_is_started_with_what_was_asked_for() -> None:
    setup = ServedSide(Path("k"), ("uct_c=7", "solver=false"), ("--ponder",))
    words = setup.command(Path("r"), 3)
    expected = "-m gdl_miner.agent serve --port {port} --threads 1 --seed 3 --records r --knowledge k --option uct_c=7"
    assert " ".join(words[1:]) == f"{expected} --option solver=false --ponder"
