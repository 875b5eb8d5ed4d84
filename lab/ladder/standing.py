"""The standing of a ladder: ratings over all games and over those of each class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdl_miner.miner.play.comparison import Comparison, RoundRobin, Verdict
from gdl_miner.miner.play.rating import Rating, Score
from lab.tables import Column, Row

ALL = "all games"
COLUMNS = (
    Column("class", "class", 36),
    Column("place", "", 3),
    Column("player", "player", 30),
    Column("elo", "Elo", 6, "+.0f"),
    Column("elo_ci95", "95 %", 14, "+.0f"),
    Column("win_percent", "points %", 8, ".1f"),
    Column("games", "games", 5),
    Column("n", "matches", 7),
    Column("wins", "won", 6),
    Column("losses", "lost", 6),
    Column("draws", "drawn", 6),
)
_Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class LadderGame:
    """The matches of one game."""

    name: str
    digest: str
    kind: str  # its class
    matches: RoundRobin  # of all players of the ladder by number; those who do not play the game have no matches
    left_out: Mapping[str, str]  # by player: why it does not play the game


@dataclass(frozen=True)
class LadderPlace:
    """A player in a class of games."""

    kind: str  # the class
    place: int  # from 1
    name: str
    rating: Rating
    score: Score
    games: int  # in which it has played

    @property
    def ci95(self) -> tuple[float, float]:
        """95 % interval of the rating, in Elo."""
        spread = _Z95 * self.rating.se
        return self.rating.elo - spread, self.rating.elo + spread

    def row(self) -> Row:
        """Return the published keys, in order."""
        return {
            "class": self.kind,
            "place": self.place,
            "player": self.name,
            "elo": round(self.rating.elo, 1),
            "elo_se": round(self.rating.se, 1),
            "elo_ci95": [round(end, 1) for end in self.ci95],
            **self.score.as_json(),
            "games": self.games,
        }


def together(games: Sequence[LadderGame], players: int) -> RoundRobin:
    """Return the matches of all these games as one round robin."""
    scores: dict[tuple[int, int], Score] = {}
    for game in games:
        for each in game.matches.comparisons:
            pairing = (each.player, each.opponent)
            scores[pairing] = scores.get(pairing, Score()) + each.score
    return RoundRobin(
        players, tuple(Comparison(*pairing, score, Verdict.undecided) for pairing, score in sorted(scores.items()))
    )


def standings(games: Sequence[LadderGame], names: Sequence[str]) -> Iterator[LadderPlace]:
    """Yield each player in each class, the strongest first; Elo is relative to the first player of all."""
    yield from _rated(ALL, games, names)
    for kind in sorted({game.kind for game in games}):
        yield from _rated(kind, [game for game in games if game.kind == kind], names)


def _rated(kind: str, games: Sequence[LadderGame], names: Sequence[str]) -> Iterator[LadderPlace]:
    matches = together(games, len(names))
    table, scores = matches.ratings(), [matches.score_of(player) for player in range(len(names))]
    order = sorted(range(len(names)), key=lambda player: (-table.elo[player], player))
    for place, player in enumerate((each for each in order if scores[each].matches), 1):
        played = sum(game.matches.score_of(player).matches > 0 for game in games)
        yield LadderPlace(kind, place, names[player], table.rating(player), scores[player], played)


def pairings(games: Sequence[LadderGame], names: Sequence[str]) -> Iterator[Row]:
    """Yield a row for each game and pairing, as the first player sees it."""
    for game in games:
        for each in game.matches.comparisons:
            yield {
                "game": game.name,
                "class": game.kind,
                "player": names[each.player],
                "opponent": names[each.opponent],
                **each.score.as_json(),
            }
