"""All plain games by the names of their rule sheets."""

from tests.games.plain.amazons import Amazons
from tests.games.plain.breakthrough import Breakthrough
from tests.games.plain.checkers import Checkers
from tests.games.plain.cubicup import Cubicup
from tests.games.plain.fanorona import Fanorona
from tests.games.plain.game import PlainGame
from tests.games.plain.hexagons import Hex, Yavalath
from tests.games.plain.knightthrough import Knightthrough
from tests.games.plain.lines import ConnectFour, ConnectFourSeven, Gomoku, TicTacToe, TicTacToeFive
from tests.games.plain.othello import Othello
from tests.games.plain.teeko import Teeko

PLAIN_GAMES: dict[str, PlainGame] = {
    "amazons.ext": Amazons(),
    "breakthrough.ext": Breakthrough(),
    "checkers.ext": Checkers(),
    "connectfour.ext": ConnectFour(),
    "connectfour7.ext": ConnectFourSeven(),
    "cubicup.ext": Cubicup(),
    "fanorona.ext": Fanorona(),
    "gomoku.ext": Gomoku(),
    "hex11.ext": Hex(11),
    "hex5.ext": Hex(5),
    "knightthrough.ext": Knightthrough(),
    "othello.ext": Othello(),
    "teeko.ext": Teeko(),
    "tictactoe.ext": TicTacToe(),
    "tictactoe5.ext": TicTacToeFive(),
    "yavalath.ext": Yavalath(),
}
