"""The measurements of Sharma's thesis on learning in general game playing (2009), for comparison."""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]  # wins, losses and draws of the player with knowledge, in percent


@dataclass(frozen=True)
class CultureStage:
    """One chapter of Sharma's thesis: a part of culture is added to those before."""

    name: str
    tables: tuple[str, str]  # for the player that moves first, and for the one that moves second
    parts: dict[str, bool]  # of culture
    alone: bool  # whether one player of each role learns, from games against random moves


@dataclass(frozen=True)
class SharmaGame:
    """A game of Sharma's thesis, with its results there."""

    name: str  # name of the bundled sheet
    shapes: tuple[str, ...]  # of the tuples that this program gives weights, beside those of facts
    levels: bool  # whether these tuples have weights for every number of pieces
    opponents: int  # games of a player with these tuples in a forage
    random: Triple  # table 6.1: of the player that moves first
    first: tuple[Triple, ...]  # [stage] player 1 has knowledge
    second: tuple[Triple, ...]  # [stage] player 2 has knowledge
    uct: tuple[int, int, int]  # table 10.1: wins of UCT, wins of UCT with knowledge, draws, of 100 matches

    def theirs(self, stage: int, role: int) -> Triple:
        """Return the result of a player with knowledge in a role."""
        return (self.first, self.second)[role][stage]


STAGES = (
    CultureStage("td", ("6.2", "6.3"), {"coevolution": False, "ants": False, "beliefs": False}, alone=True),
    CultureStage("coevolution", ("7.1", "7.2"), {"coevolution": True, "ants": False, "beliefs": False}, alone=False),
    CultureStage("ants", ("8.1", "8.2"), {"coevolution": True, "ants": True, "beliefs": False}, alone=False),
    CultureStage("culture", ("9.1", "9.2"), {"coevolution": True, "ants": True, "beliefs": True}, alone=False),
)

SHARMA_GAMES = (
    SharmaGame(
        "tictactoe.ext",
        ("line 3", "block 2x3"),
        levels=True,
        opponents=150,
        random=(57.84, 30.28, 11.88),
        first=((68.3, 21.9, 9.8), (79.4, 15.2, 5.4), (83.5, 10.5, 6.0), (100.0, 0.0, 0.0)),
        second=((51.9, 34.7, 13.4), (59.3, 29.4, 11.3), (60.5, 31.0, 8.5), (91.3, 0.0, 8.7)),
        uct=(8, 18, 74),
    ),
    SharmaGame(
        "tictactoe5.ext",
        ("line 5",),
        levels=False,
        opponents=150,
        random=(23.44, 15.48, 61.08),
        first=((42.4, 18.6, 39.0), (49.6, 22.4, 28.0), (62.0, 7.5, 30.5), (91.5, 0.0, 8.5)),
        second=((39.1, 19.9, 41.0), (44.0, 18.0, 38.0), (54.0, 11.0, 35.0), (88.1, 0.0, 11.9)),
        uct=(3, 10, 87),
    ),
    SharmaGame(
        "connectfour.ext",
        ("line 4",),
        levels=False,
        opponents=150,
        random=(54.7, 45.3, 0.0),
        first=((67.9, 32.1, 0.0), (78.2, 21.8, 0.0), (91.0, 9.0, 0.0), (99.2, 0.8, 0.0)),
        second=((66.7, 33.3, 0.0), (71.0, 20.0, 0.0), (75.0, 25.0, 0.0), (98.9, 1.1, 0.0)),
        uct=(41, 59, 0),
    ),
    SharmaGame(
        "breakthrough.ext",
        ("block 2x2",),
        levels=False,
        opponents=25,
        random=(51.3, 48.7, 0.0),
        first=((71.1, 28.9, 0.0), (84.2, 15.8, 0.0), (98.5, 1.5, 0.0), (100.0, 0.0, 0.0)),
        second=((70.9, 29.1, 0.0), (88.0, 12.0, 0.0), (96.6, 3.4, 0.0), (99.6, 0.4, 0.0)),
        uct=(29, 81, 0),
    ),
    SharmaGame(
        "checkers.ext",
        ("line 2", "line 3"),
        levels=False,
        opponents=25,
        random=(41.8, 41.6, 16.6),
        first=((44.4, 37.6, 18.0), (47.9, 30.6, 18.0), (56.0, 21.5, 22.5), (69.2, 12.5, 18.3)),
        second=((43.6, 41.4, 15.0), (46.3, 33.8, 19.9), (58.7, 30.3, 11.0), (72.4, 16.2, 11.4)),
        uct=(38, 62, 0),
    ),
)
