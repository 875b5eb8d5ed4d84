"""Fanorona's captures and its end, in small positions: the sheet and the game in Python do what the rules say."""

import pytest

from tests.games.machines import machine
from tests.games.plain.fanorona import Fanorona
from tests.games.plain.game import Board, Position

PLAIN = Fanorona()


def board(*, white: str, black: str) -> Board:
    """Return a board with pieces on these points, each named by a column and a row such as `a1`."""
    pieces = [(at, "white") for at in white.split()] + [(at, "black") for at in black.split()]
    return {("abcdefghi".index(at[0]) + 1, int(at[1])): piece for at, piece in pieces}


def legal(position: Position) -> list[str]:
    """Return the moves of white in the short form `a1-b1 approach`, after asking the sheet and the game in Python."""
    played = machine("fanorona.ext")
    state = played.state_of(PLAIN.facts(position))
    names = {played.circuit.moves[row] for row in played.legal(state)[0].tolist()}
    assert names == set(PLAIN.moves(position))
    words = [name.strip("()").split() for name in names]
    return sorted(f"{place(w[1], w[2])}-{place(w[3], w[4])} {w[6]}" if len(w) > 1 else w[0] for w in words)


def place(column: str, row: str) -> str:
    return "abcdefghi"[int(column) - 1] + row


def after(position: Position, *moves: str) -> Position:
    """Return the position after moves of white in the short form, each made with the sheet and in Python."""
    played = machine("fanorona.ext")
    for move in moves:
        way, kind = move.split()
        (x1, y1), (x2, y2) = (("abcdefghi".index(at[0]) + 1, int(at[1])) for at in way.split("-"))
        name = f"(move {x1} {y1} {x2} {y2} white {kind})"
        joint = [played.row(0, name), played.row(1, "noop")]
        state = played.next(played.state_of(PLAIN.facts(position)), joint)
        position = PLAIN.play(position, name)
        assert set(played.facts(state)) == PLAIN.facts(position)
    return position


def white_to_move(*, white: str, black: str, step: int = 1) -> Position:
    return Position(board(white=white, black=black), 0, (step, ()))


def test_the_first_player_has_five_captures() -> None:
    captures = ["d2-e3 approach", "d3-e3 approach", "d3-e3 withdrawal", "e2-e3 approach", "f2-e3 approach"]
    assert legal(PLAIN.start()) == captures


def test_who_can_capture_must() -> None:
    assert legal(white_to_move(white="a1 e3", black="g3")) == ["e3-f3 approach"]


def test_only_strong_points_have_diagonal_lines() -> None:
    assert legal(white_to_move(white="b1", black="i5")) == ["b1-a1 paika", "b1-b2 paika", "b1-c1 paika"]
    assert legal(white_to_move(white="a1", black="c3")) == ["a1-b2 approach"]
    assert legal(white_to_move(white="a2", black="c4")) == ["a2-a1 paika", "a2-a3 paika", "a2-b2 paika"]


def test_a_capture_takes_the_line_up_to_a_gap_or_a_friend() -> None:
    gap = after(white_to_move(white="a3", black="c3 d3 f3"), "a3-b3 approach")
    assert gap.board == board(white="b3", black="f3")
    friend = after(white_to_move(white="d3 f5", black="c3 b3 a3 f4 f2"), "d3-e3 withdrawal")
    assert friend.board == board(white="e3 f5", black="f4 f2")
    stopped = after(white_to_move(white="a3 e3", black="c3 d3 f3"), "a3-b3 approach")
    assert stopped.board == board(white="b3 e3", black="f3")


def test_the_player_chooses_between_approach_and_withdrawal() -> None:
    both = white_to_move(white="b1", black="a1 d1 e1")
    assert legal(both) == ["b1-c1 approach", "b1-c1 withdrawal"]
    assert after(both, "b1-c1 approach").board == board(white="c1", black="a1")
    assert after(both, "b1-c1 withdrawal").board == board(white="c1", black="d1 e1")


def test_a_turn_goes_on_while_the_same_piece_can_capture_in_another_direction() -> None:
    begun = after(white_to_move(white="b3 i1", black="a3 e3 c5 i3"), "b3-c3 withdrawal")
    assert begun.mover == 0
    assert legal(begun) == ["c3-c4 approach", "stop"]
    ended = after(white_to_move(white="b3 i1", black="a3 e3 i3"), "b3-c3 withdrawal")
    assert ended.mover == 1


def test_the_capturing_piece_does_not_return_in_the_same_turn() -> None:
    begun = white_to_move(white="a1", black="a3 b3 c2 c3")
    round_trip = after(begun, "a1-a2 approach", "a2-b2 approach")
    assert legal(round_trip) == ["b2-b1 withdrawal", "stop"]
    at_once = Position(round_trip.board, 0, (1, ()))
    assert legal(at_once) == ["b2-a1 withdrawal", "b2-b1 withdrawal"]


def test_a_move_without_a_capture_ends_the_turn() -> None:
    assert after(white_to_move(white="a1", black="d3 b4"), "a1-b1 paika").mover == 1


@pytest.mark.parametrize(
    ("white", "black", "step", "goals"),
    [
        ("", "e3", 9, (0, 100)),
        ("a1", "a2 a3 b1 c1 b2 c3", 9, (0, 100)),
        ("a1", "i5", 151, (50, 50)),
        ("", "e3", 151, (0, 100)),
    ],
    ids=["without pieces", "without moves", "at the limit", "without pieces at the limit"],
)
def test_a_player_without_a_move_loses_and_the_limit_draws(
    white: str, black: str, step: int, goals: tuple[int, int]
) -> None:
    end, played = white_to_move(white=white, black=black, step=step), machine("fanorona.ext")
    state = played.state_of(PLAIN.facts(end))
    assert played.terminal(state)
    assert PLAIN.over(end)
    assert played.goals(state) == PLAIN.goals(end) == goals
