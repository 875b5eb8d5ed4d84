"""The games written in Python give the perft counts that others have published."""

import pytest

from tests.games.plain.checkers import Checkers
from tests.games.plain.game import PlainGame, perft
from tests.games.plain.games import PLAIN_GAMES

PUBLISHED: list[tuple[PlainGame, list[int]]] = [
    (PLAIN_GAMES["othello.ext"], [4, 12, 56, 244, 1396, 8200]),
    (Checkers(forced=True), [7, 49, 302, 1469, 7361]),  # English draughts
    (PLAIN_GAMES["amazons.ext"], [80, 2176]),
    (PLAIN_GAMES["tictactoe.ext"], [9, 72, 504, 3024, 15120, 54720]),
]


@pytest.mark.parametrize(("game", "counts"), PUBLISHED, ids=lambda value: type(value).__name__)
def test_plain_games_give_the_published_perft_counts(game: PlainGame, counts: list[int]) -> None:
    assert [perft(game, game.start(), depth) for depth in range(1, len(counts) + 1)] == counts
