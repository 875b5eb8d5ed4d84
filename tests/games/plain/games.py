"""All plain games by the names of their rule sheets."""

from tests.games.plain.amazons import Amazons
from tests.games.plain.breakthrough import Breakthrough
from tests.games.plain.checkers import Checkers
from tests.games.plain.cubicup import Cubicup
from tests.games.plain.game import PlainGame
from tests.games.plain.lines import ConnectFour, ConnectFourSeven, TicTacToe, TicTacToeFive
from tests.games.plain.othello import Othello

PLAIN_GAMES: dict[str, PlainGame] = {
    "amazons.ext": Amazons(),
    "breakthrough.ext": Breakthrough(),
    "checkers.ext": Checkers(),
    "connectfour.ext": ConnectFour(),
    "connectfour7.ext": ConnectFourSeven(),
    "cubicup.ext": Cubicup(),
    "othello.ext": Othello(),
    "tictactoe.ext": TicTacToe(),
    "tictactoe5.ext": TicTacToeFive(),
}
